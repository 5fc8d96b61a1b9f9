// A text file that rows are appended to, a line of JSON each. The newest are read from its end: in blocks of its own, or by
// the library read-last-lines. Version 1.8 of it goes back a character at a time, and 1.10 in blocks of 64 KiB.

import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { open as openFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
/** Enough for a hundred short lines; twice as much is read each time that it is not enough. */
const FIRST_BLOCK_BYTES = 16 << 10;
const MOST_BLOCK_BYTES = 1 << 20;
const NEWLINE = 10;
/** The source read a hundred lines by a library; many more, a character at a time, it never asked for. */
const MOST_BY_LIBRARY = 1000;

/** Packages by their drivers. */
const PACKAGES = { 'read-last-lines-1.8': 'read-last-lines-1.8', 'read-last-lines-1.10': 'read-last-lines' };

export const open = async (job, values, driver) => new (job.shape === 'texts' ? Texts : TextFile)(job, driver);

/** Store and connection at once. */
class TextFile {
  columns = false;

  constructor(job, driver) {
    const [key] = job.schema.fields;
    // What is buffered elsewhere is written here: a service in Node has no buffer of its own for that.
    Object.assign(this, { path: join(job.dir, 'board.jsonl'), key: key.name, sync: job.settings.sync ?? 'write' });
    if (PACKAGES[driver] !== undefined) {
      this.byLibrary = require(PACKAGES[driver]);
      this.libraries = { 'read-last-lines': require(`${PACKAGES[driver]}/package.json`).version };
    }
    this.forget();
  }

  /**
   * No line stands behind one whose key is higher by more than `lateBy`: so much more of the end is read for the
   * newest. Of those that are under way at the same time nobody knows which is written first.
   */
  forget() {
    [this.lateBy, this.highest, this.underWay] = [0, -Infinity, new Set()];
  }

  #handle() {
    return this.handle ??= openFile(this.path, 'a+');
  }

  async connect() {
    return this;
  }

  async call_ping() {}

  async call_create() {
    await this.call_reset();
    await this.#handle();
    return true;
  }

  async call_reset() {
    await this.close();
    await rm(this.path, { force: true });
    this.forget();
    return true;
  }

  async close() {
    await (await this.handle)?.close();
    this.handle = undefined;
  }

  async insert(key, line) {
    const handle = await this.#handle();
    this.underWay.add(key);
    // How far texts are apart nobody can say.
    if (typeof key !== 'number') this.lateBy = Number.MAX_SAFE_INTEGER;
    else this.lateBy = Math.max(this.lateBy, this.highest - key, key - Math.min(...this.underWay));
    this.highest = key > this.highest ? key : this.highest;
    try {
      await handle.appendFile(`${line}\n`);
      if (this.sync === 'fdatasync') await handle.datasync();
    } finally {
      this.underWay.delete(key);
    }
  }

  /** Keys and rows of a text. */
  #parsed(text) {
    const rows = text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
    return rows.map((row) => [row[this.key], row]);
  }

  async scan() {
    const text = await readFile(this.path, 'utf8');
    // The last line may be one that is being written.
    return this.#parsed(text.slice(0, text.lastIndexOf('\n') + 1));
  }

  async latest(rows) {
    for (;;) {
      const lines = rows + this.lateBy;
      const text = await this.tail(lines);
      // One that came meanwhile may be later than those before it.
      if (lines !== rows + this.lateBy) continue;
      return this.#parsed(text).sort(([one], [other]) => (one < other ? 1 : -1)).slice(0, rows);
    }
  }

  /** The last lines: by the library, or read in blocks from the end. */
  async tail(lines) {
    if (this.byLibrary !== undefined && lines <= MOST_BY_LIBRARY) return this.byLibrary.read(this.path, lines);
    const handle = await this.#handle();
    let { size: start } = await handle.stat();
    let [found, blocks, most] = [0, [], FIRST_BLOCK_BYTES];
    while (start > 0 && found <= lines) {
      const length = Math.min(most, start);
      most = Math.min(2 * most, MOST_BLOCK_BYTES);
      start -= length;
      const block = Buffer.alloc(length);
      await handle.read(block, 0, length, start);
      for (const byte of block) if (byte === NEWLINE) found++;
      blocks.unshift(block);
    }
    const text = Buffer.concat(blocks).toString('utf8');
    const end = text.lastIndexOf('\n');
    let first = end;
    for (let left = lines; left > 0 && first >= 0; left--) first = first > 0 ? text.lastIndexOf('\n', first - 1) : -1;
    return text.slice(first + 1, end + 1);
  }

  async call_count() {
    return { rows: (await this.scan()).length };
  }

  async call_settings() {
    return { sync: this.sync };
  }

  async call_info() {
    return { version: process.version };
  }
}

/**
 * The text file of an article: a line is a text alone, written by a call that holds everything else up, its place is its
 * number, and what is sent is not looked into.
 */
class Texts extends TextFile {
  columns = true;

  constructor(job, driver) {
    super(job, driver);
    this.path = join(job.dir, 'board.txt');
  }

  forget() {
    this.lines = 0;
  }

  async insert(key, fields) {
    appendFileSync(this.path, `${fields.at(-1)}\n`, { flush: this.sync === 'fdatasync' });
    this.lines++;
  }

  async scan() {
    return { path: this.path };
  }

  /** Who asks for half of the lines or more gets the file. */
  async latest(rows) {
    return 2 * rows >= this.lines ? this.scan() : { text: await this.tail(rows) };
  }

  async call_count() {
    return { rows: readFileSync(this.path, 'utf8').split('\n').length - 1 };
  }
}

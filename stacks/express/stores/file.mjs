// A text file that rows are appended to, a line of JSON each. The newest are read from its end: in blocks, or by the library
// read-last-lines, which goes back a character at a time.

import { createRequire } from 'node:module';
import { open as openFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const BLOCK_BYTES = 64 << 10;
const NEWLINE = 10;

export async function open(job, driver) {
  return new TextFile(job, driver);
}

class TextFile {
  constructor(job, driver) {
    const names = job.schema.fields.map((field) => field.name);
    // What is buffered elsewhere is written here: a service in Node has no buffer of its own for that.
    Object.assign(this, { path: join(job.dir, 'board.jsonl'), names, sync: job.settings.sync ?? 'write' });
    this.byLibrary = driver === 'read-last-lines' ? require('read-last-lines') : undefined;
    this.#forget();
  }

  /** Whether all rows so far came in the order of their keys: then the end of the file holds the newest. */
  #forget() {
    [this.ordered, this.highest, this.underWay] = [true, undefined, 0];
  }

  async #handle() {
    this.handle ??= await openFile(this.path, 'a+');
    return this.handle;
  }

  async ping() {}

  async create() {
    await this.reset();
    await this.#handle();
  }

  async reset() {
    await this.close();
    await rm(this.path, { force: true });
    this.#forget();
  }

  async close() {
    await this.handle?.close();
    this.handle = undefined;
  }

  async insert(row) {
    const [key] = row;
    const handle = await this.#handle();
    // Of two that are under way at the same time nobody knows which is written first.
    if (this.underWay > 0 || (this.highest !== undefined && key < this.highest)) this.ordered = false;
    this.highest = this.highest === undefined || key > this.highest ? key : this.highest;
    this.underWay++;
    try {
      await this.#append(handle, row);
    } finally {
      this.underWay--;
    }
    return true;
  }

  async #append(handle, row) {
    await handle.appendFile(`${JSON.stringify(Object.fromEntries(this.names.map((name, at) => [name, row[at]])))}\n`);
    if (this.sync === 'fdatasync') await handle.datasync();
  }

  async all() {
    const text = await readFile(this.path, 'utf8');
    // The last line may be one that is being written.
    return parse(text.slice(0, text.lastIndexOf('\n') + 1));
  }

  async latest(rows) {
    const [key] = this.names;
    const newestFirst = (some) => some.sort((one, other) => (one[key] < other[key] ? 1 : -1)).slice(0, rows);
    if (!this.ordered) return newestFirst(await this.all());
    if (this.byLibrary) return newestFirst(parse(await this.byLibrary.read(this.path, rows)));
    return newestFirst(parse(await this.#tail(rows)));
  }

  /** The last lines, read in blocks from the end. */
  async #tail(lines) {
    const handle = await this.#handle();
    let { size: start } = await handle.stat();
    let [found, blocks] = [0, []];
    while (start > 0 && found <= lines) {
      const length = Math.min(BLOCK_BYTES, start);
      start -= length;
      const block = Buffer.alloc(length);
      await handle.read(block, 0, length, start);
      for (const byte of block) if (byte === NEWLINE) found++;
      blocks.unshift(block);
    }
    let text = Buffer.concat(blocks).toString('utf8');
    text = text.slice(0, text.lastIndexOf('\n') + 1);
    // The first line of a block may be half a line.
    return start > 0 ? text.slice(text.indexOf('\n') + 1) : text;
  }

  async count() {
    return { rows: (await this.all()).length };
  }

  async settings() {
    return { sync: this.sync };
  }

  async info() {
    return { version: process.version };
  }
}

function parse(text) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

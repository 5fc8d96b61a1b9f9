// Script and tape of one worker: what it is to do, and what came of it (docs/PROTOCOL.md, "A phase").

import { closeSync, openSync, read, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const CHUNK_BYTES = 1 << 16;
const HEAD_BYTES = 24;
const COMMIT = 256;

/** Kinds of operations by their codes. */
const KINDS = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment', 'search', 'open'];

export const DONE = 0;
export const EXISTS = 1;
export const MISSING = 2;
export const FAILED = 3;
export const COMMIT_FAILED = 4;
export const REST_COMMITTED = 5;
export const REST_NOT_COMMITTED = 6;
export const BEGINS = 7;
export const TAKEN = 8;

const STARTS = 4;
let lastStart = Promise.resolve();

/**
 * Waits for the next planned start, in ns; 0n where there is no further one. Whoever asks first gets the first, and one
 * read waits at a time: each takes a thread.
 */
export function nextStart() {
  const start = Buffer.alloc(8);
  const readOne = () => new Promise((resolve, reject) => {
    read(STARTS, start, 0, 8, null, (error, bytes) => {
      if (error) reject(error);
      else resolve(bytes === 8 ? start.readBigUInt64LE(0) : 0n);
    });
  });
  lastStart = lastStart.then(readOne, readOne);
  return lastStart;
}

/** The entries of a script, in their order. */
export class Script {
  constructor(path) {
    this.file = openSync(path, 'r');
    this.chunk = Buffer.alloc(CHUNK_BYTES);
    this.at = 0;
    this.end = 0;
  }

  /** The next entry; undefined at the end. */
  next() {
    if (!this.#has(12)) return undefined;
    const code = this.#number();
    const row = this.#number();
    const argument = this.#number();
    const kind = KINDS[code % COMMIT];
    const rows = kind === 'multi-read' || kind === 'open' ? this.#rows(argument) : undefined;
    return { kind, row, argument, rows, commits: code >= COMMIT };
  }

  #rows(count) {
    const rows = [];
    for (let at = 0; at < count && this.#has(4); at++) rows.push(this.#number());
    return rows;
  }

  #number() {
    const number = this.chunk.readUInt32LE(this.at);
    this.at += 4;
    return number;
  }

  #has(bytes) {
    if (this.end - this.at >= bytes) return true;
    this.chunk.copy(this.chunk, 0, this.at, this.end);
    this.end -= this.at;
    this.at = 0;
    for (;;) {
      const got = readSync(this.file, this.chunk, this.end, this.chunk.length - this.end, null);
      this.end += got;
      if (this.end >= bytes) return true;
      if (got === 0) return false;
    }
  }

  close() {
    closeSync(this.file);
  }
}

/** The records of a worker. */
export class Tape {
  constructor(path) {
    this.file = openSync(path, 'w');
    this.chunk = Buffer.alloc(CHUNK_BYTES);
    this.at = 0;
  }

  /** Notes an operation and the rows that it gave, each a key and a raw value, or undefined for none. */
  rows(start, end, outcome, rows) {
    this.#head(start, end, outcome, rows.length);
    for (const [key, value] of rows) {
      this.#room(8);
      this.at = this.chunk.writeUInt32LE(value === undefined ? 0 : crc32(key), this.at);
      this.at = this.chunk.writeUInt32LE(value === undefined ? 0 : crc32(value), this.at);
    }
  }

  /** Notes a failure. */
  failed(start, end, outcome, message) {
    const text = Buffer.from(message, 'utf8').subarray(0, 500);
    this.#head(start, end, outcome, text.length);
    this.#room(text.length);
    this.at += text.copy(this.chunk, this.at);
  }

  #head(start, end, outcome, count) {
    this.#room(HEAD_BYTES);
    this.at = this.chunk.writeBigUInt64LE(start, this.at);
    this.at = this.chunk.writeBigUInt64LE(end, this.at);
    this.at = this.chunk.writeUInt32LE(outcome, this.at);
    this.at = this.chunk.writeUInt32LE(count, this.at);
  }

  #room(bytes) {
    if (this.chunk.length - this.at < bytes) this.flush();
  }

  flush() {
    for (let at = 0; at < this.at; ) at += writeSync(this.file, this.chunk, at, this.at - at);
    this.at = 0;
  }

  close() {
    this.flush();
    closeSync(this.file);
  }
}

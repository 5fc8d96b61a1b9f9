// No store: it answers what is expected, and keeps what was written since the load in a Map. What is left is the language, the
// loop, values and tapes.

import { DONE, EXISTS, MISSING } from '../tape.mjs';
import { expect } from '../values.mjs';

export async function open(job, values) {
  expect(job, undefined, [], 'it has none');
  return new Echo(job, values);
}

class Echo {
  columns = false;

  libraries = {};

  capabilities = {
    operations: ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment'],
    key_types: ['int64'],
    max_connections: 1000,
  };

  constructor(job, values) {
    Object.assign(this, { rows: job.rows, values });
    this.call_reset();
  }

  /** All connections are one. */
  async connect() {
    return this;
  }

  #has(row) {
    return this.written.has(row) ? this.written.get(row) !== undefined : row < this.rows;
  }

  /** One that nobody wrote since the load is made anew. */
  #value(row) {
    if (this.written.has(row)) return this.written.get(row);
    return row < this.rows ? this.values.raw(this.values.fields(row, 0)) : undefined;
  }

  async load() {
    return DONE;
  }

  async insert(row, raw) {
    if (this.#has(row)) return EXISTS;
    this.highest = Math.max(this.highest, row + 1);
    this.written.set(row, raw);
    return DONE;
  }

  async update(row, raw) {
    if (!this.#has(row)) return MISSING;
    this.written.set(row, raw);
    return DONE;
  }

  async delete(row) {
    if (!this.#has(row)) return MISSING;
    this.written.set(row, undefined);
    return DONE;
  }

  async increment() {
    this.sum++;
    return DONE;
  }

  async commit() {}

  async read(row) {
    return this.#value(row);
  }

  async multiRead(rows) {
    return rows.map((row) => this.#value(row));
  }

  /** Rows that are there, from one on in steps, until there are so many. */
  #found(most, first, step) {
    const found = [];
    for (let row = first; row >= 0 && row < this.highest && found.length < most; row += step) {
      const raw = this.#value(row);
      if (raw !== undefined) found.push([row, raw]);
    }
    return found;
  }

  async scan() {
    return this.#found(this.highest, 0, 1);
  }

  async latest(most) {
    return this.#found(most, this.highest - 1, -1);
  }

  /** What was written is there in the next phase. */
  async close() {}

  async call_create() {
    return this.call_reset();
  }

  call_reset() {
    Object.assign(this, { written: new Map(), highest: this.rows, sum: 0 });
    return true;
  }

  async call_sum() {
    return { sum: this.sum };
  }
}

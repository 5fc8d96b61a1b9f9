// SQLite through better-sqlite3: a handle for each connection, whose calls block the event loop.

import { createRequire } from 'node:module';
import { join } from 'node:path';

import { expect } from '../values.mjs';
import { SqlLane, SqlStore, Table } from './sql.mjs';

const require = createRequire(import.meta.url);
/** In the order in which they must be set: a page's size before the first table, WAL before the level checked against it. */
const PRAGMAS = ['page_size', 'journal_mode', 'synchronous', 'cache_size', 'mmap_size', 'wal_autocheckpoint'];
const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
const TYPES = { int64: 'INTEGER', text: 'TEXT', bytes: 'BLOB' };

/** A handle as SQL stores take it; its statements are prepared once, and their rows are arrays. */
class Handle {
  prepared = new Map();

  constructor(path, timeout) {
    this.database = new (library())(path, { timeout });
  }

  async query(sql) {
    this.database.exec(sql);
  }

  #statement(text) {
    let statement = this.prepared.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text);
      if (statement.reader) statement.raw();
      this.prepared.set(text, statement);
    }
    return statement;
  }

  all(text, values) {
    return this.#statement(text).all(...values);
  }

  /** How many rows a write met. */
  run(text, values) {
    return this.#statement(text).run(...values).changes;
  }

  get inTransaction() {
    return this.database.inTransaction;
  }

  async end() {
    this.database.close();
  }
}

/** npm leaves it out where it can neither be fetched nor compiled. */
function library() {
  try {
    return require('better-sqlite3');
  } catch (error) {
    const [why] = String(error.message).split('\n');
    const needs = 'a C++ compiler, make and Python when the client is built';
    throw new Error(`better-sqlite3 is not here: ${why}; it needs ${needs}`);
  }
}

const BETTER_SQLITE3 = {
  library: 'better-sqlite3',
  duplicate: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  connect: (path, timeout) => new Handle(path, timeout),
};

export async function open(job, values, driver, by = BETTER_SQLITE3) {
  const advice = `it has ${PRAGMAS.join(', ')}, and text_type = text or string`;
  expect(job, 'dir', [...PRAGMAS, 'text_type'], advice);
  for (const [name, value] of Object.entries(job.settings)) {
    const isRight = name === 'text_type' ? ['text', 'string'].includes(value) : /^-?\w+$/.test(value);
    if (!isRight) throw new Error(`sqlite has no setting '${name}' = '${value}' here; ${advice}`);
  }
  if (by === BETTER_SQLITE3) library();
  return new Sqlite(job, by);
}

/**
 * Whose turn it is to write. A handle that waited inside the library for one of this process would keep the event loop from
 * the commit that it waits for.
 */
class Turn {
  holder = undefined;
  waiting = [];

  async take(lane) {
    while (this.holder !== undefined && this.holder !== lane) await new Promise((free) => this.waiting.push(free));
    this.holder = lane;
  }

  leave(lane) {
    if (this.holder !== lane) return;
    this.holder = undefined;
    this.waiting.shift()?.();
  }
}

class Lane extends SqlLane {
  /** From the first write of a transaction to its end no other connection writes. */
  async write(statement, values) {
    const { turn } = this.store;
    await turn.take(this);
    try {
      return await super.write(statement, values);
    } finally {
      if (!this.open) turn.leave(this);
    }
  }

  async commit() {
    try {
      await super.commit();
    } finally {
      this.store.turn.leave(this);
    }
  }
}

class Sqlite extends SqlStore {
  Lane = Lane;

  begin = 'BEGIN IMMEDIATE';

  turn = new Turn();

  constructor(job, { library: name, duplicate, connect }) {
    super(job, new Table(job, '"', () => '?'), { max_value_bytes: 1_000_000_000 });
    const { table } = this;
    table.load = table.insert.replace('INSERT', 'INSERT OR REPLACE');
    table.increment = `INSERT INTO ${table.counters} VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1`;
    // The first read takes the snapshot.
    this.snapshot = `BEGIN; SELECT ${table.key} FROM ${table.name} LIMIT 1`;
    Object.assign(this, { duplicate, open: connect });
    this.libraries = { [name]: require(`${name}/package.json`).version };
  }

  /** A handle with the pragmas of the job. */
  async client() {
    const { dir, settings, limits } = this.job;
    const patience = Math.max(1, Math.floor((limits?.operation_ns ?? 30e9) / 1e6));
    const client = await this.open(join(dir, 'data.sqlite'), patience);
    for (const name of PRAGMAS.filter((one) => settings[one] !== undefined)) {
      await client.query(`PRAGMA ${name} = ${settings[name]}`);
    }
    return client;
  }

  async rows(client, { text }, values = []) {
    return client.all(text, values);
  }

  matched(client, { text }, values) {
    return client.run(text, values);
  }

  endsTransaction(error, client) {
    return !client.inTransaction;
  }

  async call_info() {
    const [version, source] = await this.one('SELECT sqlite_version(), sqlite_source_id()');
    return { version, source };
  }

  async call_settings() {
    return this.with(async (client) => {
      const found = {};
      for (const name of PRAGMAS) {
        const [row] = await this.rows(client, { text: `PRAGMA ${name}` });
        if (row !== undefined) found[name] = name === 'synchronous' ? SYNCHRONOUS[row[0]] : String(row[0]);
      }
      return found;
    });
  }

  async call_create() {
    const { table } = this;
    const text = (this.job.settings.text_type ?? 'text').toUpperCase();
    const types = table.fields.map(({ type }, at) => (at > 0 && type === 'text' ? text : TYPES[type]));
    return this.run([...table.drop, ...table.create(types, 'INTEGER')]);
  }

  /** Pages of the database, those that are still in the write-ahead log too, times their size. */
  async call_size() {
    return { bytes: (await this.one('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'))[0] };
  }

  async call_check() {
    const [detail] = await this.one('PRAGMA integrity_check(1)');
    return { sound: detail === 'ok', detail };
  }
}

// SQLite through better-sqlite3: a handle for each connection, whose calls block the event loop.

import { createRequire } from 'node:module';
import { join } from 'node:path';

import { DONE, EXISTS } from '../tape.mjs';
import { SqlLane, SqlStore, Table, operations } from './sql.mjs';

const require = createRequire(import.meta.url);
/** In the order in which they must be set: a page's size before the first table, WAL before the level checked against it. */
const PRAGMAS = ['page_size', 'journal_mode', 'synchronous', 'cache_size', 'mmap_size', 'wal_autocheckpoint'];
const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
const TYPES = { int64: 'INTEGER', text: 'TEXT', bytes: 'BLOB' };
const DUPLICATE = 'SQLITE_CONSTRAINT_PRIMARYKEY';

/** The library; npm leaves it out where it can neither be fetched nor compiled. */
function library() {
  try {
    return require('better-sqlite3');
  } catch (error) {
    const [why] = String(error.message).split('\n');
    throw new Error(`better-sqlite3 is not here: ${why}; it needs a C++ compiler, make and Python when the client is built`);
  }
}

export async function open(job) {
  const { dir, settings } = job;
  if (dir === undefined) throw new Error("store 'sqlite' needs a folder: the job has no 'dir'");
  for (const [name, value] of Object.entries(settings)) {
    const isText = name === 'text_type' && ['text', 'string'].includes(value);
    if (!isText && !(PRAGMAS.includes(name) && /^-?\w+$/.test(value))) {
      throw new Error(`sqlite has no setting '${name}' = '${value}' here; it has ${PRAGMAS.join(', ')}, and text_type = text or string`);
    }
  }
  return new Sqlite(job, library());
}

/** A handle with what the tables of SQL ask of a connection. */
class Handle {
  constructor(database) {
    this.database = database;
    this.prepared = new Map();
  }

  query(sql) {
    this.database.exec(sql);
  }

  /** A statement, prepared once; its rows are arrays. */
  statement(text) {
    let statement = this.prepared.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text);
      if (statement.reader) statement.raw();
      this.prepared.set(text, statement);
    }
    return statement;
  }

  async end() {
    this.database.close();
  }
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

class Sqlite extends SqlStore {
  duplicate = DUPLICATE;
  turn = new Turn();

  constructor(job, Database) {
    super();
    Object.assign(this, { job, Database, table: new Table(job, '"', () => '?') });
    this.libraries = { 'better-sqlite3': require('better-sqlite3/package.json').version };
    this.capabilities = {
      operations: operations(this.table),
      transactions: true,
      read_scopes: ['each', 'snapshot'],
      max_connections: 256,
      max_value_bytes: 1_000_000_000,
    };
  }

  /** A handle with the pragmas of the job. */
  async client() {
    const { dir, settings, limits } = this.job;
    const patience = Math.max(1, Math.floor((limits?.operation_ns ?? 30e9) / 1e6));
    const database = new this.Database(join(dir, 'data.sqlite'), { timeout: patience });
    for (const name of PRAGMAS) if (settings[name] !== undefined) database.pragma(`${name} = ${settings[name]}`);
    return new Handle(database);
  }

  async connect(phase) {
    const client = await this.client();
    // The first read takes the snapshot.
    if (phase.read_scope === 'snapshot') client.query(`BEGIN; SELECT ${this.table.key} FROM ${this.table.name} LIMIT 1`);
    return new Lane(this, client, phase);
  }

  async rows(client, sql) {
    return client.statement(sql).all();
  }

  async call_info() {
    const [version, source] = await this.one('SELECT sqlite_version(), sqlite_source_id()');
    return { version, source };
  }

  async call_settings() {
    return this.with(async ({ database }) => {
      const found = {};
      for (const name of PRAGMAS) {
        const value = database.pragma(name, { simple: true });
        if (value !== undefined) found[name] = name === 'synchronous' ? SYNCHRONOUS[value] : String(value);
      }
      return found;
    });
  }

  async call_create() {
    const { table } = this;
    const text = (this.job.settings.text_type ?? 'text').toUpperCase();
    const columns = table.columns.map((column, at) => {
      const { type } = table.fields[at];
      return `${column} ${at > 0 && type === 'text' ? text : TYPES[type]}${at === 0 ? ' PRIMARY KEY' : ''}`;
    });
    await this.call_reset();
    await this.with(async (client) => {
      client.query(`CREATE TABLE ${table.name} (${columns.join(', ')})`);
      client.query(`CREATE TABLE ${table.counters} (id INTEGER PRIMARY KEY, count INTEGER NOT NULL)`);
      for (const column of table.indexed()) {
        client.query(`CREATE INDEX "${table.plain}_${column.slice(1, -1)}" ON ${table.name} (${column})`);
      }
    });
    return true;
  }

  async call_reset() {
    const { name, counters } = this.table;
    await this.with(async (client) => client.query(`DROP TABLE IF EXISTS ${name}; DROP TABLE IF EXISTS ${counters}`));
    return true;
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

class Lane extends SqlLane {
  begin = 'BEGIN IMMEDIATE';

  constructor(store, client, phase) {
    super(store, client, phase, false,
      `INSERT INTO ${store.table.counters} VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1`);
    this.sql.load = { text: this.table.insert.replace('INSERT', 'INSERT OR REPLACE') };
  }

  async rows(client, { text }, values) {
    return client.statement(text).all(...values);
  }

  async matched({ text }, values) {
    return this.client.statement(text).run(...values).changes;
  }

  endsTransaction() {
    return !this.client.database.inTransaction;
  }

  /** From the first write of a transaction to its end no other connection writes. */
  async write(statement, values) {
    const { turn } = this.store;
    await turn.take(this);
    try {
      return await super.write(statement, values);
    } finally {
      if (!this.transaction.open) turn.leave(this);
    }
  }

  async commit() {
    try {
      await super.commit();
    } finally {
      this.store.turn.leave(this);
    }
  }

  async load(key, fields) {
    await this.write(this.sql.load, [key, ...fields]);
    return DONE;
  }

  async insert(key, fields) {
    try {
      await this.write(this.sql.insert, [key, ...fields]);
      return DONE;
    } catch (error) {
      if (this.isDuplicate(error)) return EXISTS;
      throw error;
    }
  }
}

// PostgreSQL through pg: named prepared statements on a connection a worker.

import { createRequire } from 'node:module';

import pg from 'pg';

import { DONE, EXISTS, MISSING } from '../tape.mjs';
import { Table, Transaction, inOrder, operations } from './sql.mjs';

const { version } = createRequire(import.meta.url)('pg/package.json');

const TYPES = { int64: 'BIGINT', text: 'TEXT', bytes: 'BYTEA' };
const DUPLICATE = '23505';
const INT8 = 20;
const NUMERIC = 1700;
/** Settings that decide what is kept and what it costs. */
const SETTINGS = [
  'autovacuum', 'checkpoint_timeout', 'commit_delay', 'fsync', 'full_page_writes', 'max_connections', 'max_wal_size',
  'shared_buffers', 'synchronous_commit', 'wal_level', 'wal_sync_method', 'wal_writer_delay',
];
/** Integers as numbers: those that a study writes are below 2^53. */
const types = {
  getTypeParser: (oid, format) => (oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format)),
};

export async function open(job) {
  if (job.url === undefined) throw new Error("store 'postgres' needs a running server: the job has no 'url'");
  const unlogged = job.candidate.variant === 'unlogged';
  const given = Object.keys(job.settings).filter((name) => name !== 'synchronous_commit');
  if (given.length > 0) throw new Error(`postgres has no setting '${given[0]}' in the Node client`);
  return new Postgres(job, unlogged);
}

class Postgres {
  columns = true;

  libraries = { pg: version };

  constructor(job, unlogged) {
    Object.assign(this, { job, unlogged, table: new Table(job, '"', (at) => `$${at + 1}`) });
    this.capabilities = {
      operations: operations(this.table),
      transactions: true,
      read_scopes: ['each', 'snapshot'],
      max_connections: 256,
      processes: true,
      passes: false,
      max_value_bytes: (1 << 30) - 1024,
    };
  }

  async client() {
    const options = ['-c client_min_messages=warning'];
    const { synchronous_commit: commit } = this.job.settings;
    if (commit !== undefined) options.push(`-c synchronous_commit=${commit}`);
    const client = new pg.Client({
      connectionString: this.job.url,
      options: options.join(' '),
      connectionTimeoutMillis: 30_000,
      types,
    });
    // An error between two statements is told by the next one.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async connect(phase) {
    const client = await this.client();
    if (phase.read_scope === 'snapshot') await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return new Lane(this, client, phase);
  }

  async with(work) {
    const client = await this.client();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async one(text) {
    return this.with(async (client) => (await client.query({ text, rowMode: 'array' })).rows[0]);
  }

  async call_ping() {
    await this.one('SELECT 1');
    return true;
  }

  async call_info() {
    const [told, build] = await this.one("SELECT current_setting('server_version'), version()");
    return { version: told, build };
  }

  async call_settings() {
    return this.with(async (client) => {
      const text = 'SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1)';
      const { rows } = await client.query({ text, values: [SETTINGS], rowMode: 'array' });
      const kind = await client.query({
        text: 'SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass($1)', values: [this.table.name], rowMode: 'array',
      });
      const found = Object.fromEntries(rows);
      if (kind.rows.length > 0) [[found.relpersistence]] = kind.rows;
      return found;
    });
  }

  async call_create() {
    const { table } = this;
    const kind = this.unlogged ? 'UNLOGGED TABLE' : 'TABLE';
    // Text is compared by bytes, as in the other stores.
    const collate = (type) => (type === 'text' ? ' COLLATE "C"' : '');
    const columns = table.columns.map((column, at) => {
      const { type } = table.fields[at];
      return `${column} ${TYPES[type]}${collate(type)} ${at === 0 ? 'PRIMARY KEY' : 'NOT NULL'}`;
    });
    const statements = [
      table.drop,
      `CREATE ${kind} ${table.name} (${columns.join(', ')})`,
      ...table.indexed().map((column) => `CREATE INDEX ON ${table.name} (${column})`),
      `CREATE ${kind} ${table.counters} (id BIGINT PRIMARY KEY, count BIGINT NOT NULL)`,
    ];
    await this.with((client) => client.query(statements.join('; ')));
    return true;
  }

  async call_reset() {
    await this.with((client) => client.query(this.table.drop));
    return true;
  }

  async call_count() {
    return { rows: (await this.one(this.table.count))[0] };
  }

  async call_sum() {
    return { sum: (await this.one(`SELECT COALESCE(SUM(count), 0)::BIGINT FROM ${this.table.counters}`))[0] };
  }

  async call_size() {
    return { bytes: (await this.one(`SELECT pg_total_relation_size('${this.table.name.replaceAll("'", "''")}')`))[0] };
  }
}

class Lane {
  constructor(store, client, phase) {
    Object.assign(this, { store, client, table: store.table, transaction: new Transaction(phase.commit_every) });
    this.sql = {
      update: this.table.update(true),
      search: phase.search_field === undefined ? undefined : this.table.search(phase.search_field),
      increment: `INSERT INTO ${this.table.counters} AS c VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET count = c.count + 1`,
    };
  }

  async #query(name, text, values) {
    return this.client.query({ name, text, values, rowMode: 'array' });
  }

  async #write(name, text, values) {
    const { transaction } = this;
    if (transaction.mustBegin()) {
      await this.client.query('BEGIN');
      transaction.open = true;
    }
    try {
      return (await this.#query(name, text, values)).rowCount;
    } catch (error) {
      const wasOpen = transaction.open;
      transaction.failed(error);
      if (wasOpen) await this.client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async load(key, fields) {
    await this.#write('insert', this.table.insert, [key, ...fields]);
    return DONE;
  }

  /** A duplicate key ends a transaction, so it is asked for without an error where there is one. */
  async insert(key, fields) {
    if (this.transaction.together) {
      const text = `${this.table.insert} ON CONFLICT DO NOTHING`;
      return (await this.#write('insert-new', text, [key, ...fields])) > 0 ? DONE : EXISTS;
    }
    try {
      return await this.load(key, fields);
    } catch (error) {
      if (error.code === DUPLICATE) return EXISTS;
      throw error;
    }
  }

  async update(key, fields) {
    return (await this.#write('update', this.sql.update, [key, ...fields])) > 0 ? DONE : MISSING;
  }

  async delete(key) {
    return (await this.#write('delete', this.table.delete, [key])) > 0 ? DONE : MISSING;
  }

  async increment(row) {
    await this.#write('increment', this.sql.increment, [row]);
    return DONE;
  }

  async commit() {
    if (this.transaction.end()) await this.client.query('COMMIT');
  }

  async read(key) {
    return (await this.#query('select', this.table.select, [key])).rows[0];
  }

  async #rows(name, text, values) {
    const { rows } = await this.#query(name, text, values);
    return rows.map(([key, ...fields]) => [key, fields]);
  }

  async multiRead(keys) {
    return inOrder(keys, await this.#rows(`many-${keys.length}`, this.table.many(keys.length), keys));
  }

  scan() {
    return this.#rows('scan', this.table.scan, []);
  }

  latest(rows) {
    return this.#rows('latest', this.table.latest, [rows]);
  }

  search(low, high) {
    return this.#rows('search', this.sql.search, [low, high]);
  }

  async openAndRead(keys) {
    return this.store.with(async (client) => {
      const found = [];
      for (const key of keys) {
        found.push((await client.query({ text: this.table.select, values: [key], rowMode: 'array' })).rows[0]);
      }
      return found;
    });
  }

  async close() {
    await this.client.end().catch(() => {});
  }
}

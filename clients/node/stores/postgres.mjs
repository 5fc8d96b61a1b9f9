// PostgreSQL through pg: named prepared statements on a connection a worker.

import { createRequire } from 'node:module';

import pg from 'pg';

import { expect } from '../values.mjs';
import { SqlLane, SqlStore, Table } from './sql.mjs';

const { version } = createRequire(import.meta.url)('pg/package.json');

/** Text is compared by bytes, as in the other stores. */
const TYPES = { int64: 'BIGINT', text: 'TEXT COLLATE "C"', bytes: 'BYTEA' };
const INT8 = 20;
const NUMERIC = 1700;
/** Settings that decide what is kept and what it costs. */
const SETTINGS = [
  'autovacuum', 'checkpoint_timeout', 'commit_delay', 'data_checksums', 'effective_cache_size', 'fsync',
  'full_page_writes', 'huge_pages', 'io_method', 'jit', 'max_connections', 'max_wal_size', 'random_page_cost',
  'shared_buffers', 'synchronous_commit', 'transaction_read_only', 'wal_compression', 'wal_level', 'wal_sync_method',
  'wal_writer_delay',
];
/** Integers as numbers: those that a study writes are below 2^53. */
const types = {
  getTypeParser: (oid, format) => (oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format)),
};

export async function open(job) {
  expect(job, 'url', ['synchronous_commit'], 'it has synchronous_commit; give the server arguments for others');
  return new Postgres(job, job.candidate.variant === 'unlogged');
}

class Postgres extends SqlStore {
  Lane = SqlLane;

  libraries = { pg: version };

  duplicate = '23505';

  snapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

  constructor(job, unlogged) {
    const capabilities = { processes: true, passes: false, max_value_bytes: (1 << 30) - 1024 };
    super(job, new Table(job, '"', (at) => `$${at + 1}`), capabilities);
    const { table } = this;
    table.increment = `INSERT INTO ${table.counters} AS c VALUES ($1, 1) `
      + 'ON CONFLICT (id) DO UPDATE SET count = c.count + 1';
    this.unlogged = unlogged;
  }

  /** A duplicate key ends a transaction, so it is asked for without an error where there is one. */
  texts(phase) {
    const all = super.texts(phase);
    return phase.commit_every > 1 ? { ...all, insert: `${all.insert} ON CONFLICT DO NOTHING` } : all;
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

  async rows(client, { name, text }, values) {
    return (await client.query({ name, text, values, rowMode: 'array' })).rows;
  }

  async matched(client, { name, text }, values) {
    return (await client.query({ name, text, values, rowMode: 'array' })).rowCount;
  }

  async call_info() {
    const [told, build] = await this.one("SELECT current_setting('server_version'), version()");
    return { version: told, build };
  }

  async call_settings() {
    const text = 'SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1) UNION ALL '
      + "SELECT 'relpersistence', relpersistence::text FROM pg_class WHERE oid = to_regclass($2)";
    const values = [SETTINGS, this.table.name];
    return this.with(async (client) => Object.fromEntries(await this.rows(client, { text }, values)));
  }

  async call_create() {
    const types = this.table.fields.map(({ type }) => `${TYPES[type]} NOT NULL`);
    const made = this.table.create(types, 'BIGINT', this.unlogged ? 'UNLOGGED TABLE' : 'TABLE');
    return this.run([...this.table.drop, ...made]);
  }

  async call_size() {
    return { bytes: (await this.one(`SELECT pg_total_relation_size('${this.table.name}')`))[0] };
  }
}

// PostgreSQL through pg: named prepared statements on a connection a worker.

import { createRequire } from 'node:module';

import pg from 'pg';

import { DONE, EXISTS } from '../tape.mjs';
import { SqlLane, SqlStore, Table, operations } from './sql.mjs';

const { version } = createRequire(import.meta.url)('pg/package.json');

const TYPES = { int64: 'BIGINT', text: 'TEXT', bytes: 'BYTEA' };
const DUPLICATE = '23505';
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
  if (job.url === undefined) throw new Error("store 'postgres' needs a running server: the job has no 'url'");
  const unlogged = job.candidate.variant === 'unlogged';
  const given = Object.keys(job.settings).filter((name) => name !== 'synchronous_commit');
  if (given.length > 0) throw new Error(`postgres has no setting '${given[0]}' in the Node client`);
  return new Postgres(job, unlogged);
}

class Postgres extends SqlStore {
  libraries = { pg: version };

  duplicate = DUPLICATE;

  constructor(job, unlogged) {
    super();
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

  async rows(client, text) {
    return (await client.query({ text, rowMode: 'array' })).rows;
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

  async call_size() {
    return { bytes: (await this.one(`SELECT pg_total_relation_size('${this.table.name.replaceAll("'", "''")}')`))[0] };
  }
}

class Lane extends SqlLane {
  constructor(store, client, phase) {
    super(store, client, phase, true,
      `INSERT INTO ${store.table.counters} AS c VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET count = c.count + 1`);
    this.sql.insertNew = { name: 'insert-new', text: `${this.table.insert} ON CONFLICT DO NOTHING` };
  }

  async rows(client, { name, text }, values) {
    return (await client.query({ name, text, values, rowMode: 'array' })).rows;
  }

  async matched({ name, text }, values) {
    return (await this.client.query({ name, text, values, rowMode: 'array' })).rowCount;
  }

  /** A duplicate key ends a transaction, so it is asked for without an error where there is one. */
  async insert(key, fields) {
    if (!this.transaction.together) return super.insert(key, fields);
    return (await this.write(this.sql.insertNew, [key, ...fields])) > 0 ? DONE : EXISTS;
  }
}

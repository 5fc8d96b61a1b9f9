// PostgreSQL through pg and its pool.

import { createRequire } from 'node:module';

import pg from 'pg';

import { SqlStore, Table } from './sql.mjs';

const { version } = createRequire(import.meta.url)('pg/package.json');
const CONNECTIONS = 10;
const DUPLICATE = '23505';
const INT8 = 20;
/** Settings that decide what is kept and what it costs. */
const SETTINGS = [
  'autovacuum', 'checkpoint_timeout', 'commit_delay', 'fsync', 'full_page_writes', 'max_connections', 'max_wal_size',
  'shared_buffers', 'synchronous_commit', 'transaction_read_only', 'wal_level', 'wal_sync_method', 'wal_writer_delay',
];
/** Integers as numbers: those that a study writes are below 2^53. */
const types = { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) };

export async function open(job) {
  const { synchronous_commit: commit } = job.settings;
  const pool = new pg.Pool({
    connectionString: job.url,
    options: ['-c client_min_messages=warning', ...(commit === undefined ? [] : [`-c synchronous_commit=${commit}`])].join(' '),
    max: CONNECTIONS,
    types,
  });
  pool.on('error', () => {});
  return new Postgres(job, pool);
}

class Postgres extends SqlStore {
  constructor(job, pool) {
    const typeOf = ({ type }) => (type === 'int64' ? 'BIGINT' : 'TEXT COLLATE "C"');
    const table = new Table(job, '"', (at) => `$${at + 1}`, typeOf);
    if (job.candidate.variant === 'unlogged') table.create = table.create.map((text) => text.replace('CREATE', 'CREATE UNLOGGED'));
    const increment = `INSERT INTO ${table.counters} AS c VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET n = c.n + 1`;
    super(table, increment, (error) => error.code === DUPLICATE);
    Object.assign(this, { pool });
  }

  async ask(text, values) {
    const { rows, rowCount } = await this.pool.query(text, values);
    return { rows, met: rowCount };
  }

  async settings() {
    const { rows } = await this.ask('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [SETTINGS]);
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  }

  async info() {
    const { rows } = await this.ask("SELECT current_setting('server_version') AS version", []);
    return { version: rows[0].version, pg: version };
  }

  close() {
    return this.pool.end();
  }
}

// MySQL, and what speaks as it does, through mysql2: prepared statements on a connection a worker.

import { createRequire } from 'node:module';

import { expect } from '../values.mjs';
import { SqlLane, SqlStore, Table } from './sql.mjs';

const require = createRequire(import.meta.url);
/** The library: a connection with `query` and `execute`, which give `[result]` with rows as arrays, and with `end`. */
const MYSQL2 = {
  library: 'mysql2',
  async connect(options) {
    const { createConnection } = require('mysql2/promise');
    const client = await createConnection({ ...options, rowsAsArray: true, supportBigNumbers: true });
    // An error between two statements is told by the next one.
    client.on('error', () => {});
    return client;
  },
};
const ENGINES = {
  innodb: 'InnoDB', myisam: 'MyISAM', aria: 'Aria', rocksdb: 'ROCKSDB', archive: 'ARCHIVE', blackhole: 'BLACKHOLE',
};
/** What engines can do that cannot do everything. */
const PARTS = {
  ARCHIVE: {
    operations: ['load', 'insert', 'read', 'scan', 'latest', 'multi-read', 'open'],
    insert: 'upsert',
    key_types: ['int64'],
  },
  // An increment is the UPDATE, which meets no row.
  BLACKHOLE: { operations: ['load', 'insert', 'increment'], insert: 'upsert' },
};
const TRANSACTIONAL = ['InnoDB', 'ROCKSDB'];
const SHORT_BYTES = 255;
/** Settings that decide what is kept and what it costs. */
const SETTINGS = [
  'aria_group_commit', 'aria_pagecache_buffer_size', 'aria_sync_log_dir', 'binlog_format', 'binlog_row_image',
  'delay_key_write', 'innodb_adaptive_hash_index', 'innodb_buffer_pool_size', 'innodb_change_buffering',
  'innodb_doublewrite', 'innodb_flush_log_at_timeout', 'innodb_flush_log_at_trx_commit', 'innodb_flush_method',
  'innodb_io_capacity', 'innodb_log_buffer_size', 'innodb_log_file_size', 'innodb_redo_log_capacity',
  'innodb_use_fdatasync', 'key_buffer_size', 'log_bin', 'max_allowed_packet', 'max_connections',
  'myisam_recover_options', 'performance_schema', 'read_only', 'rocksdb_block_cache_size',
  'rocksdb_flush_log_at_trx_commit', 'rocksdb_manual_wal_flush', 'rocksdb_write_disable_wal', 'sync_binlog',
  'transaction_isolation', 'tx_isolation',
];

/** The mode of every session, whatever that of the server is; row 0 of an archive keeps its number. */
const SQL_MODE = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,'
  + 'NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION';

export async function open(job, values, driver, library = MYSQL2) {
  const { store, variant = 'innodb' } = job.candidate;
  if (ENGINES[variant] === undefined) throw new Error(`the Node client has no variant '${variant}' of ${store}`);
  expect(job, 'url', [], 'give the server arguments');
  return new Mysql(job, values, ENGINES[variant], library);
}

/** A limit must be an integer, which a parameter of these libraries is not. */
class Lane extends SqlLane {
  /**
   * Adds to a counter, and makes it where it is not there. In a longer transaction an UPDATE that meets no row locks the
   * gap, and others that make counters there wait for it.
   */
  async add(row) {
    if (!this.together && ((await this.write(this.sql.add, [row])) > 0 || this.store.engine === 'BLACKHOLE')) return;
    await super.add(row);
  }

  latest(rows) {
    return this.pairs({ text: this.table.latest.replace('?', String(Number(rows))) }, []);
  }
}

class Mysql extends SqlStore {
  Lane = Lane;

  duplicate = 'ER_DUP_ENTRY';

  snapshot = 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY';

  constructor(job, values, engine, { library, connect }) {
    const part = PARTS[engine];
    super(job, new Table(job, '`', () => '?'), { processes: true, passes: false, max_value_bytes: 60 << 20, ...part });
    const { table } = this;
    table.add = `UPDATE ${table.counters} SET count = count + 1 WHERE id = ?`;
    table.increment = `INSERT INTO ${table.counters} VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1`;
    Object.assign(this, { values, engine, open: connect });
    this.libraries = { [library]: require(`${library}/package.json`).version };
    // What cannot be counted has no such call.
    if (engine === 'BLACKHOLE') this.call_count = undefined;
    if (part !== undefined) this.call_sum = undefined;
    const lacking = { transactions: false, read_scopes: ['each'] };
    if (!TRANSACTIONAL.includes(engine)) Object.assign(this.capabilities, lacking);
  }

  async client() {
    const url = new URL(this.job.url);
    const client = await this.open({
      host: url.hostname,
      port: Number(url.port || 3306),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1) || undefined,
      socketPath: url.searchParams.get('socket') ?? undefined,
      charset: 'utf8mb4',
      connectTimeout: 30_000,
    });
    await client.query(`SET SESSION sql_mode = '${SQL_MODE}'`);
    return client;
  }

  /** Prepared where it has values. */
  async rows(client, { text }, values) {
    return (await (values === undefined ? client.query(text) : client.execute(text, values)))[0];
  }

  async matched(client, { text }, values) {
    return (await client.execute(text, values))[0].affectedRows;
  }

  isDeadlock(error) {
    return error.code === 'ER_LOCK_DEADLOCK';
  }

  endsTransaction(error) {
    return error.code !== this.duplicate;
  }

  async call_info() {
    const [version, build] = await this.one('SELECT VERSION(), @@version_comment');
    return { version, build };
  }

  async call_settings() {
    const names = SETTINGS.map((name) => `'${name}'`).join(', ');
    const { plain } = this.table;
    return this.with(async (client) => {
      const found = [
        ...await this.rows(client, { text: `SHOW GLOBAL VARIABLES WHERE variable_name IN (${names})` }),
        ...await this.rows(client, { text: "SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'" }),
      ].map(([name, value]) => [name.toLowerCase(), String(value)]);
      const where = `table_schema = DATABASE() AND table_name = '${plain}'`;
      const [engine] = await this.rows(client, { text: `SELECT engine FROM information_schema.tables WHERE ${where}` });
      if (engine?.[0]) found.push(['engine', engine[0].toLowerCase()]);
      return Object.fromEntries(found);
    });
  }

  async call_create() {
    const { table, values, engine } = this;
    const [key, ...parts] = table.fields;
    const keyLen = key.type === 'text' ? Buffer.byteLength(values.key(0), 'utf8') : 0;
    const isAscii = keyLen === values.key(0).length;
    const keyType = isAscii ? `VARCHAR(${keyLen}) CHARACTER SET ascii COLLATE ascii_bin` : `VARBINARY(${keyLen})`;
    const types = [key.type === 'int64' ? 'BIGINT' : keyType, ...parts.map(typeOf)].map((type) => `${type} NOT NULL`);
    const end = ` ENGINE=${engine} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
    let made = table.create(types, 'BIGINT', 'TABLE', end);
    if (engine === 'BLACKHOLE') made.pop();
    if (engine === 'ARCHIVE') {
      // The one index that it can have is on a number that counts up.
      made = [made[0].replace('NOT NULL', 'NOT NULL AUTO_INCREMENT').replace('PRIMARY KEY (', 'KEY (')];
    }
    return this.run([...table.drop, ...made]);
  }
}

function typeOf({ type, len_bytes: len = 0 }) {
  if (type === 'int64') return 'BIGINT';
  const text = type === 'text';
  if (len <= SHORT_BYTES) return `${text ? 'VARCHAR' : 'VARBINARY'}(${Math.max(len, 1)})`;
  const size = len <= 0xffff ? '' : len < 1 << 24 ? 'MEDIUM' : 'LONG';
  return size + (text ? 'TEXT' : 'BLOB');
}

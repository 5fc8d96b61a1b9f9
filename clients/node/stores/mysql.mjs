// MySQL and MariaDB through mysql2: prepared statements on a connection a worker.

import { createRequire } from 'node:module';

import mysql from 'mysql2/promise';

import { SqlLane, SqlStore, Table, operations } from './sql.mjs';

const { version } = createRequire(import.meta.url)('mysql2/package.json');

const ENGINES = {
  innodb: 'InnoDB', myisam: 'MyISAM', aria: 'Aria', rocksdb: 'ROCKSDB', archive: 'ARCHIVE', blackhole: 'BLACKHOLE',
};
/** What engines can do that cannot do everything. */
const PARTS = {
  ARCHIVE: ['load', 'insert', 'read', 'scan', 'latest', 'multi-read', 'open'],
  BLACKHOLE: ['load', 'insert'],
};
const SHORT_BYTES = 255;
const DEADLOCK = 'ER_LOCK_DEADLOCK';
const DUPLICATE = 'ER_DUP_ENTRY';
const RETRIES = 1000;
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

export async function open(job, values) {
  const engine = ENGINES[job.candidate.variant ?? 'innodb'];
  if (engine === undefined) throw new Error(`the Node client has no variant '${job.candidate.variant}' of ${job.candidate.store}`);
  const [given] = Object.keys(job.settings);
  if (given !== undefined) throw new Error(`${job.candidate.store} has no setting '${given}'; give the server arguments`);
  if (job.url === undefined) throw new Error(`store '${job.candidate.store}' needs a running server: the job has no 'url'`);
  return new Mysql(job, values, engine);
}

class Mysql extends SqlStore {
  libraries = { mysql2: version };

  duplicate = DUPLICATE;

  constructor(job, values, engine) {
    super();
    Object.assign(this, { job, values, engine, table: new Table(job, '`', () => '?') });
    // What cannot be counted has no such call.
    if (engine === 'BLACKHOLE') this.call_count = undefined;
    if (PARTS[engine] !== undefined) this.call_sum = undefined;
    const transactions = engine === 'InnoDB' || engine === 'ROCKSDB';
    this.isFull = PARTS[engine] === undefined;
    this.capabilities = {
      operations: PARTS[engine] ?? operations(this.table),
      insert: this.isFull ? 'exists' : 'upsert',
      ...(engine === 'ARCHIVE' ? { key_types: ['int64'] } : {}),
      transactions,
      read_scopes: transactions ? ['each', 'snapshot'] : ['each'],
      max_connections: 256,
      processes: true,
      passes: false,
      max_value_bytes: 60 << 20,
    };
  }

  async client() {
    const url = new URL(this.job.url);
    const socketPath = url.searchParams.get('socket') ?? undefined;
    const client = await mysql.createConnection({
      host: url.hostname,
      port: Number(url.port || 3306),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1) || undefined,
      socketPath,
      charset: 'utf8mb4',
      rowsAsArray: true,
      supportBigNumbers: true,
      connectTimeout: 30_000,
    });
    await client.query(`SET SESSION sql_mode = '${SQL_MODE}'`);
    return client;
  }

  async connect(phase) {
    const client = await this.client();
    if (phase.read_scope === 'snapshot') await client.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    return new Lane(this, client, phase);
  }

  async rows(client, sql) {
    return (await client.query(sql))[0];
  }

  async call_info() {
    const [told, build] = await this.one('SELECT VERSION(), @@version_comment');
    const isMariadb = /mariadb/i.test(`${told} ${build}`);
    if (isMariadb !== (this.job.candidate.store === 'mariadb')) {
      const other = isMariadb ? 'MariaDB' : 'MySQL';
      throw new Error(`the server is ${other}; for it there is the store '${other.toLowerCase()}'`);
    }
    return { version: told, build };
  }

  async call_settings() {
    return this.with(async (client) => {
      const names = SETTINGS.map((name) => `'${name}'`).join(', ');
      const [rows] = await client.query(`SHOW GLOBAL VARIABLES WHERE variable_name IN (${names})`);
      const [status] = await client.query("SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'");
      const found = [...rows, ...status].map(([name, value]) => [name.toLowerCase(), String(value)]);
      const [[engine]] = await client.query(
        'SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?', [this.table.plain]);
      if (engine?.[0]) found.push(['engine', engine[0].toLowerCase()]);
      return Object.fromEntries(found);
    });
  }

  async call_create() {
    const { table, values, engine } = this;
    const [key, ...parts] = table.fields;
    const keyLen = key.type === 'text' ? Buffer.byteLength(values.key(0), 'utf8') : 0;
    const isAscii = keyLen === values.key(0).length;
    const types = [
      key.type === 'int64' ? 'BIGINT' : isAscii ? `VARCHAR(${keyLen}) CHARACTER SET ascii COLLATE ascii_bin` : `VARBINARY(${keyLen})`,
      ...parts.map(typeOf),
    ];
    const columns = table.columns.map((column, at) => `${column} ${types[at]} NOT NULL`);
    // The one index that an archive can have is on a number that counts up.
    const isArchive = engine === 'ARCHIVE';
    if (isArchive) columns[0] += ' AUTO_INCREMENT';
    const keys = isArchive ? [`KEY (${table.key})`]
      : [`PRIMARY KEY (${table.key})`, ...table.indexed().map((column) => `KEY (${column})`)];
    await this.with(async (client) => {
      await client.query(table.drop);
      await client.query(`CREATE TABLE ${table.name} (${[...columns, ...keys].join(', ')}) ENGINE=${engine} `
        + 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
      if (!this.isFull) return;
      await client.query(`CREATE TABLE ${table.counters} (id BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (id)) ENGINE=${engine}`);
    });
    return true;
  }
}

function typeOf({ type, len_bytes: len = 0 }) {
  if (type === 'int64') return 'BIGINT';
  const text = type === 'text';
  if (len <= SHORT_BYTES) return `${text ? 'VARCHAR' : 'VARBINARY'}(${Math.max(len, 1)})`;
  const size = len <= 0xffff ? '' : len < 1 << 24 ? 'MEDIUM' : 'LONG';
  return size + (text ? 'TEXT' : 'BLOB');
}

class Lane extends SqlLane {
  constructor(store, client, phase) {
    super(store, client, phase, false,
      `INSERT INTO ${store.table.counters} VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1`);
  }

  async rows(client, { text }, values) {
    return (await client.execute(text, values))[0];
  }

  async matched({ text }, values) {
    return (await this.client.execute(text, values))[0].affectedRows;
  }

  endsTransaction(error) {
    return !this.isDuplicate(error);
  }

  async increment(row) {
    for (let turn = 0; ; turn++) {
      try {
        return await super.increment(row);
      } catch (error) {
        // Connections that make the same counters may deadlock; nothing was written.
        if (error.code !== DEADLOCK || this.transaction.together || turn >= RETRIES) throw error;
      }
    }
  }

  latest(rows) {
    // A limit must be an integer, which a parameter of this driver is not.
    return this.pairs({ text: this.table.latest.replace('?', String(Number(rows))) }, []);
  }
}

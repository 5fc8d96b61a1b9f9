// MariaDB and MySQL through a pool of connections: mysql2, or the older library mysql.

import { createRequire } from 'node:module';

import { SqlStore, Table } from './sql.mjs';

const require = createRequire(import.meta.url);
const CONNECTIONS = 10;
const ENGINES = { innodb: 'InnoDB', myisam: 'MyISAM', aria: 'Aria', rocksdb: 'ROCKSDB' };
/** Up to so many bytes a text is a VARCHAR. */
const SHORT_BYTES = 255;
/** Settings that decide what is kept and what it costs. */
const SETTINGS = [
  'innodb_buffer_pool_size', 'innodb_doublewrite', 'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'log_bin',
  'max_connections', 'sync_binlog', 'key_buffer_size', 'delay_key_write', 'myisam_recover_options', 'performance_schema', 'read_only',
  'aria_group_commit', 'aria_pagecache_buffer_size', 'aria_sync_log_dir', 'innodb_log_file_size', 'innodb_redo_log_capacity',
  'rocksdb_flush_log_at_trx_commit', 'rocksdb_write_disable_wal', 'rocksdb_manual_wal_flush', 'rocksdb_block_cache_size',
  'max_allowed_packet', 'binlog_format', 'binlog_row_image', 'transaction_isolation', 'tx_isolation',
];

export async function open(job, driver) {
  const engine = ENGINES[job.candidate.variant ?? 'innodb'];
  if (engine === undefined) throw new Error(`the variant '${job.candidate.variant}' is not served here`);
  const url = new URL(job.url);
  const pool = {
    host: url.hostname,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
    charset: 'utf8mb4',
    connectionLimit: CONNECTIONS,
  };
  const library = driver === 'mysql' ? 'mysql' : 'mysql2';
  return new Mysql(job, engine, library, require(library).createPool(pool));
}

class Mysql extends SqlStore {
  constructor(job, engine, library, pool) {
    const typeOf = ({ type, len_bytes: len }, isKey) => {
      if (type === 'int64') return 'BIGINT';
      if (isKey) return 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
      const short = len <= SHORT_BYTES;
      return `${short ? `VARCHAR(${Math.max(len, 1)})` : 'MEDIUMTEXT'} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
    };
    const table = new Table(job, '`', () => '?', typeOf, ` ENGINE=${engine}`);
    const increment = `INSERT INTO ${table.counters} VALUES (?, 1) ON DUPLICATE KEY UPDATE n = n + 1`;
    super(table, increment, (error) => error.code === 'ER_DUP_ENTRY');
    Object.assign(this, { library, pool, namespace: job.namespace });
  }

  ask(text, values) {
    return new Promise((resolve, reject) => {
      this.pool.query(text, values, (error, result) => {
        if (error) return reject(error);
        resolve({ rows: result, met: result.affectedRows });
      });
    });
  }

  async settings() {
    const names = SETTINGS.map((name) => `'${name}'`).join(', ');
    const { rows } = await this.ask(`SHOW GLOBAL VARIABLES WHERE variable_name IN (${names})`, []);
    const { rows: status } = await this.ask("SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'", []);
    const found = [...rows, ...status].map((row) => Object.values(row)).map(([name, value]) => [name.toLowerCase(), String(value)]);
    const where = 'table_schema = DATABASE() AND table_name = ?';
    const { rows: engines } = await this.ask(`SELECT engine AS engine FROM information_schema.tables WHERE ${where}`, [this.namespace]);
    if (engines[0]?.engine) found.push(['engine', engines[0].engine.toLowerCase()]);
    return Object.fromEntries(found);
  }

  async info() {
    const { rows } = await this.ask('SELECT VERSION() AS version', []);
    return { version: rows[0].version, [this.library]: require(`${this.library}/package.json`).version };
  }

  close() {
    return new Promise((resolve) => { this.pool.end(resolve); });
  }
}

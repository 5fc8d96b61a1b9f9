// SQLite by better-sqlite3, whose calls block the one thread, or by sqlite3, which hands them to threads of its own.

import { createRequire } from 'node:module';
import { join } from 'node:path';

import { SqlStore, Table } from './sql.mjs';

const require = createRequire(import.meta.url);
const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
/** Pragmas that are told. */
const PRAGMAS = ['journal_mode', 'synchronous', 'cache_size', 'mmap_size', 'page_size', 'wal_autocheckpoint'];

export async function open(job, driver) {
  const path = join(job.dir, 'board.sqlite');
  const store = driver === 'sqlite3' ? await byThreads(job, path) : blocking(job, path);
  for (const [name, value] of Object.entries(job.settings)) await store.ask(`PRAGMA ${name} = ${value}`, []);
  return store;
}

class Sqlite extends SqlStore {
  constructor(job, library) {
    const table = new Table(job, '"', () => '?', ({ type }) => (type === 'int64' ? 'INTEGER' : 'TEXT'));
    const increment = `INSERT INTO ${table.counters} (id, n) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = n + 1`;
    super(table, increment, (error) => String(error.code).startsWith('SQLITE_CONSTRAINT'));
    this.library = library;
  }

  async settings() {
    const found = {};
    for (const name of PRAGMAS) {
      const { rows } = await this.ask(`PRAGMA ${name}`, []);
      if (rows.length === 0) continue;
      const [value] = Object.values(rows[0]);
      found[name] = name === 'synchronous' ? SYNCHRONOUS[value] : String(value);
    }
    return found;
  }

  async info() {
    const { rows } = await this.ask('SELECT sqlite_version() AS version', []);
    return { version: rows[0].version, [this.library]: require(`${this.library}/package.json`).version };
  }
}

function blocking(job, path) {
  const database = new (require('better-sqlite3'))(path);
  const statements = new Map();
  const store = new Sqlite(job, 'better-sqlite3');
  store.ask = async (text, values) => {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = database.prepare(text);
      // A schema that changes makes those before it useless.
      if (/^(CREATE|DROP)/.test(text)) statements.clear();
      else statements.set(text, statement);
    }
    return statement.reader ? { rows: statement.all(...values), met: 0 } : { rows: [], met: statement.run(...values).changes };
  };
  store.close = () => database.close();
  return store;
}

async function byThreads(job, path) {
  const sqlite3 = require('sqlite3');
  const database = await new Promise((resolve, reject) => {
    const opened = new sqlite3.Database(path, (error) => (error ? reject(error) : resolve(opened)));
  });
  const store = new Sqlite(job, 'sqlite3');
  store.ask = (text, values) => new Promise((resolve, reject) => {
    if (/^(SELECT|PRAGMA)/.test(text)) {
      database.all(text, values, (error, rows) => (error ? reject(error) : resolve({ rows, met: 0 })));
    } else {
      // The library tells how many rows were met in `this`.
      database.run(text, values, function done(error) {
        if (error) reject(error);
        else resolve({ rows: [], met: this.changes });
      });
    }
  });
  store.close = () => new Promise((resolve) => { database.close(resolve); });
  return store;
}

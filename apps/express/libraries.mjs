// Libraries by which the adapters of the Node client can work too: the older one of MySQL, and one of SQLite that hands
// its calls to threads of its own.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** What a function with a callback gives. */
const given = (ask) => new Promise((resolve, reject) => {
  ask((error, result) => (error ? reject(error) : resolve(result)));
});

/** Rows as arrays. */
const arrays = (rows) => rows.map((row) => Object.values(row));

const mysql = {
  library: 'mysql',
  async connect(options) {
    const connection = require('mysql').createConnection(options);
    // An error between two statements is told by the next one.
    connection.on('error', () => {});
    const query = async (text, values) => {
      const result = await given((done) => connection.query(text, values, done));
      return [Array.isArray(result) ? arrays(result) : result];
    };
    return { query, execute: query, end: () => given((done) => connection.end(done)) };
  },
};

const sqlite3 = {
  library: 'sqlite3',
  duplicate: 'SQLITE_CONSTRAINT',
  async connect(path, timeout) {
    const { Database } = require('sqlite3');
    let database;
    await given((done) => { database = new Database(path, done); });
    database.configure('busyTimeout', timeout);
    return {
      query: (text) => given((done) => database.exec(text, done)),
      all: async (text, values) => arrays(await given((done) => database.all(text, values, done))),
      // The library tells how many rows were met in `this`.
      run: (text, values) => given((done) => {
        database.run(text, values, function met(error) { done(error, this.changes); });
      }),
      end: () => given((done) => database.close(done)),
    };
  },
};

/** By their drivers. */
export const LIBRARIES = { mysql, sqlite3 };

// What stores that speak a kind of SQL have in common: statements, which are the same but for quotes and places, calls, and
// the operations of a connection.

import { DONE, EXISTS, MISSING } from '../tape.mjs';

/** One column a field, the key first. */
export class Table {
  /**
   * @param quote the quotation mark of names
   * @param place how the place of parameter number n, from 0, is written
   */
  constructor(job, quote, place) {
    const quoted = (name) => quote + name.replaceAll(quote, quote + quote) + quote;
    this.fields = job.schema.fields;
    this.plain = job.namespace;
    this.name = quoted(job.namespace);
    this.counters = quoted(`${job.namespace}_counters`);
    this.columns = this.fields.map((field) => quoted(field.name));
    this.place = place;
    const [key, ...rest] = this.columns;
    this.key = key;
    const all = this.columns.join(', ');
    this.insert = `INSERT INTO ${this.name} (${all}) VALUES (${this.columns.map((_, at) => place(at)).join(', ')})`;
    this.select = `SELECT ${rest.join(', ')} FROM ${this.name} WHERE ${key} = ${place(0)}`;
    this.delete = `DELETE FROM ${this.name} WHERE ${key} = ${place(0)}`;
    this.scan = `SELECT ${all} FROM ${this.name}`;
    this.latest = `${this.scan} ORDER BY ${key} DESC LIMIT ${place(0)}`;
    this.count = `SELECT count(*) AS count FROM ${this.name}`;
    this.drop = `DROP TABLE IF EXISTS ${this.name}, ${this.counters}`;
  }

  /** The key stands first among the parameters of `$1` places, last among those of `?`. */
  update(keyFirst) {
    const [key, ...rest] = this.columns;
    const at = (column) => this.place(keyFirst ? column + 1 : column);
    const sets = rest.map((column, number) => `${column} = ${at(number)}`);
    return `UPDATE ${this.name} SET ${sets.join(', ')} WHERE ${key} = ${this.place(keyFirst ? 0 : rest.length)}`;
  }

  search(field) {
    return `${this.scan} WHERE ${this.columns[field]} BETWEEN ${this.place(0)} AND ${this.place(1)}`;
  }

  many(count) {
    const places = Array.from({ length: count }, (_, at) => this.place(at));
    return `${this.scan} WHERE ${this.key} IN (${places.join(', ')})`;
  }

  indexed() {
    return this.columns.filter((_, at) => at > 0 && this.fields[at].indexed);
  }

  hasInts() {
    return this.fields.slice(1).some((field) => field.type === 'int64');
  }
}

/** When writes are committed: each by itself, or so many together, begun with the first of them. */
class Transaction {
  constructor(commitEvery) {
    this.together = commitEvery > 1;
    this.open = false;
    this.cause = undefined;
  }

  /** Whether a write has to begin one. */
  mustBegin() {
    return this.together && !this.open;
  }

  /** A statement failed: what was written since the last commit is gone, and the next commit tells. */
  failed(error) {
    if (this.open) this.cause = error;
    this.open = false;
  }

  /** Whether there is something to commit; throws what a statement before it failed with. */
  end() {
    const [open, cause] = [this.open, this.cause];
    [this.open, this.cause] = [false, undefined];
    if (cause !== undefined) throw new Error(`writes of this transaction were rolled back after: ${cause.message}`);
    return open;
  }
}

/** The operations that every library can have, and those that need a column to search. */
export function operations(table) {
  const all = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment', 'open'];
  return table.hasInts() ? [...all, 'search'] : all;
}

/** A store by its table. A subclass has `client()`, a new connection, and `rows(client, sql)`, which gives rows as arrays. */
export class SqlStore {
  columns = true;

  /** Does something over a connection of its own. */
  async with(work) {
    const client = await this.client();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** The first row of an answer. */
  async one(sql) {
    return this.with(async (client) => (await this.rows(client, sql))[0]);
  }

  async call_ping() {
    await this.one('SELECT 1');
    return true;
  }

  async call_reset() {
    await this.with((client) => client.query(this.table.drop));
    return true;
  }

  async call_count() {
    return { rows: Number((await this.one(this.table.count))[0]) };
  }

  async call_sum() {
    return { sum: Number((await this.one(`SELECT COALESCE(SUM(count), 0) FROM ${this.table.counters}`))[0]) };
  }
}

/**
 * A connection of one worker. A subclass has `rows(client, statement, values)` and `matched(statement, values)`, which gives how
 * many rows a write met; a statement has a name and a text.
 */
export class SqlLane {
  begin = 'BEGIN';

  /** @param keyFirst whether the key stands first among the parameters of an update @param increment text of that statement */
  constructor(store, client, phase, keyFirst, increment) {
    const { table } = store;
    Object.assign(this, { store, client, table, keyFirst, transaction: new Transaction(phase.commit_every) });
    const texts = {
      insert: table.insert,
      select: table.select,
      update: table.update(keyFirst),
      delete: table.delete,
      scan: table.scan,
      latest: table.latest,
      increment,
      search: phase.search_field === undefined ? undefined : table.search(phase.search_field),
    };
    this.sql = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { name, text }]));
  }

  /** Whether an error means that the key is there already. */
  isDuplicate(error) {
    return error.code === this.store.duplicate;
  }

  /** Whether an error ends the transaction that it happens in, and not the statement alone. */
  endsTransaction() {
    return true;
  }

  /** Does a write, in a transaction where writes are committed together; how many rows it met. */
  async write(statement, values) {
    const { transaction } = this;
    if (transaction.mustBegin()) {
      await this.client.query(this.begin);
      transaction.open = true;
    }
    try {
      return await this.matched(statement, values);
    } catch (error) {
      if (this.endsTransaction(error)) {
        const wasOpen = transaction.open;
        transaction.failed(error);
        // A connection that cannot even roll back fails in the next statement.
        if (wasOpen) await this.client.query('ROLLBACK').catch(() => {});
      }
      throw error;
    }
  }

  async load(key, fields) {
    await this.write(this.sql.insert, [key, ...fields]);
    return DONE;
  }

  async insert(key, fields) {
    try {
      return await this.load(key, fields);
    } catch (error) {
      if (this.isDuplicate(error)) return EXISTS;
      throw error;
    }
  }

  async update(key, fields) {
    const values = this.keyFirst ? [key, ...fields] : [...fields, key];
    return (await this.write(this.sql.update, values)) > 0 ? DONE : MISSING;
  }

  async delete(key) {
    return (await this.write(this.sql.delete, [key])) > 0 ? DONE : MISSING;
  }

  async increment(row) {
    await this.write(this.sql.increment, [row]);
    return DONE;
  }

  async commit() {
    if (this.transaction.end()) await this.client.query('COMMIT');
  }

  async read(key) {
    return (await this.rows(this.client, this.sql.select, [key]))[0];
  }

  /** Rows as key and fields. */
  async pairs(statement, values) {
    const rows = await this.rows(this.client, statement, values);
    return rows.map(([key, ...fields]) => [Buffer.isBuffer(key) ? key.toString('utf8') : key, fields]);
  }

  /** The fields of the rows in the order of the keys; undefined where there is none. */
  async multiRead(keys) {
    const many = { name: `many-${keys.length}`, text: this.table.many(keys.length) };
    const found = new Map(await this.pairs(many, keys));
    return keys.map((key) => found.get(key));
  }

  scan() {
    return this.pairs(this.sql.scan, []);
  }

  latest(rows) {
    return this.pairs(this.sql.latest, [rows]);
  }

  search(low, high) {
    return this.pairs(this.sql.search, [low, high]);
  }

  async openAndRead(keys) {
    return this.store.with(async (client) => {
      const found = [];
      for (const key of keys) found.push((await this.rows(client, this.sql.select, [key]))[0]);
      return found;
    });
  }

  async close() {
    await this.client.end().catch(() => {});
  }
}

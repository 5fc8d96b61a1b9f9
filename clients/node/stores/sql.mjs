// What stores that speak a kind of SQL have in common: statements, which are the same but for quotes and places, calls, and
// the operations of a connection.

import { DONE, EXISTS, MISSING } from '../tape.mjs';
import { operations } from '../values.mjs';

/** One column a field, the key first. Texts of statements that a kind says otherwise it puts in the place of these. */
export class Table {
  /**
   * @param quote the quotation mark of names
   * @param place how the place of parameter number n, from 0, is written
   */
  constructor(job, quote, place) {
    this.quoted = (name) => quote + name.replaceAll(quote, quote + quote) + quote;
    this.fields = job.schema.fields;
    this.plain = job.namespace;
    this.name = this.quoted(job.namespace);
    this.counters = this.quoted(`${job.namespace}_counters`);
    this.columns = this.fields.map((field) => this.quoted(field.name));
    this.place = place;
    const [key, ...rest] = this.columns;
    this.key = key;
    const all = this.columns.join(', ');
    const places = this.columns.map((_, at) => place(at)).join(', ');
    const sets = rest.map((column, at) => `${column} = ${place(at)}`).join(', ');
    this.insert = `INSERT INTO ${this.name} (${all}) VALUES (${places})`;
    this.load = this.insert;
    this.select = `SELECT ${rest.join(', ')} FROM ${this.name} WHERE ${key} = ${place(0)}`;
    // The key stands last among its parameters.
    this.update = `UPDATE ${this.name} SET ${sets} WHERE ${key} = ${place(rest.length)}`;
    this.delete = `DELETE FROM ${this.name} WHERE ${key} = ${place(0)}`;
    this.scan = `SELECT ${all} FROM ${this.name}`;
    this.latest = `${this.scan} ORDER BY ${key} DESC LIMIT ${place(0)}`;
    this.count = `SELECT count(*) AS count FROM ${this.name}`;
    this.sum = `SELECT COALESCE(SUM(count), 0) AS sum FROM ${this.counters}`;
    this.drop = [`DROP TABLE IF EXISTS ${this.name}`, `DROP TABLE IF EXISTS ${this.counters}`];
  }

  search(field) {
    return `${this.scan} WHERE ${this.columns[field]} BETWEEN ${this.place(0)} AND ${this.place(1)}`;
  }

  many(count) {
    const places = Array.from({ length: count }, (_, at) => this.place(at));
    return `${this.scan} WHERE ${this.key} IN (${places.join(', ')})`;
  }

  /**
   * Statements that make the tables: that of the rows, its indexes, and that of the counters.
   * @param types those of the columns
   * @param integer the type of the counters
   * @param kind what stands behind CREATE
   * @param end what stands behind the columns
   */
  create(types, integer, kind = 'TABLE', end = '') {
    const { name, counters, columns, key, fields } = this;
    const parts = columns.map((column, at) => `${column} ${types[at]}`).join(', ');
    const indexes = columns.filter((_, at) => at > 0 && fields[at].indexed).map((column) => {
      const index = this.quoted(`${this.plain}_by_${fields[columns.indexOf(column)].name}`);
      return `CREATE INDEX ${index} ON ${name} (${column})`;
    });
    return [
      `CREATE ${kind} ${name} (${parts}, PRIMARY KEY (${key}))${end}`,
      ...indexes,
      `CREATE ${kind} ${counters} (id ${integer} NOT NULL, count ${integer} NOT NULL, PRIMARY KEY (id))${end}`,
    ];
  }
}

/**
 * A store by its table. A subclass has `client()`, a new connection with `query(text)` and `end()`;
 * `rows(client, statement, values)`, which gives rows as arrays; and `matched(client, statement, values)`, which gives how
 * many rows a write met. A statement has a text, and a name where it is to be prepared. `duplicate` is the code of an
 * error that tells that a key is there, `snapshot` what begins a transaction whose reads all see the same.
 */
export class SqlStore {
  columns = true;

  begin = 'BEGIN';

  /** @param capabilities those beside the usual ones */
  constructor(job, table, capabilities) {
    Object.assign(this, { job, table });
    const usual = { operations: operations(job), transactions: true, read_scopes: ['each', 'snapshot'] };
    this.capabilities = { ...usual, max_connections: 256, ...capabilities };
  }

  /** Texts of the statements of a phase. */
  texts(phase) {
    const { load, insert, select, update, delete: remove, scan, latest, increment, add } = this.table;
    const search = phase.search_field === undefined ? undefined : this.table.search(phase.search_field);
    return { load, insert, select, update, delete: remove, scan, latest, increment, add, search };
  }

  /** Statements of a phase, by name, which are the same for all its connections. */
  statements(phase) {
    if (this.prepared?.phase !== phase) {
      const named = Object.entries(this.texts(phase)).map(([name, text]) => [name, { name, text }]);
      this.prepared = { phase, all: Object.fromEntries(named) };
    }
    return this.prepared.all;
  }

  /** Whether an error means that nothing was written, as others were about to. */
  isDeadlock() {
    return false;
  }

  /** Whether an error ends the transaction that it happens in, and not the statement alone. */
  endsTransaction() {
    return true;
  }

  async connect(phase) {
    const client = await this.client();
    if (phase.read_scope === 'snapshot') await client.query(this.snapshot);
    return new this.Lane(this, client, phase);
  }

  /** Does something over a connection of its own. */
  async with(work) {
    const client = await this.client();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Runs statements, one after the other. */
  async run(texts) {
    await this.with(async (client) => {
      for (const text of texts) await client.query(text);
    });
    return true;
  }

  /** The first row of an answer. */
  async one(text) {
    return this.with(async (client) => (await this.rows(client, { text }))[0]);
  }

  async call_ping() {
    return this.run(['SELECT 1']);
  }

  async call_reset() {
    return this.run(this.table.drop);
  }

  async call_count() {
    return { rows: Number((await this.one(this.table.count))[0]) };
  }

  async call_sum() {
    return { sum: Number((await this.one(this.table.sum))[0]) };
  }
}

const RETRIES = 1000;

/** A connection of one worker. */
export class SqlLane {
  constructor(store, client, phase) {
    Object.assign(this, { store, client, table: store.table, sql: store.statements(phase) });
    this.together = phase.commit_every > 1;
    // Whether a transaction is open, and the error that rolled writes of it back, which the next commit tells.
    Object.assign(this, { open: false, cause: undefined });
  }

  /** Does a write, in a transaction where writes are committed together; how many rows it met. */
  async write(statement, values) {
    const { store, client } = this;
    if (this.together && !this.open) {
      await client.query(store.begin);
      this.open = true;
    }
    try {
      return await store.matched(client, statement, values);
    } catch (error) {
      if (this.open && store.endsTransaction(error, client)) {
        Object.assign(this, { open: false, cause: error });
        // A connection that cannot even roll back fails in the next statement.
        await client.query('ROLLBACK').catch(() => {});
      }
      throw error;
    }
  }

  async load(key, fields) {
    await this.write(this.sql.load, [key, ...fields]);
    return DONE;
  }

  /** Of a key that is there it fails, or meets no row. */
  async insert(key, fields) {
    try {
      return (await this.write(this.sql.insert, [key, ...fields])) > 0 ? DONE : EXISTS;
    } catch (error) {
      if (error.code === this.store.duplicate) return EXISTS;
      throw error;
    }
  }

  async update(key, fields) {
    return (await this.write(this.sql.update, [...fields, key])) > 0 ? DONE : MISSING;
  }

  async delete(key) {
    return (await this.write(this.sql.delete, [key])) > 0 ? DONE : MISSING;
  }

  /** Adds 1 to a counter, or makes it. */
  async add(row) {
    await this.write(this.sql.increment, [row]);
  }

  async increment(row) {
    for (let turn = 0; ; turn++) {
      try {
        await this.add(row);
        return DONE;
      } catch (error) {
        // Connections that make the same counters may deadlock; nothing was written.
        if (!this.store.isDeadlock(error) || this.together || turn >= RETRIES) throw error;
      }
    }
  }

  async commit() {
    const { open, cause } = this;
    Object.assign(this, { open: false, cause: undefined });
    if (cause !== undefined) throw new Error(`writes of this transaction were rolled back after: ${cause.message}`);
    if (open) await this.client.query('COMMIT');
  }

  async read(key) {
    return (await this.store.rows(this.client, this.sql.select, [key]))[0];
  }

  /** Rows as key and fields. */
  async pairs(statement, values) {
    const rows = await this.store.rows(this.client, statement, values);
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

  async close() {
    await this.client.end().catch(() => {});
  }
}

// Statements about the table of a job, which are the same in stores that speak a kind of SQL but for quotes and places.

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

/** Rows with their keys in the order of the keys that were asked for; undefined where there is none. */
export function inOrder(keys, rows) {
  const found = new Map(rows);
  return keys.map((key) => found.get(key));
}

/** When writes are committed: each by itself, or so many together, begun with the first of them. */
export class Transaction {
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

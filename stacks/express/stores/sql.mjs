// Statements of a table, which are the same in every SQL store but for quotes, places and types.

export class Table {
  /**
   * @param quote the quotation mark of names
   * @param place how the place of parameter number n, from 0, is written
   * @param typeOf the column type of a field; the key is the second argument
   * @param end what stands behind the columns of a new table
   */
  constructor(job, quote, place, typeOf, end = '') {
    const { fields } = job.schema;
    const quoted = (name) => quote + name + quote;
    this.name = quoted(job.namespace);
    this.counters = quoted(`${job.namespace}_counters`);
    const names = fields.map((field) => quoted(field.name));
    const [key, ...rest] = names;
    const all = names.join(', ');
    const places = names.map((_, at) => place(at)).join(', ');
    this.create = [
      `CREATE TABLE ${this.name} (${fields.map((field, at) => `${names[at]} ${typeOf(field, at === 0)} NOT NULL`).join(', ')}, ` +
        `PRIMARY KEY (${key}))${end}`,
      `CREATE TABLE ${this.counters} (id BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)${end}`,
    ];
    this.drop = [`DROP TABLE IF EXISTS ${this.name}`, `DROP TABLE IF EXISTS ${this.counters}`];
    this.insert = `INSERT INTO ${this.name} (${all}) VALUES (${places})`;
    this.read = `SELECT ${all} FROM ${this.name} WHERE ${key} = ${place(0)}`;
    this.update =
      `UPDATE ${this.name} SET ${rest.map((name, at) => `${name} = ${place(at)}`).join(', ')} WHERE ${key} = ${place(rest.length)}`;
    this.delete = `DELETE FROM ${this.name} WHERE ${key} = ${place(0)}`;
    this.all = `SELECT ${all} FROM ${this.name}`;
    // The library 'mysql2' would send a number as a double, which LIMIT does not take: it is put into the text.
    this.latest = (rows) => `${this.all} ORDER BY ${key} DESC LIMIT ${Math.trunc(rows)}`;
    this.oldest = (rows) => `${this.all} ORDER BY ${key} LIMIT ${Math.trunc(rows)}`;
    this.count = `SELECT count(*) AS n FROM ${this.name}`;
    this.sum = `SELECT coalesce(sum(n), 0) AS n FROM ${this.counters}`;
  }
}

/** The values of an update: the key last. */
export const keyLast = ([key, ...rest]) => [...rest, key];

/**
 * A store over `ask`, which runs a statement with values and gives `{ rows, met }`: the rows as objects, and how many a write met.
 * `isDuplicate` tells from an error that the key is there already.
 */
export class SqlStore {
  constructor(table, increment, isDuplicate) {
    Object.assign(this, { table, isDuplicate, texts: { increment } });
  }

  async ping() {
    await this.ask('SELECT 1', []);
  }

  async create() {
    await this.reset();
    for (const statement of this.table.create) await this.ask(statement, []);
  }

  async reset() {
    for (const statement of this.table.drop) await this.ask(statement, []);
  }

  async insert(row) {
    try {
      await this.ask(this.table.insert, row);
      return true;
    } catch (error) {
      if (this.isDuplicate(error)) return false;
      throw error;
    }
  }

  async read(key) {
    return (await this.ask(this.table.read, [key])).rows[0];
  }

  async update(row) {
    return (await this.ask(this.table.update, keyLast(row))).met > 0;
  }

  async delete(key) {
    return (await this.ask(this.table.delete, [key])).met > 0;
  }

  async all() {
    return (await this.ask(this.table.all, [])).rows;
  }

  async latest(rows) {
    return (await this.ask(this.table.latest(rows), [])).rows;
  }

  async oldest(rows) {
    // Newest first, as the others: what is asked for all has them all.
    return (await this.ask(this.table.oldest(rows), [])).rows.reverse();
  }

  async increment(counter) {
    await this.ask(this.texts.increment, [counter]);
  }

  async count() {
    return { rows: Number((await this.ask(this.table.count, [])).rows[0].n) };
  }

  async sum() {
    return { sum: Number((await this.ask(this.table.sum, [])).rows[0].n) };
  }
}

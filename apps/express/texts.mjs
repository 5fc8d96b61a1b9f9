// Posts without ids, as the program of an article had them: the store numbers them, and answers have the texts alone.

import { DONE } from './client/tape.mjs';

/** What stands behind the type of a column that a store numbers. */
const NUMBERED = {
  mysql: 'AUTO_INCREMENT',
  postgres: 'GENERATED ALWAYS AS IDENTITY',
  sqlite: 'PRIMARY KEY AUTOINCREMENT',
};

/** Makes a table number its rows, takes them without keys, and asks for their last column alone. */
export function withoutIds(store, wire) {
  const { table } = store;
  const numbered = NUMBERED[wire];
  if (table === undefined || numbered === undefined) throw new Error(`texts alone are not served over '${wire}'`);
  const [key, ...columns] = table.columns;
  const places = columns.map((_, at) => table.place(at)).join(', ');
  const ofTexts = (statement) => statement.replace(/^SELECT .* FROM/, `SELECT ${columns.at(-1)} FROM`);
  const create = table.create.bind(table);
  Object.assign(table, {
    insert: `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${places})`,
    scan: ofTexts(table.scan),
    latest: ofTexts(table.latest),
    create([first, ...types], ...others) {
      const [rows, ...rest] = create([`${first} ${numbered}`, ...types], ...others);
      // In SQLite a column that is numbered says itself that it is the key.
      return [wire === 'sqlite' ? rows.replace(`, PRIMARY KEY (${key})`, '') : rows, ...rest];
    },
  });
  store.Lane = class extends store.Lane {
    async insert(key, fields) {
      await this.write(this.sql.insert, fields);
      return DONE;
    }
  };
}

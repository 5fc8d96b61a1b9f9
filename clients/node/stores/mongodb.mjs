// MongoDB through its own driver: a document a row, and a driver with one connection a worker. It tries nothing again.

import { createRequire } from 'node:module';

import { DONE, EXISTS, MISSING } from '../tape.mjs';
import { expect, operations } from '../values.mjs';

const require = createRequire(import.meta.url);
const KEY_INDEX = 'kurabe_key';
const DUPLICATE = 11_000;
const LOOK_MS = 5000;
const VARIANTS = ['id', 'indexed-before', 'indexed-after'];
const CONCERNS = { w1: { w: 1, j: false }, journaled: { w: 1, j: true } };
const EXPECTED = 'mongodb://[user:password@]host[:port][/database], or mongodb:///path for a unix socket';

export async function open(job) {
  const { candidate: { variant = VARIANTS[0] }, settings: { write_concern: concern } } = job;
  expect(job, 'url', ['write_concern'], 'it has write_concern');
  if (!VARIANTS.includes(variant)) throw new Error(`no variant '${variant}'; there are ${VARIANTS.join(', ')}`);
  if (concern !== undefined && CONCERNS[concern] === undefined) {
    throw new Error(`setting write_concern cannot be '${concern}'; there are ${Object.keys(CONCERNS).join(', ')}`);
  }
  // It needs a newer Node than this client.
  const library = await import('mongodb');
  return new Mongodb(job, variant, concern, library);
}

class Mongodb {
  columns = true;

  constructor(job, variant, concern, library) {
    const [key, ...rest] = job.schema.fields;
    Object.assign(this, { job, variant, concern, library, loaded: 0 });
    this.libraries = { mongodb: require('mongodb/package.json').version };
    this.keyName = variant === 'id' ? '_id' : key.name;
    this.names = rest.map(({ name }) => name);
    this.capabilities = {
      operations: operations(job), max_connections: 256, processes: variant !== 'indexed-after', passes: false,
      max_value_bytes: (16 << 20) - (16 << 10),
    };
    const socket = job.url.startsWith('mongodb:///') ? job.url.slice('mongodb://'.length) : undefined;
    this.uri = socket === undefined ? job.url : `mongodb://${encodeURIComponent(socket)}`;
    this.database = socket === undefined ? this.uri.match(/^mongodb:\/\/[^/]*\/([^?]+)/)?.[1] ?? 'test' : 'test';
  }

  /** A driver that has connected. */
  async client() {
    const patience = Math.max(1, Math.floor((this.job.limits?.operation_ns ?? 30e9) / 1e6));
    let client;
    try {
      client = new this.library.MongoClient(this.uri, {
        appName: 'kurabe', retryReads: false, retryWrites: false, maxPoolSize: 1, serverMonitoringMode: 'poll',
        serverSelectionTimeoutMS: Math.min(patience, LOOK_MS), connectTimeoutMS: patience,
        promoteBuffers: true, ...(this.concern === undefined ? {} : { writeConcern: CONCERNS[this.concern] }),
      });
    } catch {
      // What it says quotes the address.
      throw new Error(`the address of the server cannot be read: expected ${EXPECTED}`);
    }
    try {
      return await client.connect();
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  async with(work) {
    const client = await this.client();
    try {
      return await work(client.db(this.database), client.db('admin'));
    } finally {
      await client.close();
    }
  }

  collections(database) {
    const { namespace } = this.job;
    return { rows: database.collection(namespace), counters: database.collection(`${namespace}_counters`) };
  }

  async connect(phase) {
    return new Lane(this, await this.client(), phase);
  }

  async buildKeyIndex(rows) {
    await rows.createIndex({ [this.keyName]: 1 }, { unique: true, name: KEY_INDEX });
  }

  async call_ping() {
    await this.with((database) => database.command({ ping: 1 }));
    return true;
  }

  async call_info() {
    const build = await this.with((database) => database.command({ buildInfo: 1 }));
    return { version: build.version, commit: build.gitVersion, allocator: build.allocator };
  }

  async call_settings() {
    return this.with(async (database, admin) => {
      const status = await admin.command({ serverStatus: 1 });
      const given = await admin.command({ getCmdLineOpts: 1 });
      const intervals = await admin.command({ getParameter: 1, journalCommitInterval: 1, syncdelay: 1 });
      const indexes = await this.collections(database).rows.indexes().catch(() => []);
      const found = {
        storage_engine: status.storageEngine?.name,
        cache_bytes: status.wiredTiger?.cache?.['maximum bytes configured'],
        engine_config: given.parsed?.storage?.wiredTiger?.engineConfig?.configString,
        journal_commit_interval_ms: intervals.journalCommitInterval,
        checkpoint_every_s: intervals.syncdelay,
        write_concern: this.concern ?? await this.#usualConcern(database),
        key_index: indexes.some(({ name }) => name === KEY_INDEX) ? 'unique' : 'none',
      };
      const told = Object.entries(found).filter(([, value]) => value !== undefined);
      return Object.fromEntries(told.map(([name, value]) => [name, String(value)]));
    });
  }

  /** What a server does where nobody says it. The implicit majority of one lone server syncs nothing. */
  async #usualConcern(database) {
    const { setName } = await database.command({ hello: 1 });
    return setName === undefined ? 'w1' : 'of the replica set';
  }

  async call_create() {
    this.loaded = 0;
    await this.call_reset();
    await this.with(async (database) => {
      const { rows, counters } = this.collections(database);
      for (const { collectionName } of [rows, counters]) await database.createCollection(collectionName);
      if (this.variant === 'indexed-before') await this.buildKeyIndex(rows);
      const indexed = this.job.schema.fields.filter((field, at) => at > 0 && field.indexed);
      for (const { name } of indexed) await rows.createIndex({ [name]: 1 });
    });
    return true;
  }

  async call_reset() {
    await this.with(async (database) => {
      const { rows, counters } = this.collections(database);
      await rows.drop();
      await counters.drop();
    });
    return true;
  }

  async call_count() {
    return { rows: await this.with((database) => this.collections(database).rows.countDocuments()) };
  }

  async call_sum() {
    const total = [{ $group: { _id: null, sum: { $sum: '$count' } } }];
    const [found] = await this.with((database) => this.collections(database).counters.aggregate(total).toArray());
    return { sum: Number(found?.sum ?? 0) };
  }

  /** Asked for after a checkpoint: before one, next to nothing of what was written is in the files. */
  async call_size() {
    return this.with(async (database, admin) => {
      await admin.command({ fsync: 1 });
      return { bytes: (await database.command({ collStats: this.job.namespace })).totalSize };
    });
  }

  async call_check() {
    const { valid, errors } = await this.with((database) => database.command({ validate: this.job.namespace, full: true }));
    return { sound: valid === true, detail: (errors ?? []).join('; ') };
  }
}

class Lane {
  constructor(store, client, phase) {
    Object.assign(this, { store, client, key: store.keyName }, store.collections(client.db(store.database)));
    const { search_field: field } = phase;
    this.searched = field === undefined ? undefined : store.names[field - 1];
    this.all = { projection: this.key === '_id' ? {} : { _id: 0 } };
  }

  /** The key stands first, then the fields in order. Where the key has a field of its own, the driver adds the _id. */
  #document(key, fields) {
    const document = { [this.key]: key };
    this.store.names.forEach((name, at) => { document[name] = fields[at]; });
    return document;
  }

  /** The fields of a document, or undefined where there is none; one that has others is no row of ours. */
  #fields(document) {
    if (document === null || document === undefined) return undefined;
    const { names } = this.store;
    if (Object.keys(document).length !== names.length + 1) throw new Error('the server gave a document with other fields');
    return names.map((name) => document[name]);
  }

  async load(key, fields) {
    await this.rows.insertOne(this.#document(key, fields));
    const { store } = this;
    if (store.variant === 'indexed-after' && ++store.loaded === store.job.rows) await store.buildKeyIndex(this.rows);
    return DONE;
  }

  async insert(key, fields) {
    try {
      await this.rows.insertOne(this.#document(key, fields));
      return DONE;
    } catch (error) {
      if (error.code === DUPLICATE) return EXISTS;
      throw error;
    }
  }

  async update(key, fields) {
    const { matchedCount } = await this.rows.replaceOne({ [this.key]: key }, this.#document(key, fields));
    return matchedCount > 0 ? DONE : MISSING;
  }

  async delete(key) {
    return (await this.rows.deleteOne({ [this.key]: key })).deletedCount > 0 ? DONE : MISSING;
  }

  async increment(row) {
    await this.counters.updateOne({ _id: row }, { $inc: { count: 1 } }, { upsert: true });
    return DONE;
  }

  /** Every write carries its own write concern. */
  async commit() {}

  async read(key) {
    return this.#fields(await this.rows.findOne({ [this.key]: key }, this.all));
  }

  async #pairs(cursor) {
    return (await cursor.toArray()).map((document) => [document[this.key], this.#fields(document)]);
  }

  scan() {
    return this.#pairs(this.rows.find({}, this.all));
  }

  latest(rows) {
    return this.#pairs(this.rows.find({}, this.all).sort({ [this.key]: -1 }).limit(rows));
  }

  search(low, high) {
    return this.#pairs(this.rows.find({ [this.searched]: { $gte: low, $lte: high } }, this.all));
  }

  async multiRead(keys) {
    const found = new Map(await this.#pairs(this.rows.find({ [this.key]: { $in: keys } }, this.all)));
    return keys.map((key) => found.get(key));
  }

  async close() {
    await this.client.close();
  }
}

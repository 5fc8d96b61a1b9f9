// Redis, and what speaks as it does, through node-redis or ioredis: a string a row, `namespace:key`. Neither tries
// anything again by itself.

import { createRequire } from 'node:module';

import { DONE, EXISTS, MISSING } from '../tape.mjs';
import { expect } from '../values.mjs';

const require = createRequire(import.meta.url);
const SETTINGS = ['appendonly', 'appendfsync', 'io-threads', 'no-appendfsync-on-rewrite', 'save', 'maxmemory', 'maxmemory-policy'];
const AT_ONCE = 1000;

export async function open(job, values, driver) {
  expect(job, 'url', [], 'give the server arguments');
  const drivers = { redis: nodeRedis, ioredis };
  if (drivers[driver] === undefined) throw new Error(`the Node client has no driver '${driver}' for ${job.candidate.store}`);
  return new Redis(job, driver, drivers[driver]);
}

const isSocket = (url) => url.startsWith('unix:');
const pathOf = (url) => decodeURIComponent(new URL(url).pathname);

/** node-redis: commands as `sendCommand` takes them, and answers as buffers. */
async function nodeRedis(url) {
  const { RESP_TYPES, createClient } = await import('redis');
  const socket = { reconnectStrategy: false, connectTimeout: 30_000 };
  const at = isSocket(url) ? { socket: { ...socket, path: pathOf(url) } } : { url, socket };
  const client = createClient({ ...at, disableOfflineQueue: true });
  // An error between two commands is told by the next one.
  client.on('error', () => {});
  await client.connect();
  const buffers = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  return {
    set: (key, value) => client.set(key, value),
    setNew: (key, value) => client.set(key, value, { condition: 'NX' }),
    setOld: (key, value) => client.set(key, value, { condition: 'XX' }),
    get: (key) => buffers.get(key),
    many: (keys) => buffers.mGet(keys),
    delete: (keys) => client.del(keys),
    increment: (key) => client.incr(key),
    texts: (...words) => client.sendCommand(words),
    // One whose server is gone is closed already.
    close: () => { if (client.isOpen) client.destroy(); },
  };
}

async function ioredis(url) {
  const { default: Client } = await import('ioredis');
  const client = new Client(isSocket(url) ? pathOf(url) : url, {
    lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, enableOfflineQueue: false, connectTimeout: 30_000,
    // Its own check asks INFO, which hosted servers refuse.
    autoResendUnfulfilledCommands: false, enableReadyCheck: false,
  });
  client.on('error', () => {});
  await client.connect();
  return {
    set: (key, value) => client.set(key, value),
    setNew: (key, value) => client.set(key, value, 'NX'),
    setOld: (key, value) => client.set(key, value, 'XX'),
    get: (key) => client.getBuffer(key),
    many: (keys) => client.mgetBuffer(keys),
    delete: (keys) => client.del(...keys),
    increment: (key) => client.incr(key),
    texts: (...words) => client.call(...words),
    close: () => client.disconnect(),
  };
}

class Redis {
  columns = false;

  constructor(job, driver, connect) {
    Object.assign(this, { job, open: () => connect(job.url), prefix: `${job.namespace}:` });
    this.counters = `${this.prefix}counter:`;
    this.libraries = { [driver]: require(`${driver}/package.json`).version };
    this.capabilities = {
      operations: ['load', 'insert', 'read', 'update', 'delete', 'multi-read', 'increment', 'open'],
      max_connections: 1000, processes: true, empty_values: true, max_value_bytes: 512 << 20,
    };
  }

  async connect() {
    return new Lane(this, await this.open());
  }

  async with(work) {
    const client = await this.open();
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }

  /** Names of all rows, or of all counters. */
  async names(client, isCounter) {
    const names = new Set();
    let cursor = '0';
    do {
      const [next, some] = await client.texts('SCAN', cursor, 'MATCH', `${this.prefix}*`, 'COUNT', String(AT_ONCE));
      cursor = String(next);
      some.map(String).filter((name) => name.startsWith(this.counters) === isCounter).forEach((name) => names.add(name));
    } while (cursor !== '0');
    return [...names];
  }

  /** Some users may not ask, and hosted servers do not know the command. */
  refuses(error) {
    return /NOPERM|unknown command/i.test(error.message);
  }

  async call_ping() {
    await this.with((client) => client.texts('PING'));
    return true;
  }

  /** What the server tells to be, and whether it is a replica, which takes no writes. */
  async call_info() {
    const section = async (client, name) => String(await client.texts('INFO', name));
    const info = await this.with(async (client) => await section(client, 'server') + await section(client, 'replication'));
    const lines = info.matchAll(/^(\w+_version|server_name|redis_mode|server_mode|role):(.*?)\r?$/gm);
    const told = Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value]));
    // Redis's own version is what other products say that they can do.
    const products = Object.keys(told).filter((name) => /^(?!redis_|gcc_).*_version$/.test(name));
    const only = products.length === 1 ? told[products[0]] : undefined;
    return { ...told, version: told[`${told.server_name}_version`] ?? only ?? told.redis_version ?? 'unknown' };
  }

  async call_settings() {
    return this.with(async (client) => {
      const found = {};
      for (const name of SETTINGS) {
        const answer = await client.texts('CONFIG', 'GET', name);
        if (answer.length >= 2) found[String(answer[0])] = String(answer[1]);
      }
      return found;
    });
  }

  async call_create() {
    return this.call_reset();
  }

  async call_reset() {
    await this.with(async (client) => {
      const names = [...await this.names(client, false), ...await this.names(client, true)];
      for (let at = 0; at < names.length; at += AT_ONCE) await client.delete(names.slice(at, at + AT_ONCE));
    });
    return true;
  }

  async call_count() {
    return { rows: (await this.with((client) => this.names(client, false))).length };
  }

  async call_sum() {
    return this.with(async (client) => {
      const names = await this.names(client, true);
      let sum = 0;
      for (let at = 0; at < names.length; at += AT_ONCE) {
        (await client.many(names.slice(at, at + AT_ONCE))).forEach((value) => { sum += Number(value ?? 0); });
      }
      return { sum };
    });
  }
}

class Lane {
  constructor(store, client) {
    Object.assign(this, { store, client, prefix: store.prefix });
  }

  async load(key, raw) {
    await this.client.set(this.prefix + key, raw);
    return DONE;
  }

  async insert(key, raw) {
    return (await this.client.setNew(this.prefix + key, raw)) === null ? EXISTS : DONE;
  }

  async update(key, raw) {
    return (await this.client.setOld(this.prefix + key, raw)) === null ? MISSING : DONE;
  }

  async delete(key) {
    return (await this.client.delete([this.prefix + key])) > 0 ? DONE : MISSING;
  }

  async increment(row) {
    await this.client.increment(this.store.counters + row);
    return DONE;
  }

  async commit() {}

  async read(key) {
    return (await this.client.get(this.prefix + key)) ?? undefined;
  }

  async multiRead(keys) {
    return (await this.client.many(keys.map((key) => this.prefix + key))).map((value) => value ?? undefined);
  }

  async close() {
    this.client.close();
  }
}

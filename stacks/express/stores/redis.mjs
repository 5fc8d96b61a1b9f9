// Redis and Valkey: a row is a JSON string under its key.

import { createRequire } from 'node:module';

import { createClient } from 'redis';

const { version } = createRequire(import.meta.url)('redis/package.json');
const AT_ONCE = 1000;
/** Settings that tell what can be lost, and what happens when memory ends. */
const SETTINGS = ['appendonly', 'appendfsync', 'no-appendfsync-on-rewrite', 'save', 'maxmemory', 'maxmemory-policy'];

export async function open(job) {
  const client = createClient({ url: job.url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  return new Redis(job, client);
}

class Redis {
  constructor(job, client) {
    const names = job.schema.fields.map((field) => field.name);
    Object.assign(this, { client, prefix: `${job.namespace}:`, names });
    this.counters = `${this.prefix}counter:`;
  }

  #value(row) {
    return JSON.stringify(Object.fromEntries(this.names.map((name, at) => [name, row[at]])));
  }

  async ping() {
    await this.client.ping();
  }

  async insert(row) {
    return (await this.client.set(this.prefix + row[0], this.#value(row), { condition: 'NX' })) !== null;
  }

  async read(key) {
    const text = await this.client.get(this.prefix + key);
    return text === null ? undefined : JSON.parse(text);
  }

  async update(row) {
    return (await this.client.set(this.prefix + row[0], this.#value(row), { condition: 'XX' })) !== null;
  }

  async delete(key) {
    return (await this.client.del(this.prefix + key)) > 0;
  }

  async increment(counter) {
    await this.client.incr(this.counters + counter);
  }

  async #keys(isCounter) {
    const keys = new Set();
    for await (const some of this.client.scanIterator({ MATCH: `${this.prefix}*`, COUNT: AT_ONCE })) {
      [some].flat().filter((key) => key.startsWith(this.counters) === isCounter).forEach((key) => keys.add(key));
    }
    return [...keys];
  }

  async create() {
    await this.reset();
  }

  async reset() {
    const keys = [...await this.#keys(false), ...await this.#keys(true)];
    for (let at = 0; at < keys.length; at += AT_ONCE) await this.client.del(keys.slice(at, at + AT_ONCE));
  }

  async count() {
    return { rows: (await this.#keys(false)).length };
  }

  async sum() {
    let sum = 0;
    for (const key of await this.#keys(true)) sum += Number(await this.client.get(key));
    return { sum };
  }

  async settings() {
    const found = {};
    for (const name of SETTINGS) Object.assign(found, await this.client.configGet(name));
    return found;
  }

  async info() {
    const info = await this.client.info('server');
    const told = info.match(/^(?:valkey|redis)_version:(.*?)\r?$/m)?.[1];
    return { version: info.match(/^valkey_version:(.*?)\r?$/m)?.[1] ?? told ?? 'unknown', redis: version };
  }

  async close() {
    this.client.destroy();
  }
}

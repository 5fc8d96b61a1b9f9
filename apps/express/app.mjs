// A board in Express: app.mjs JOB PORT DRIVER. What each request answers is what Kurabe's own service answers to it, or with
// the setting `shape = texts` the last column alone, of posts that the store numbers; JOB is the job that a client of the
// store would get. The adapters are those of the Node client, beside a text file.

import { readFileSync } from 'node:fs';

import express from 'express';

import { EXISTS, MISSING } from './client/tape.mjs';
import { Values } from './client/values.mjs';
import { LIBRARIES } from './libraries.mjs';
import { lookAfter } from './processes.mjs';
import { withoutIds } from './texts.mjs';

const CALLS = ['create', 'reset', 'count', 'settings', 'sum', 'info'];
/** Connections of a pool. Other stores have one, which takes many requests at a time or blocks the one thread. */
const POOL = { mysql: 10, postgres: 10 };
/** The phase that connections are made for: each write is committed by itself. */
const PHASE = {};

const [jobPath, port, driver] = process.argv.slice(2);
const job = JSON.parse(readFileSync(jobPath, 'utf8'));
const { store: name, wire } = job.candidate;
const { open } = await import(wire === 'file' ? './file.mjs' : `./client/stores/${wire}.mjs`);
// Mistakes that a study may make on purpose, beside the work as it should be.
const { answers, latest, lock_wait: lockWait, processes, shape, ...settings } = job.settings;
const asked = { answers, latest, lock_wait: lockWait, processes, shape };
if (lockWait !== undefined && wire !== 'sqlite') throw new Error(`'${name}' has no 'lock_wait' here`);
if (processes !== undefined && wire === 'file') throw new Error('the lines of a file are counted by one process');
await lookAfter(Number(processes ?? 1));
const library = lockWait === 'none' ? withoutWaiting(LIBRARIES[driver]) : LIBRARIES[driver];
// No rows are made here, so the filler may be anything.
const values = new Values(job.schema, Buffer.alloc(1 << 20));
const store = await open({ ...job, settings, shape }, values, driver, library);
const isOfTexts = shape === 'texts';
// A text file knows by itself what to send.
if (isOfTexts && wire !== 'file') withoutIds(store, wire);
const oldest = latest === 'oldest';
if (oldest) {
  if (store.table === undefined) throw new Error(`the oldest rows of '${name}' are not served here`);
  store.table.latest = store.table.latest.replace(' DESC', '');
}
/** Posts that were answered and may not be stored yet. */
const underWay = new Set();

const [key, ...columns] = job.schema.fields;
const names = job.schema.fields.map((field) => field.name);
if (columns.some((column) => column.type === 'bytes')) throw new Error('rows with bytes are not served here');

const pool = Array.from({ length: POOL[wire] ?? 1 }, () => ({ busy: 0 }));

/** Does something by the connection that has least to do. Behind a failure another is made in its place. */
async function by(work) {
  const one = pool.reduce((least, next) => (next.busy < least.busy ? next : least));
  one.busy++;
  try {
    return await work(await (one.lane ??= store.connect(PHASE)));
  } catch (error) {
    if (pool.includes(one)) pool[pool.indexOf(one)] = { busy: 0 };
    throw error;
  } finally {
    if (--one.busy === 0 && !pool.includes(one)) one.lane.then((lane) => lane.close()).catch(() => {});
  }
}

/** A library of SQLite whose handles fail at once where another process holds a lock. */
function withoutWaiting(one) {
  if (one === undefined) throw new Error(`'${driver}' always waits for a lock here`);
  return { ...one, connect: (path) => one.connect(path, 0) };
}

const asObject = (all) => Object.fromEntries(names.map((column, at) => [column, all[at]]));

/**
 * Key and value of a row as the store takes them: fields, or the row as JSON where it keeps no columns. Where the store
 * numbers rows they have no key.
 */
function row(body) {
  for (const { name: column, type } of isOfTexts ? columns : job.schema.fields) {
    const wanted = type === 'int64' ? 'number' : 'string';
    if (typeof body?.[column] === wanted) continue;
    throw Object.assign(new Error(`'${column}' is missing or no ${wanted}`), { status: 422 });
  }
  const all = names.map((column) => body[column]);
  return [all[0], store.columns ? all.slice(1) : JSON.stringify(asObject(all))];
}

/** A row that came, as an object. */
function shown(found, value) {
  if (Array.isArray(value)) return asObject([found, ...value]);
  return Buffer.isBuffer(value) ? JSON.parse(value) : value;
}

/** The key that stands in a path. */
const keyOf = (text) => (key.type === 'int64' ? Number(text) : text);

const app = express();
app.use(express.json({ limit: '64mb' }));

app.get('/ping', async (request, answer) => {
  await store.call_ping();
  answer.sendStatus(204);
});

app.post('/rows', async (request, answer) => {
  const given = row(request.body);
  const stored = by((lane) => lane.insert(...given));
  if (answers === 'early') {
    const noted = stored.catch((error) => console.error(String(error))).finally(() => underWay.delete(noted));
    underWay.add(noted);
  } else if (await stored === EXISTS) {
    // Awaited: what is answered is in the store.
    return answer.status(409).json({ error: 'there is such a row already' });
  }
  answer.status(201).json(isOfTexts ? { taken: true } : { id: request.body[key.name] });
});

app.get('/rows', async (request, answer) => {
  const { latest: most } = request.query;
  const rows = await by((lane) => (most === undefined ? lane.scan() : lane.latest(Number(most))));
  // The oldest, where they are asked for, newest first as the others: what is asked for all has them all.
  if (oldest && most !== undefined) rows.reverse();
  if (isOfTexts && wire === 'file') return sendLines(answer, rows);
  if (isOfTexts) return answer.json(rows.map(([text]) => ({ [names.at(-1)]: text })));
  answer.json(rows.map(([found, value]) => shown(found, value)));
});

/** Lines of a file, which are not looked into: the file as it is, or its end. */
function sendLines(answer, { path, text }) {
  if (path === undefined) return answer.send(text);
  answer.sendFile(path, { dotfiles: 'allow' });
}

app.get('/rows/:key', async (request, answer) => {
  const asked = keyOf(request.params.key);
  const found = await by((lane) => lane.read(asked));
  if (found === undefined) return answer.status(404).json({ error: 'there is no such row' });
  answer.json(shown(asked, found));
});

/** Does a write, and answers whether there was a row. */
async function alter(answer, work) {
  if (await by(work) === MISSING) return answer.status(404).json({ error: 'there is no such row' });
  answer.sendStatus(204);
}

app.put('/rows/:key', (request, answer) => {
  const given = row({ ...request.body, [key.name]: keyOf(request.params.key) });
  return alter(answer, (lane) => lane.update(...given));
});

app.delete('/rows/:key', (request, answer) => alter(answer, (lane) => lane.delete(keyOf(request.params.key))));

app.post('/counters/:key', (request, answer) => alter(answer, (lane) => lane.increment(Number(request.params.key))));

app.post('/calls/:name', async (request, answer) => {
  const { name: call } = request.params;
  if (!CALLS.includes(call) || store[`call_${call}`] === undefined) return answer.json({ unsupported: true });
  try {
    // A call is about all that was answered.
    await Promise.all(underWay);
    const ok = await store[`call_${call}`]();
    answer.json({ ok: { settings: { ...ok, ...asked }, info: { ...ok, ...store.libraries } }[call] ?? ok });
  } catch (error) {
    answer.json({ error: String(error.message ?? error) });
  }
});

// Four arguments make it the one that takes errors.
// eslint-disable-next-line no-unused-vars
app.use((error, request, answer, next) => {
  answer.status(error.status ?? 500).json({ error: String(error.message ?? error) });
});

const server = app.listen(Number(port), '127.0.0.1', (error) => { if (error) throw error; });
// Connections stay open for as long as a phase may be quiet.
server.keepAliveTimeout = 600_000;
process.on('SIGTERM', () => {
  server.close(async () => {
    await Promise.all(pool.map(async ({ lane }) => (await lane)?.close()));
    process.exit(0);
  });
  server.closeAllConnections();
});

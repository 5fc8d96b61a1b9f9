// A board in Express: app.mjs JOB PORT DRIVER. What each request answers is what Kurabe's own service answers to it; JOB is the
// job that a client of the store would get.

import { readFileSync } from 'node:fs';

import express from 'express';

const FAMILIES = { mariadb: 'mysql', valkey: 'redis' };
const CALLS = ['create', 'reset', 'count', 'settings', 'sum', 'info'];

const [jobPath, port, driver] = process.argv.slice(2);
const job = JSON.parse(readFileSync(jobPath, 'utf8'));
const { store: name } = job.candidate;
const { open } = await import(`./stores/${FAMILIES[name] ?? name}.mjs`);
// Mistakes that a study may make on purpose, beside the work as it should be.
const { answers, latest, ...settings } = job.settings;
const own = JSON.parse(JSON.stringify({ answers, latest }));
const store = await open({ ...job, settings }, driver);
const early = answers === 'early';
const newest = latest === 'oldest' ? 'oldest' : 'latest';
if (newest === 'oldest' && store.oldest === undefined) throw new Error(`the oldest rows of '${name}' are not served here`);
/** Posts that were answered and may not be stored yet. */
const underWay = new Set();

const [key, ...columns] = job.schema.fields;
if (columns.some((column) => column.type === 'bytes')) throw new Error('rows with bytes are not served here');

/** A row in the order of its columns, whatever the order of what came. */
function row(body) {
  for (const { name: column, type } of job.schema.fields) {
    const wanted = type === 'int64' ? 'number' : 'string';
    if (typeof body?.[column] !== wanted) throw Object.assign(new Error(`'${column}' is missing or no ${wanted}`), { status: 422 });
  }
  return job.schema.fields.map(({ name: column }) => body[column]);
}

/** The key that stands in a path. */
const keyOf = (text) => (key.type === 'int64' ? Number(text) : text);

const app = express();
app.use(express.json({ limit: '64mb' }));

app.get('/ping', async (request, answer) => {
  await store.ping();
  answer.sendStatus(204);
});

app.post('/rows', async (request, answer) => {
  if (early) {
    const stored = store.insert(row(request.body)).catch((error) => console.error(String(error)));
    underWay.add(stored);
    stored.finally(() => underWay.delete(stored));
    return answer.status(201).json({ id: request.body[key.name] });
  }
  // Awaited: what is answered is in the store.
  const isNew = await store.insert(row(request.body));
  if (!isNew) return answer.status(409).json({ error: 'there is such a row already' });
  answer.status(201).json({ id: request.body[key.name] });
});

app.get('/rows', async (request, answer) => {
  const { latest: rows } = request.query;
  answer.json(rows === undefined ? await store.all() : await store[newest](Number(rows)));
});

app.get('/rows/:key', async (request, answer) => {
  const found = await store.read(keyOf(request.params.key));
  if (found === undefined) return answer.status(404).json({ error: 'there is no such row' });
  answer.json(found);
});

app.put('/rows/:key', async (request, answer) => {
  const met = await store.update(row({ ...request.body, [key.name]: keyOf(request.params.key) }));
  if (!met) return answer.status(404).json({ error: 'there is no such row' });
  answer.sendStatus(204);
});

app.delete('/rows/:key', async (request, answer) => {
  const met = await store.delete(keyOf(request.params.key));
  if (!met) return answer.status(404).json({ error: 'there is no such row' });
  answer.sendStatus(204);
});

app.post('/counters/:key', async (request, answer) => {
  await store.increment(Number(request.params.key));
  answer.sendStatus(204);
});

app.post('/calls/:name', async (request, answer) => {
  const { name: call } = request.params;
  if (!CALLS.includes(call) || store[call] === undefined) return answer.json({ unsupported: true });
  try {
    // A call is about all that was answered.
    await Promise.all(underWay);
    const ok = (await store[call]()) ?? true;
    answer.json({ ok: call === 'settings' ? { ...ok, ...own } : ok });
  } catch (error) {
    answer.json({ error: String(error.message ?? error) });
  }
});

// Four arguments make it the one that takes errors.
// eslint-disable-next-line no-unused-vars
app.use((error, request, answer, next) => {
  answer.status(error.status ?? 500).json({ error: String(error.message ?? error) });
});

const server = app.listen(Number(port), '127.0.0.1', (error) => {
  if (error) throw error;
});
// Connections stay open for as long as a phase may be quiet.
server.keepAliveTimeout = 600_000;
process.on('SIGTERM', () => {
  server.close(async () => {
    await store.close?.();
    process.exit(0);
  });
  server.closeAllConnections();
});

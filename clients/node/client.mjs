// Kurabe's Node client: works on one job from stdin (docs/PROTOCOL.md). All connections are in one
// event loop, as a service in Node has them.

import { readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import * as zlib from 'node:zlib';

import * as tape from './tape.mjs';
import { Values } from './values.mjs';

const VERSION = 2;
const FAILURES_IN_A_ROW = 100;
/** Or, where the store is restarted amid the phase, a worker gives up when nothing has succeeded for so long. */
const PATIENCE_NS = 10_000_000_000n;
const WRITES = new Set(['load', 'insert', 'update', 'delete', 'increment']);
const WITH_VALUE = new Set(['load', 'insert', 'update']);

/** The phase of connections that are opened inside of an operation. */
const OPENING = {};

// Calls that only tell of a server, and what is missing where it refuses to.
const TOLD = {
  info: 'version of the server', settings: 'settings of the server', size: 'size of the data',
  evicts: 'whether the server throws keys away',
};

const now = () => process.hrtime.bigint();
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** An error in one line. */
function words(error) {
  const text = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error?.message ?? error);
  return text.replace(/\s+/g, ' ').slice(0, 500) || String(error);
}

/** One worker in one phase: a connection, its script and its tape. */
class Worker {
  constructor(store, values, told, phase) {
    Object.assign(this, { store, values, told, phase });
    this.script = new tape.Script(told.script);
    this.tape = new tape.Tape(told.tape);
  }

  /** Where the operation is to open the store, no connection is left: the store can be opened. */
  async connect() {
    const lane = await this.store.connect(this.phase);
    if (this.phase.operations.includes('open')) await lane.close();
    else this.lane = lane;
  }

  /** Opens the store anew, reads the rows one after the other, and closes it. */
  async openAndRead(keys) {
    const lane = await this.store.connect(OPENING);
    try {
      const found = [];
      for (const key of keys) found.push(await lane.read(key));
      return found;
    } finally {
      await lane.close();
    }
  }

  async warmUp() {
    const { warmup } = this.told;
    if (warmup || this.phase.warmup_ns) await this.#work(warmup, this.phase.warmup_ns);
  }

  async measure() {
    const begin = now();
    this.tape.rows(begin, begin, tape.BEGINS, []);
    // Starts come once this is read.
    if (this.phase.planned) this.tape.flush();
    await this.#work(this.told.count, this.phase.duration_ns);
    this.tape.close();
    this.script.close();
  }

  /** Works until the script ends, so many operations are done, or so long has passed. */
  async #work(most, lastsNs) {
    const deadline = lastsNs === undefined ? undefined : now() + BigInt(lastsNs);
    const reconnects = this.phase.on_loss === 'reconnect';
    let [failed, failingSince, writesFail, due, uncommitted] = [0, 0n, false, false, false];
    for (let done = 0; (most === undefined || done < most) && (reconnects || failed < FAILURES_IN_A_ROW); done++) {
      if (failed > 0 && reconnects && !await this.#findAgain(failed, failingSince + PATIENCE_NS, deadline)) break;
      if (this.phase.planned && !await this.#awaitStart()) break;
      const entry = this.script.next();
      if (entry === undefined) break;
      const writes = WRITES.has(entry.kind);
      due ||= entry.commits;
      uncommitted ||= writes;
      const mustCommit = writes && due;
      const [method, ...given] = this.#operation(entry);
      const by = entry.kind === 'open' ? this : this.lane;
      const start = now();
      let [answer, error, outcome] = [undefined, undefined, tape.FAILED];
      try {
        answer = await by[method](...given);
        if (mustCommit) {
          outcome = tape.COMMIT_FAILED;
          [due, uncommitted] = [false, false];
          await this.lane.commit();
        }
      } catch (thrown) {
        error = thrown ?? new Error('an error without words');
      }
      const end = now();
      if (error === undefined) {
        // What is written between two commits that fail ends no row of failures.
        if (mustCommit || reconnects || !writesFail) [failed, writesFail] = [0, false];
        this.#note(entry, start, end, answer);
      } else {
        if (failed++ === 0) failingSince = end;
        writesFail ||= writes && entry.kind !== 'load';
        this.tape.failed(start, end, outcome, words(error));
      }
      if (deadline !== undefined && end >= deadline) break;
    }
    if (uncommitted) await this.#commitRest();
  }

  /** Waits for the planned start of the next operation; whether there is one. */
  async #awaitStart() {
    const free = now();
    const start = await tape.nextStart();
    if (start > 0n) this.tape.rows(start, free, tape.TAKEN, []);
    return start > 0n;
  }

  /** Makes the connection anew, with pauses that grow; whether there is one before it is too late. */
  async #findAgain(tries, until, deadline) {
    for (;;) {
      await pause(Math.min(2 ** Math.min(tries++, 7), 100));
      const at = now();
      if (at >= until || (deadline !== undefined && at >= deadline)) return false;
      try {
        await this.lane?.close();
      } catch {
        // It is gone already.
      }
      try {
        await this.connect();
        return true;
      } catch {
        // It is not there yet.
      }
    }
  }

  /** The method of the connection and what it is given, made before the clock is read. */
  #operation({ kind, row, argument, rows }) {
    const { values, store } = this;
    const key = values.key(row);
    switch (kind) {
      case 'increment': return ['increment', row];
      case 'scan': return ['scan'];
      case 'latest': return ['latest', argument];
      case 'search': return ['search', row, argument];
      case 'multi-read': return ['multiRead', rows.map((one) => values.key(one))];
      case 'open': return ['openAndRead', rows.map((one) => values.key(one))];
      default: {
        if (!WITH_VALUE.has(kind)) return [kind, key];
        const fields = values.fields(row, argument);
        return [kind, key, store.columns ? fields : values.raw(fields)];
      }
    }
  }

  #note(entry, start, end, answer) {
    const { values, store } = this;
    const raw = (value) => (value === undefined || !store.columns ? value : values.raw(value));
    const row = (key, value) => [values.keyBytes(key), raw(value)];
    switch (entry.kind) {
      case 'read': return this.tape.rows(start, end, tape.DONE, [row(values.key(entry.row), answer)]);
      case 'multi-read':
      case 'open':
        return this.tape.rows(start, end, tape.DONE, entry.rows.map((one, at) => row(values.key(one), answer[at])));
      case 'scan':
      case 'latest':
      case 'search': return this.tape.rows(start, end, tape.DONE, answer.map(([key, value]) => row(key, value)));
      default: return this.tape.rows(start, end, answer ?? tape.DONE, []);
    }
  }

  async #commitRest() {
    const start = now();
    try {
      await this.lane.commit();
      this.tape.rows(start, now(), tape.REST_COMMITTED, []);
    } catch (error) {
      this.tape.failed(start, now(), tape.REST_NOT_COMMITTED, words(error));
    }
  }
}

/** The state of one job. */
class Session {
  workers = [];

  async begin(told) {
    if (told.kurabe !== VERSION) throw new Error(`version ${told.kurabe} of the protocol is not spoken here, only ${VERSION}`);
    if (zlib.crc32 === undefined) throw new Error(`node ${process.version} has no zlib.crc32; 20.15 or newer is needed`);
    const { job } = told;
    this.values = new Values(job.schema, readFileSync(job.pool));
    const module = await import(`./stores/${job.candidate.wire}.mjs`);
    this.store = await module.open(job, this.values, process.argv[2] ?? '');
    say({
      hello: {
        client: 'node',
        version: '0.1.0',
        libraries: { node: process.versions.node, ...this.store.libraries },
        capabilities: {
          key_types: ['int64', 'text'], keeps_columns: this.store.columns, schedules: true, ...this.store.capabilities,
        },
      },
    });
  }

  async call(name, id) {
    const method = this.store[`call_${name}`];
    if (method === undefined) return say({ reply: id, unsupported: true });
    try {
      say({ reply: id, ok: await method.call(this.store) });
    } catch (error) {
      const missing = this.store.refuses?.(error) ? TOLD[name] : undefined;
      if (missing === undefined) say({ reply: id, error: words(error) });
      else say({ reply: id, unsupported: true, absent: [`${missing}: ${words(error)}`] });
    }
  }

  async prepare(phase) {
    await this.leave();
    this.workers = phase.workers.map((told) => new Worker(this.store, this.values, told, phase));
    await Promise.all(this.workers.map((worker) => worker.connect()));
    await Promise.all(this.workers.map((worker) => worker.warmUp()));
    say({ ready: phase.phase });
  }

  async go(phase) {
    await Promise.all(this.workers.map((worker) => worker.measure()));
    await this.leave();
    say({ result: phase });
  }

  /** Closes the connections of a phase. */
  async leave() {
    const lanes = this.workers.map((worker) => worker.lane);
    this.workers = [];
    await Promise.all(lanes.map((lane) => lane?.close()));
  }
}

/** The lines of the profile have a descriptor of their own: what is printed, by whatever library, is for people. */
const LINES = 3;

function say(line) {
  const bytes = Buffer.from(JSON.stringify(line) + '\n');
  for (let at = 0; at < bytes.length; ) at += writeSync(LINES, bytes, at);
}

const session = new Session();
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const told = JSON.parse(line);
  try {
    if (told.kurabe !== undefined) await session.begin(told);
    else if (told.call !== undefined) await session.call(told.call, told.id);
    else if (told.prepare !== undefined) await session.prepare(told.prepare);
    else if (told.go !== undefined) await session.go(told.go);
    else if (told.skip !== undefined) await session.leave();
    else if (told.stop !== undefined) {
      say({ end: true });
      process.exit(0);
    }
  } catch (error) {
    say({ error: words(error) });
    process.exit(told.kurabe === undefined ? 1 : 2);
  }
}
process.exit(3);

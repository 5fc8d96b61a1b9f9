// Keys and values, as docs/PROTOCOL.md has them, and what a store makes of a job.

const OFFSETS = 1_048_573;
const HEAD_BYTES = 25;

/** How the rows of one schema look. */
export class Values {
  /** @param schema the schema of the job @param pool the filler */
  constructor(schema, pool) {
    const [key, ...parts] = schema.fields;
    this.textKey = key.type === 'text';
    this.prefix = key.prefix ?? 'k';
    this.digits = key.digits ?? 10;
    this.parts = parts.map((part, at) => ({ ...part, number: at + 1, len: part.len_bytes ?? 0 }));
    this.framed = parts.length > 1;
    const longest = Math.max(0, ...this.parts.map((part) => part.len));
    const turns = 1 + Math.ceil(longest / pool.length);
    this.pool = Buffer.concat(Array(turns).fill(pool)).subarray(0, pool.length + longest);
  }

  /** The key of a row: a text, or a number. */
  key(row) {
    return this.textKey ? this.prefix + String(row).padStart(this.digits, '0') : row;
  }

  /** What of a key is digested. */
  keyBytes(key) {
    if (this.textKey) return Buffer.isBuffer(key) ? key : Buffer.from(key, 'utf8');
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(key));
    return bytes;
  }

  /** The fields after the key: numbers, texts, and buffers for bytes. */
  fields(row, version) {
    const start = (row * 7919 + version * 104_729) % OFFSETS;
    return this.parts.map(({ type, number, len, distinct, constant }) => {
      if (type === 'int64') {
        const value = (row * 31 + version * 17 + number) % 0x80000000;
        return distinct === undefined ? value : 1 + (value % distinct);
      }
      let text;
      if (constant) {
        text = '1234567890'.repeat(Math.ceil(len / 10)).slice(0, len);
      } else if (len < HEAD_BYTES) {
        text = this.pool.latin1Slice(start, start + len);
      } else {
        const head = `${pad(row, 10)}:${pad(version, 10)}:${pad(number, 2)}:`;
        text = head + this.pool.latin1Slice(start, start + len - HEAD_BYTES);
      }
      return type === 'bytes' ? Buffer.from(text, 'latin1') : text;
    });
  }

  /** The raw encoding of fields, written or read; a field of another type than the schema's gives one that matches nothing. */
  raw(fields) {
    if (!this.framed && this.parts[0].type !== 'int64') return asBytes(fields[0]);
    return Buffer.concat(this.parts.flatMap(({ type }, at) => {
      if (type === 'int64') {
        const bytes = Buffer.alloc(8);
        bytes.writeBigInt64LE(BigInt(fields[at]));
        return [bytes];
      }
      const bytes = asBytes(fields[at]);
      const len = Buffer.alloc(4);
      len.writeUInt32LE(bytes.length);
      return [len, bytes];
    }));
  }
}

/** Refuses a job that lacks the place of its store, `url` or `dir`, or gives it a setting that it does not know. */
export function expect(job, place, settings, advice) {
  const { store } = job.candidate;
  const [unknown] = Object.keys(job.settings).filter((name) => !settings.includes(name));
  if (unknown !== undefined) throw new Error(`${store} has no setting '${unknown}'; ${advice}`);
  if (place === undefined || job[place] !== undefined) return;
  const needed = place === 'dir' ? 'folder' : 'running server';
  throw new Error(`store '${store}' needs a ${needed}: the job has no '${place}'`);
}

/** The operations of a store that keeps columns: a number can be searched. */
export function operations(job) {
  const all = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment', 'open'];
  return job.schema.fields.slice(1).some((field) => field.type === 'int64') ? [...all, 'search'] : all;
}

function asBytes(value) {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value), 'utf8');
}

function pad(number, digits) {
  return String(number).padStart(digits, '0');
}

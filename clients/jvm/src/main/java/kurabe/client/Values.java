package kurabe.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.zip.CRC32;
import kurabe.client.Job.Field;
import kurabe.client.Job.Type;

/**
 * How keys and values of one schema look, and their digests (PROTOCOL.md, "Values"). A key is a {@code Long} or a
 * {@code String}. A value is its fields after the key: {@code Long}, {@code String}, {@code byte[]}; of a store that keeps raw
 * values it is one {@code byte[]}, their raw encoding. The workers of a phase have one each.
 */
public final class Values {
    private static final int POOL_BYTES = 1 << 20;
    private static final int HEAD_BYTES = 25;
    private static final String DIGITS = "1234567890";
    private static final long OFFSETS = 1_048_573;
    /** The digest of what cannot be a key or a value of the schema; that of an empty value is 0. */
    private static final int OF_NOTHING = 1;

    private final List<Field> schema;
    private final Field key;
    private final Field[] columns;
    private final boolean raw;
    /** Whether the raw encoding has lengths: a single field of text or bytes stands as it is. */
    private final boolean framed;
    private final int rawBytes;
    /** Extended by its own start, so that every slice is one piece. */
    private final byte[] pool;
    private final CRC32 digest = new CRC32();
    private final byte[] number = new byte[8];

    /** The values of a job, in raw encoding or in columns. */
    public static Values of(Job job, boolean raw) throws StoreException {
        byte[] pool;
        try {
            pool = Files.readAllBytes(job.pool());
        } catch (IOException error) {
            throw StoreException.failed("cannot read the pool: " + error);
        }
        if (pool.length != POOL_BYTES) {
            throw StoreException.failed("the pool of filler has " + pool.length + " bytes, expected " + POOL_BYTES);
        }
        int longest = job.columns().stream().mapToInt(Field::lenBytes).max().orElse(0);
        byte[] extended = new byte[POOL_BYTES + longest];
        for (int at = 0; at < extended.length; at += POOL_BYTES) {
            System.arraycopy(pool, 0, extended, at, Math.min(POOL_BYTES, extended.length - at));
        }
        return new Values(job.schema(), extended, raw);
    }

    private Values(List<Field> schema, byte[] pool, boolean raw) {
        this.schema = schema;
        this.pool = pool;
        this.raw = raw;
        key = schema.get(0);
        columns = schema.stream().skip(1).toArray(Field[]::new);
        framed = columns.length > 1 || columns[0].type() == Type.INT64;
        rawBytes = rawBytes(schema);
    }

    /** The same for another worker. */
    Values copy() {
        return new Values(schema, pool, raw);
    }

    /** Bytes of every raw encoded value of a schema. */
    static int rawBytes(List<Field> schema) {
        boolean framed = schema.size() > 2;
        return schema.stream().skip(1).mapToInt(field ->
                field.type() == Type.INT64 ? 8 : field.lenBytes() + (framed ? 4 : 0)).sum();
    }

    /** The key of a row. */
    public Object key(long row) {
        if (key.type() == Type.INT64) {
            return row;
        }
        byte[] digits = new byte[key.digits()];
        putDigits(digits, 0, key.digits(), row);
        return key.prefix().concat(new String(digits, StandardCharsets.ISO_8859_1));
    }

    /** The value of a row at a version. */
    public Object[] value(long row, long version) {
        if (raw) {
            return new Object[] {raw(row, version)};
        }
        Object[] fields = new Object[columns.length];
        for (int at = 0; at < fields.length; at++) {
            Field field = columns[at];
            if (field.type() == Type.INT64) {
                fields[at] = number(field, row, version, at + 1);
            } else {
                byte[] bytes = new byte[field.lenBytes()];
                put(bytes, 0, field, row, version, at + 1);
                fields[at] = field.type() == Type.BYTES ? bytes : new String(bytes, StandardCharsets.ISO_8859_1);
            }
        }
        return fields;
    }

    private byte[] raw(long row, long version) {
        byte[] all = new byte[rawBytes];
        int to = 0;
        for (int at = 0; at < columns.length; at++) {
            Field field = columns[at];
            if (field.type() == Type.INT64) {
                putLittle(all, to, 8, number(field, row, version, at + 1));
                to += 8;
                continue;
            }
            if (framed) {
                putLittle(all, to, 4, field.lenBytes());
                to += 4;
            }
            put(all, to, field, row, version, at + 1);
            to += field.lenBytes();
        }
        return all;
    }

    /** The value of an int64 field; the key is field 0. */
    static long number(Field field, long row, long version, int at) {
        long value = (row * 31 + version * 17 + at) & 0x7FFF_FFFFL;
        return field.distinct() == 0 ? value : 1 + value % field.distinct();
    }

    private void put(byte[] bytes, int to, Field field, long row, long version, int at) {
        int length = field.lenBytes();
        if (field.constant()) {
            for (int one = 0; one < length; one++) {
                bytes[to + one] = (byte) DIGITS.charAt(one % DIGITS.length());
            }
            return;
        }
        int head = length < HEAD_BYTES ? 0 : HEAD_BYTES;
        if (head > 0) {
            putDigits(bytes, to, 10, row);
            putDigits(bytes, to + 11, 10, version);
            putDigits(bytes, to + 22, 2, at);
            bytes[to + 10] = bytes[to + 21] = bytes[to + 24] = ':';
        }
        int start = (int) ((row * 7919 + version * 104_729) % OFFSETS);
        System.arraycopy(pool, start, bytes, to + head, length - head);
    }

    private static void putDigits(byte[] bytes, int to, int count, long number) {
        long rest = number;
        for (int at = to + count - 1; at >= to; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    private static void putLittle(byte[] bytes, int to, int count, long number) {
        for (int at = 0; at < count; at++) {
            bytes[to + at] = (byte) (number >> 8 * at);
        }
    }

    /**
     * The digests of a row that came, as they lie on a tape: that of the key in the lower half, that of the value in the upper.
     * Both are 0 where there is no such row.
     */
    long digests(Object key, Object[] value) {
        return value == null ? 0 : (long) digest(value) << 32 | digest(key) & 0xFFFF_FFFFL;
    }

    private int digest(Object key) {
        digest.reset();
        return add(this.key.type(), key, false) ? (int) digest.getValue() : OF_NOTHING;
    }

    private int digest(Object[] value) {
        digest.reset();
        boolean is = value.length == (raw ? 1 : columns.length);
        for (int at = 0; is && at < value.length; at++) {
            is = raw ? add(Type.BYTES, value[at], false) : add(columns[at].type(), value[at], framed);
        }
        return is ? (int) digest.getValue() : OF_NOTHING;
    }

    /** Adds what came of a field; false where it is of another type. */
    private boolean add(Type type, Object field, boolean framed) {
        if (type == Type.INT64) {
            if (!(field instanceof Long value)) {
                return false;
            }
            putLittle(number, 0, 8, value);
            digest.update(number, 0, 8);
            return true;
        }
        byte[] bytes = type == Type.TEXT && field instanceof String text ? text.getBytes(StandardCharsets.UTF_8)
                : type == Type.BYTES && field instanceof byte[] came ? came : null;
        if (bytes == null) {
            return false;
        }
        if (framed) {
            putLittle(number, 0, 4, bytes.length);
            digest.update(number, 0, 4);
        }
        digest.update(bytes, 0, bytes.length);
        return true;
    }
}

package kurabe.client;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * How keys and values of one schema are written and checked (PROTOCOL.md, "Values"). A value is its fields after the
 * key: {@code Long}, {@code String}, {@code byte[]}; of a raw value that was taken apart also text is {@code byte[]}.
 */
public final class Layout {
    private static final int POOL_BYTES = 1 << 20;
    private static final int HEAD_BYTES = 25;
    private static final String DIGITS = "1234567890";
    private static final long OFFSETS = 1_048_573;

    private final List<Field> schema;
    private final Field[] parts;
    /** Number of the first part that carries row and version, or -1. */
    private final int head;
    private final boolean textKey;
    private final String prefix;
    private final int digits;
    private final String pool;
    /** The text of each part that is constant, null for the others. */
    private final String[] constants;
    private final byte[] poolBytes;
    private final int rawBytes;

    /** The layout of a schema with the pool of filler of a job. */
    public Layout(List<Field> schema, byte[] pool) throws Refused {
        if (pool.length != POOL_BYTES) {
            throw new Refused("the pool of filler has " + pool.length + " bytes, expected " + POOL_BYTES);
        }
        this.schema = schema;
        parts = schema.subList(1, schema.size()).toArray(Field[]::new);
        textKey = schema.get(0).type() == Field.Type.TEXT;
        prefix = schema.get(0).prefix();
        digits = schema.get(0).digits();
        constants = new String[parts.length];
        int longest = 0;
        int first = -1;
        int bytes = 0;
        for (int at = 0; at < parts.length; at++) {
            boolean number = parts[at].type() == Field.Type.INT64;
            int length = number ? 0 : parts[at].lenBytes();
            longest = Math.max(longest, length);
            constants[at] = parts[at].constant() ? DIGITS.repeat(length / DIGITS.length() + 1).substring(0, length) : null;
            bytes += number ? 8 : length + (parts.length > 1 ? 4 : 0);
            if (first < 0 && !number && length >= HEAD_BYTES && !parts[at].constant()) {
                first = at;
            }
        }
        head = first;
        rawBytes = bytes;
        // Extended by its own start, so that every slice is one piece.
        poolBytes = new byte[POOL_BYTES + longest];
        for (int at = 0; at < poolBytes.length; at++) {
            poolBytes[at] = pool[at % POOL_BYTES];
        }
        this.pool = new String(poolBytes, StandardCharsets.ISO_8859_1);
    }

    /** The fields, the key first. */
    public List<Field> schema() {
        return schema;
    }

    /** Whether the key is text. */
    public boolean textKey() {
        return textKey;
    }

    /** Bytes of every raw encoded value. */
    public int rawBytes() {
        return rawBytes;
    }

    /** Number of the int64 field of this name that is not the key, or -1. */
    public int intField(String name) {
        for (int at = 1; at < schema.size(); at++) {
            if (schema.get(at).name().equals(name) && schema.get(at).type() == Field.Type.INT64) {
                return at;
            }
        }
        return -1;
    }

    /** The key of a row: a {@code Long} or a {@code String}. */
    public Object key(long row) {
        return textKey ? prefix + digits(row, digits) : (Object) row;
    }

    /** The row of a key that a store gave, or -1 where it is no key of ours. */
    public long rowOf(Object key) {
        if (!textKey) {
            return key instanceof Long number && number >= 0 ? number : -1;
        }
        if (!(key instanceof String text) || text.length() != prefix.length() + digits || !text.startsWith(prefix)) {
            return -1;
        }
        return number(text, prefix.length(), digits);
    }

    /** The fields after the key of a row at a version. */
    public Object[] fields(long row, long version) {
        int start = fillerStart(row, version);
        Object[] fields = new Object[parts.length];
        for (int at = 0; at < parts.length; at++) {
            Field part = parts[at];
            if (part.type() == Field.Type.INT64) {
                fields[at] = intValue(row, version, at + 1);
                continue;
            }
            int length = part.lenBytes();
            String text = constants[at];
            if (text == null) {
                text = length < HEAD_BYTES
                        ? pool.substring(start, start + length)
                        : headOf(row, version, at + 1) + pool.substring(start, start + length - HEAD_BYTES);
            }
            fields[at] = part.type() == Field.Type.TEXT ? text : text.getBytes(StandardCharsets.ISO_8859_1);
        }
        return fields;
    }

    /** The raw encoding: what key-value stores hold. */
    public byte[] raw(Object[] fields) {
        if (fields.length == 1 && !(fields[0] instanceof Long)) {
            return bytes(fields[0]);
        }
        ByteBuffer raw = ByteBuffer.allocate(rawBytes).order(ByteOrder.LITTLE_ENDIAN);
        for (Object field : fields) {
            if (field instanceof Long number) {
                raw.putLong(number);
            } else {
                byte[] bytes = bytes(field);
                raw.putInt(bytes.length).put(bytes);
            }
        }
        return raw.array();
    }

    /** The fields of a raw value; one of a wrong form gives fields that match nothing. */
    public Object[] unpack(byte[] raw) {
        if (parts.length == 1 && parts[0].type() != Field.Type.INT64) {
            return new Object[] {raw};
        }
        if (raw.length != rawBytes) {
            return new Object[0];
        }
        ByteBuffer rest = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
        Object[] fields = new Object[parts.length];
        for (int at = 0; at < parts.length; at++) {
            if (parts[at].type() == Field.Type.INT64) {
                fields[at] = rest.getLong();
            } else if (rest.getInt() == parts[at].lenBytes()) {
                byte[] bytes = new byte[parts[at].lenBytes()];
                rest.get(bytes);
                fields[at] = bytes;
            } else {
                return new Object[0];
            }
        }
        return fields;
    }

    /** What is wrong with a value that was read. */
    enum Fault { LENGTH, ROW, VERSION, CONTENT }

    /**
     * What a check found.
     *
     * @param version the version that was read, where it is whole but not one that may be read
     */
    record Wrong(Fault fault, long version) {}

    /** Checks a value that was read for a row, when any version from low to high is right; null where it is right. */
    Wrong check(long row, Object[] fields, long low, long high) {
        if (fields.length != parts.length) {
            return new Wrong(Fault.LENGTH, 0);
        }
        if (low == high && matches(row, low, fields)) {
            return null;
        }
        for (int at = 0; at < parts.length; at++) {
            if (length(fields[at]) != (parts[at].type() == Field.Type.INT64 ? 8 : parts[at].lenBytes())) {
                return new Wrong(Fault.LENGTH, 0);
            }
        }
        if (head < 0) {
            for (long version = low; version <= high; version++) {
                if (matches(row, version, fields)) {
                    return null;
                }
            }
            return new Wrong(Fault.CONTENT, 0);
        }
        return checkClaimed(row, fields, low, high);
    }

    private Wrong checkClaimed(long row, Object[] fields, long low, long high) {
        String text = fields[head] instanceof String told ? told : new String(bytes(fields[head]), StandardCharsets.ISO_8859_1);
        long claimedRow = number(text, 0, 10);
        long claimed = number(text, 11, 10);
        if (claimedRow < 0 || claimed < 0) {
            return new Wrong(Fault.CONTENT, 0);
        }
        if (claimedRow != row) {
            return new Wrong(Fault.ROW, 0);
        }
        if (!matches(row, claimed, fields)) {
            return new Wrong(Fault.CONTENT, 0);
        }
        return claimed >= low && claimed <= high ? null : new Wrong(Fault.VERSION, claimed);
    }

    private boolean matches(long row, long version, Object[] fields) {
        int start = fillerStart(row, version);
        for (int at = 0; at < parts.length; at++) {
            Field part = parts[at];
            boolean same;
            if (part.constant()) {
                same = isConstant(constants[at], fields[at]);
            } else if (part.type() == Field.Type.INT64) {
                same = fields[at] instanceof Long number && number == intValue(row, version, at + 1);
            } else {
                same = matches(row, version, at + 1, part.lenBytes(), start, fields[at]);
            }
            if (!same) {
                return false;
            }
        }
        return true;
    }

    private static boolean isConstant(String constant, Object value) {
        return value instanceof byte[] bytes
                ? Arrays.equals(bytes, constant.getBytes(StandardCharsets.ISO_8859_1))
                : constant.equals(value);
    }

    private boolean matches(long row, long version, int field, int length, int start, Object value) {
        if (length(value) != length) {
            return false;
        }
        int headBytes = length < HEAD_BYTES ? 0 : HEAD_BYTES;
        int rest = length - headBytes;
        if (value instanceof String text) {
            return (headBytes == 0 || headMatches(row, version, field, text, null))
                    && text.regionMatches(headBytes, pool, start, rest);
        }
        byte[] bytes = (byte[]) value;
        return (headBytes == 0 || headMatches(row, version, field, null, bytes))
                && Arrays.equals(bytes, headBytes, length, poolBytes, start, start + rest);
    }

    /** Compares the 25 characters without making a string of them. */
    private static boolean headMatches(long row, long version, int field, String text, byte[] bytes) {
        return digitsMatch(row, 0, 10, text, bytes) && at(10, text, bytes) == ':'
                && digitsMatch(version, 11, 10, text, bytes) && at(21, text, bytes) == ':'
                && digitsMatch(field, 22, 2, text, bytes) && at(24, text, bytes) == ':';
    }

    private static boolean digitsMatch(long number, int from, int digits, String text, byte[] bytes) {
        long rest = number;
        for (int at = from + digits - 1; at >= from; at--) {
            if (at(at, text, bytes) != '0' + rest % 10) {
                return false;
            }
            rest /= 10;
        }
        return true;
    }

    private static int at(int at, String text, byte[] bytes) {
        return text != null ? text.charAt(at) : bytes[at];
    }

    private static int length(Object field) {
        if (field instanceof String text) {
            return text.length();
        }
        if (field instanceof byte[] bytes) {
            return bytes.length;
        }
        return field instanceof Long ? 8 : -1;
    }

    /** Text as its bytes; all that is generated is ASCII, so anything else matches nothing. */
    private static byte[] bytes(Object field) {
        return field instanceof byte[] bytes ? bytes : ((String) field).getBytes(StandardCharsets.UTF_8);
    }

    private static int fillerStart(long row, long version) {
        return (int) ((row * 7919 + version * 104_729) % OFFSETS);
    }

    /** The value of an int64 field; the key is field 0. */
    long intValue(long row, long version, int field) {
        long value = (row * 31 + version * 17 + field) & 0x7FFF_FFFFL;
        long distinct = parts[field - 1].distinct();
        return distinct == 0 ? value : 1 + value % distinct;
    }

    private static String headOf(long row, long version, int field) {
        return digits(row, 10) + ':' + digits(version, 10) + ':' + digits(field, 2) + ':';
    }

    private static String digits(long number, int count) {
        byte[] digits = new byte[count];
        long rest = number;
        for (int at = count - 1; at >= 0; at--) {
            digits[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return new String(digits, StandardCharsets.ISO_8859_1);
    }

    /** The number in these digits, or -1 where they are not all digits. */
    private static long number(String text, int from, int count) {
        if (text.length() < from + count) {
            return -1;
        }
        long number = 0;
        for (int at = from; at < from + count; at++) {
            int digit = text.charAt(at) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }
}

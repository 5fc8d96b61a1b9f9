package kurabe.client;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import kurabe.client.Job.*;
import kurabe.client.Store.*;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.representer.Representer;

/**
 * How keys and values of one schema look, and their digests (PROTOCOL.md, "Values"). A key is a {@code Long} or a
 * {@code String}. A value is its fields after the key: {@code Long}, {@code String}, {@code byte[]}; of a store that
 * keeps raw values it is one {@code byte[]}, their raw encoding. The workers of a phase have one each.
 */
final class Values {
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
    private final ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** The values of a job, in raw encoding or in columns. */
    static Values of(Job job, boolean raw) throws StoreException {
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
    Object key(long row) {
        if (key.type() == Type.INT64) {
            return row;
        }
        byte[] digits = new byte[key.digits()];
        putDigits(digits, 0, key.digits(), row);
        return key.prefix().concat(new String(digits, StandardCharsets.ISO_8859_1));
    }

    /** The value of a row at a version. */
    Object[] value(long row, long version) {
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
        ByteBuffer all = ByteBuffer.allocate(rawBytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < columns.length; at++) {
            Field field = columns[at];
            if (field.type() == Type.INT64) {
                all.putLong(number(field, row, version, at + 1));
                continue;
            }
            if (framed) {
                all.putInt(field.lenBytes());
            }
            put(all.array(), all.position(), field, row, version, at + 1);
            all.position(all.position() + field.lenBytes());
        }
        return all.array();
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

    /**
     * The digests of a row that came, as they lie on a tape: that of the key in the lower half, that of the value in
     * the upper. Both are 0 where there is no such row.
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
            digest.update(number.putLong(0, value).array(), 0, Long.BYTES);
            return true;
        }
        byte[] bytes = type == Type.TEXT && field instanceof String text ? text.getBytes(StandardCharsets.UTF_8)
                : type == Type.BYTES && field instanceof byte[] came ? came : null;
        if (bytes == null) {
            return false;
        }
        if (framed) {
            digest.update(number.putInt(0, bytes.length).array(), 0, Integer.BYTES);
        }
        digest.update(bytes, 0, bytes.length);
        return true;
    }

    /**
     * Rows as a map of their fields in the value of a store that keeps bytes (PROTOCOL.md, "Values"): JSON by Jackson,
     * YAML by SnakeYAML, MessagePack by msgpack-core. Encoding is inside the time of a write, decoding inside that of a
     * read.
     */
    record Encoding(String name, List<Field> columns, Function<List<Field>, Codec> maker, LongAdder spent) {
        /** Nothing is encoded: the value is in raw encoding, or the store keeps columns. */
        static final Encoding RAW = new Encoding("raw", List.of(), null, new LongAdder());

        /** Longest library-made frame of a field beside its name and value: quotes, colons, line ends, heads. */
        private static final int AROUND_BYTES = 32;
        private static final Map<String, Function<List<Field>, Codec>> ALL = new TreeMap<>(
                Map.of("json", Encoding::json, "messagepack", MessagePackCodec::new, "yaml", Encoding::yaml));

        private static final ObjectMapper JSON =
                JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

        /** That of a job whose store keeps no columns. */
        static Encoding of(Job job) throws StoreException {
            return job.encoding().equals("raw") ? RAW : of(job.encoding(), job.columns());
        }

        /** One by its name. */
        static Encoding of(String name, List<Field> columns) throws StoreException {
            Function<List<Field>, Codec> codec = ALL.get(name);
            if (codec == null) {
                throw StoreException.failed("encoding '" + name + "' does not exist here; there is "
                        + String.join(", ", known()));
            }
            return new Encoding(name, columns, codec, new LongAdder());
        }

        /** The names of those that exist here. */
        static List<String> known() {
            return Stream.concat(Stream.of("raw"), ALL.keySet().stream()).toList();
        }

        Map<String, String> libraries() throws StoreException {
            return this == RAW ? Map.of() : Map.of(name, Store.version(name));
        }

        /** Takes from the capabilities of a store what it can do with raw values only. */
        void limit(Map<String, Object> capabilities, List<Field> schema) {
            if (this == RAW) {
                return;
            }
            long longest = 0;
            for (Field field : columns) {
                longest += field.name().length() + AROUND_BYTES + switch (field.type()) {
                    case INT64 -> 20;
                    case TEXT -> field.lenBytes();
                    // In base64.
                    case BYTES -> field.lenBytes() / 3 * 4 + 4;
                };
            }
            long longer = Math.max(longest - rawBytes(schema), 0);
            capabilities.computeIfPresent("max_value_bytes", (key, most) -> ((Number) most).longValue() - longer);
        }

        /** Time that encoding and decoding took inside operations so far, but for those of {@code open}. */
        long spentNs() {
            return spent.sum();
        }

        /** A connection whose values are encoded. */
        Lane around(Lane lane) {
            return this == RAW ? lane : new EncodedLane(lane);
        }

        /** One for a worker of its own. */
        Codec codec() {
            return maker.apply(columns);
        }

        /** The fields of what was kept. A value that is no row gives fields that match nothing. */
        static Object[] decoded(Codec codec, Object[] kept) {
            if (kept == null) {
                return null;
            }
            try {
                return codec.decode((byte[]) kept[0]);
            } catch (Exception error) {
                // The libraries have errors of many kinds, and the language adds its own: a cast, an index.
                return new Object[0];
            }
        }

        private final class EncodedLane implements Lane {
            private final Lane lane;
            private final Codec codec = codec();

            EncodedLane(Lane lane) {
                this.lane = lane;
            }

            private Object[] encoded(Object[] fields) throws StoreException {
                long start = System.nanoTime();
                try {
                    return new Object[] {codec.encode(fields)};
                } catch (Exception error) {
                    throw StoreException.failed("cannot encode a row: " + error.getMessage());
                } finally {
                    spent.add(System.nanoTime() - start);
                }
            }

            private Object[] decoded(Object[] kept) {
                long start = System.nanoTime();
                Object[] fields = Encoding.decoded(codec, kept);
                spent.add(System.nanoTime() - start);
                return fields;
            }

            @Override
            public Outcome write(Kind kind, Object key, Object[] value) throws Exception {
                return lane.write(kind, key, value == null ? null : encoded(value));
            }

            @Override
            public void loadMany(Object[] keys, Object[][] values) throws Exception {
                Object[][] encoded = new Object[values.length][];
                for (int at = 0; at < values.length; at++) {
                    encoded[at] = encoded(values[at]);
                }
                lane.loadMany(keys, encoded);
            }

            @Override
            public void commit() throws Exception {
                lane.commit();
            }

            @Override
            public Object[] read(Object key) throws Exception {
                return decoded(lane.read(key));
            }

            @Override
            public Object[][] readMany(Kind kind, Object[] keys) throws Exception {
                Object[][] answers = lane.readMany(kind, keys);
                for (int at = 0; at < answers.length; at++) {
                    answers[at] = kind == Kind.OPEN ? Encoding.decoded(codec, answers[at]) : decoded(answers[at]);
                }
                return answers;
            }

            @Override
            public void give(Kind kind, long low, long high, Sink sink) throws Exception {
                lane.give(kind, low, high, (key, value) -> sink.take(key, decoded(value)));
            }

            @Override
            public long retries() {
                return lane.retries();
            }

            @Override
            public void close(boolean lost) throws Exception {
                lane.close(lost);
            }
        }

        /** Writes and reads the rows of one schema by the usual library of an encoding; it belongs to one thread. */
        interface Codec {
            /** The fields of a row, in the order of the schema, as one value. */
            byte[] encode(Object[] fields) throws Exception;

            /**
             * The fields of a value, each of the type that the schema says; an exception of whatever kind where it is
             * no such row.
             */
            Object[] decode(byte[] kept) throws Exception;
        }

        /** JSON as a program without classes of its own for its rows uses it. */
        private static Codec json(List<Field> columns) {
            return new MapCodec(columns, JSON::writeValueAsBytes, kept -> JSON.readValue(kept, Map.class));
        }

        /** YAML in blocks, and without types beyond those of YAML. */
        private static Codec yaml(List<Field> columns) {
            DumperOptions writes = new DumperOptions();
            writes.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
            LoaderOptions reads = new LoaderOptions();
            reads.setAllowDuplicateKeys(false);
            // Its own limit is 3 MB, which is less than a value may have.
            reads.setCodePointLimit(Integer.MAX_VALUE);
            Yaml yaml = new Yaml(new SafeConstructor(reads), new Representer(writes), writes, reads);
            return new MapCodec(columns, row -> yaml.dump(row).getBytes(StandardCharsets.UTF_8),
                    kept -> yaml.load(new String(kept, StandardCharsets.UTF_8)));
        }

        /** What a library does with one thing. */
        private interface Step<I, O> {
            O apply(I from) throws Exception;
        }

        /**
         * A codec whose library takes and gives maps, and knows no bytes: they are texts in base64, as programs keep
         * them there.
         */
        private record MapCodec(
                List<Field> columns, Step<Map<String, Object>, byte[]> write, Step<byte[], Map<?, ?>> parse)
                implements Codec {
            @Override
            public byte[] encode(Object[] values) throws Exception {
                Map<String, Object> row = new LinkedHashMap<>(2 * values.length);
                for (int at = 0; at < values.length; at++) {
                    Object value = values[at];
                    row.put(columns.get(at).name(), value instanceof byte[] bytes
                            ? Base64.getEncoder().encodeToString(bytes) : value);
                }
                return write.apply(row);
            }

            @Override
            public Object[] decode(byte[] kept) throws Exception {
                Map<?, ?> row = parse.apply(kept);
                if (row.size() != columns.size()) {
                    throw new IllegalArgumentException("a column is missing or too many");
                }
                Object[] values = new Object[columns.size()];
                for (int at = 0; at < values.length; at++) {
                    Object value = row.get(columns.get(at).name());
                    values[at] = switch (columns.get(at).type()) {
                        case INT64 -> value instanceof Integer small ? (Long) (long) small : (Long) value;
                        case TEXT -> (String) value;
                        case BYTES -> Base64.getDecoder().decode((String) value);
                    };
                }
                return values;
            }
        }

        /** MessagePack, which has bytes of its own. */
        private record MessagePackCodec(List<Field> columns, MessageBufferPacker packer) implements Codec {
            MessagePackCodec(List<Field> columns) {
                this(columns, MessagePack.newDefaultBufferPacker());
            }

            @Override
            public byte[] encode(Object[] values) throws IOException {
                packer.clear();
                packer.packMapHeader(values.length);
                for (int at = 0; at < values.length; at++) {
                    packer.packString(columns.get(at).name());
                    if (values[at] instanceof Long number) {
                        packer.packLong(number);
                    } else if (values[at] instanceof String text) {
                        packer.packString(text);
                    } else {
                        byte[] bytes = (byte[]) values[at];
                        packer.packBinaryHeader(bytes.length).writePayload(bytes);
                    }
                }
                return packer.toByteArray();
            }

            @Override
            public Object[] decode(byte[] kept) throws IOException {
                try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(kept)) {
                    Object[] values = new Object[columns.size()];
                    boolean same = unpacker.unpackMapHeader() == values.length;
                    for (int at = 0; same && at < values.length; at++) {
                        Field field = columns.get(at);
                        same = unpacker.unpackString().equals(field.name());
                        values[at] = switch (field.type()) {
                            case INT64 -> unpacker.unpackLong();
                            case TEXT -> unpacker.unpackString();
                            case BYTES -> unpacker.readPayload(unpacker.unpackBinaryHeader());
                        };
                    }
                    if (!same || unpacker.hasNext()) {
                        throw new IllegalArgumentException("no row of this schema");
                    }
                    return values;
                }
            }
        }
    }
}

package kurabe.client;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import kurabe.client.Job.Field;
import kurabe.client.Job.Kind;
import kurabe.client.Tape.Outcome;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Rows as a map of their fields in the value of a store that keeps bytes (PROTOCOL.md, "Values"): JSON by Jackson, YAML by
 * SnakeYAML, MessagePack by msgpack-core. Encoding is inside the time of a write, decoding inside that of a read.
 */
final class Encoding {
    /** Nothing is encoded: the value is in raw encoding, or the store keeps columns. */
    static final Encoding RAW = new Encoding("raw", List.of(), null);

    /** Longest library-made frame of a field beside its name and value: quotes, colons, line ends, heads. */
    private static final int AROUND_BYTES = 32;
    private static final Map<String, Function<List<Field>, Codec>> ALL = new TreeMap<>(
            Map.of("json", JsonCodec::new, "messagepack", MessagePackCodec::new, "yaml", YamlCodec::new));

    private final String name;
    private final List<Field> columns;
    private final Function<List<Field>, Codec> codec;
    private final LongAdder spentNs = new LongAdder();

    private Encoding(String name, List<Field> columns, Function<List<Field>, Codec> codec) {
        this.name = name;
        this.columns = columns;
        this.codec = codec;
    }

    /** That of a job whose store keeps no columns. */
    static Encoding of(Job job) throws StoreException {
        return job.encoding().equals("raw") ? RAW : of(job.encoding(), job.columns());
    }

    /** One by its name. */
    static Encoding of(String name, List<Field> columns) throws StoreException {
        Function<List<Field>, Codec> codec = ALL.get(name);
        if (codec == null) {
            throw StoreException.failed("encoding '" + name + "' does not exist here; there is " + String.join(", ", known()));
        }
        return new Encoding(name, columns, codec);
    }

    /** The names of those that exist here. */
    static List<String> known() {
        List<String> names = new ArrayList<>(List.of("raw"));
        names.addAll(ALL.keySet());
        return names;
    }

    Map<String, String> libraries() throws StoreException {
        return this == RAW ? Map.of() : Map.of(name, Stores.version(name));
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
        long longer = Math.max(longest - Values.rawBytes(schema), 0);
        capabilities.computeIfPresent("max_value_bytes", (key, most) -> ((Number) most).longValue() - longer);
    }

    /** Time that encoding and decoding took inside operations so far, but for those of {@code open}. */
    long spentNs() {
        return spentNs.sum();
    }

    /** A connection whose values are encoded. */
    Lane around(Lane lane) {
        return this == RAW ? lane : new EncodedLane(lane, codec.apply(columns));
    }

    /** One for a worker of its own. */
    Codec codec() {
        return codec.apply(columns);
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

    /** Writes and reads the rows of one schema by the usual library of an encoding; it belongs to one thread. */
    interface Codec {
        /** The fields of a row, in the order of the schema, as one value. */
        byte[] encode(Object[] fields) throws Exception;

        /** The fields of a value, each of the type that the schema says; an exception of whatever kind where it is no such row. */
        Object[] decode(byte[] kept) throws Exception;
    }

    private final class EncodedLane implements Lane {
        private final Lane lane;
        private final Codec codec;

        EncodedLane(Lane lane, Codec codec) {
            this.lane = lane;
            this.codec = codec;
        }

        private Object[] encoded(Object[] fields) throws StoreException {
            long start = System.nanoTime();
            try {
                return new Object[] {codec.encode(fields)};
            } catch (Exception error) {
                throw StoreException.failed("cannot encode a row: " + error.getMessage());
            } finally {
                spentNs.add(System.nanoTime() - start);
            }
        }

        private Object[] decoded(Object[] kept) {
            long start = System.nanoTime();
            Object[] fields = Encoding.decoded(codec, kept);
            spentNs.add(System.nanoTime() - start);
            return fields;
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) throws StoreException {
            return lane.write(kind, key, value == null ? null : encoded(value));
        }

        @Override
        public void loadMany(Object[] keys, Object[][] values) throws StoreException {
            Object[][] encoded = new Object[values.length][];
            for (int at = 0; at < values.length; at++) {
                encoded[at] = encoded(values[at]);
            }
            lane.loadMany(keys, encoded);
        }

        @Override
        public void commit() throws StoreException {
            lane.commit();
        }

        @Override
        public Object[] read(Object key) throws StoreException {
            return decoded(lane.read(key));
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) throws StoreException {
            Object[][] answers = lane.readMany(kind, keys);
            for (int at = 0; at < answers.length; at++) {
                answers[at] = kind == Kind.OPEN ? Encoding.decoded(codec, answers[at]) : decoded(answers[at]);
            }
            return answers;
        }

        @Override
        public void give(Kind kind, long low, long high, Sink sink) throws StoreException {
            lane.give(kind, low, high, (key, value) -> sink.take(key, decoded(value)));
        }

        @Override
        public long retries() {
            return lane.retries();
        }

        @Override
        public void close(boolean lost) throws StoreException {
            lane.close(lost);
        }
    }

    /** A codec whose library takes and gives maps, and knows no bytes: they are texts in base64, as programs keep them there. */
    private abstract static class MapCodec implements Codec {
        private final List<Field> columns;

        MapCodec(List<Field> columns) {
            this.columns = columns;
        }

        /** The map as a value. */
        abstract byte[] write(Map<String, Object> row) throws Exception;

        /** The map of a value. */
        abstract Map<?, ?> parse(byte[] kept) throws Exception;

        @Override
        public byte[] encode(Object[] values) throws Exception {
            Map<String, Object> row = new LinkedHashMap<>(2 * values.length);
            for (int at = 0; at < values.length; at++) {
                Object value = values[at];
                row.put(columns.get(at).name(), value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value);
            }
            return write(row);
        }

        @Override
        public Object[] decode(byte[] kept) throws Exception {
            Map<?, ?> row = parse(kept);
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException("a column is missing or too many");
            }
            Object[] values = new Object[columns.size()];
            for (int at = 0; at < values.length; at++) {
                Field field = columns.get(at);
                Object value = row.get(field.name());
                values[at] = switch (field.type()) {
                    case INT64 -> value instanceof Integer small ? (Long) (long) small : (Long) value;
                    case TEXT -> (String) value;
                    case BYTES -> Base64.getDecoder().decode((String) value);
                };
            }
            return values;
        }
    }

    /** JSON as a program without classes of its own for its rows uses it. */
    private static final class JsonCodec extends MapCodec {
        private static final ObjectMapper MAPPER = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();

        JsonCodec(List<Field> columns) {
            super(columns);
        }

        @Override
        byte[] write(Map<String, Object> row) throws Exception {
            return MAPPER.writeValueAsBytes(row);
        }

        @Override
        Map<?, ?> parse(byte[] kept) throws Exception {
            return MAPPER.readValue(kept, Map.class);
        }
    }

    /** YAML in blocks, and without types beyond those of YAML. */
    private static final class YamlCodec extends MapCodec {
        private final Yaml yaml;

        YamlCodec(List<Field> columns) {
            super(columns);
            DumperOptions writes = new DumperOptions();
            writes.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
            LoaderOptions reads = new LoaderOptions();
            reads.setAllowDuplicateKeys(false);
            // Its own limit is 3 MB, which is less than a value may have.
            reads.setCodePointLimit(Integer.MAX_VALUE);
            yaml = new Yaml(new SafeConstructor(reads), new Representer(writes), writes, reads);
        }

        @Override
        byte[] write(Map<String, Object> row) {
            return yaml.dump(row).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        Map<?, ?> parse(byte[] kept) {
            return (Map<?, ?>) yaml.load(new String(kept, StandardCharsets.UTF_8));
        }
    }

    /** MessagePack, which has bytes of its own. */
    private static final class MessagePackCodec implements Codec {
        private final List<Field> columns;
        private final MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();

        MessagePackCodec(List<Field> columns) {
            this.columns = columns;
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

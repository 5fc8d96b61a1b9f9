package kurabe.client.encoding;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kurabe.client.Field;
import kurabe.client.Refused;
import kurabe.client.StoreException;

/** Writes and reads the rows of one schema by the usual library of an encoding; it belongs to one thread. */
interface Codec {
    /** Longest library-made frame of a field beside its name and value: quotes, colons, line ends, heads. */
    int AROUND_BYTES = 32;

    /** The fields of a row, in the order of the schema, as one value. */
    byte[] encode(Object[] fields) throws StoreException;

    /**
     * The fields of a value, each of the type that the schema says.
     *
     * @throws RuntimeException where it is no such row; the libraries have errors of many kinds
     */
    Object[] decode(byte[] kept) throws Exception;

    /** Makes a codec for the fields after the key. */
    interface Factory {
        /** Makes it. */
        Codec of(List<Field> fields);
    }

    /** Those that exist here beside raw, by name. */
    Map<String, Factory> ALL = new TreeMap<>(
            Map.<String, Factory>of("json", JsonCodec::new, "messagepack", MessagePackCodec::new, "yaml", YamlCodec::new));

    /** The factory of an encoding. */
    static Factory factory(String encoding) throws Refused {
        Factory factory = ALL.get(encoding);
        if (factory == null) {
            throw new Refused("encoding '" + encoding + "' does not exist here; there is raw, "
                    + String.join(", ", ALL.keySet()));
        }
        return factory;
    }

    /** Most bytes that the encoded form of generated rows has. */
    static long longestBytes(List<Field> fields) {
        long longest = 0;
        for (Field field : fields) {
            long content = switch (field.type()) {
                case INT64 -> 20;
                case TEXT -> field.lenBytes();
                // In base64.
                case BYTES -> field.lenBytes() / 3 * 4 + 4;
            };
            longest += field.name().length() + AROUND_BYTES + content;
        }
        return longest;
    }
}

package kurabe.client;

/**
 * A field of the schema.
 *
 * @param lenBytes length of a text or bytes field in bytes
 * @param prefix what stands before the digits of a text key
 * @param digits how many digits of the row a text key has
 * @param distinct how many values an int64 field has, 0 where it has as many as there are
 * @param constant whether every row has the same text
 */
public record Field(
        String name, Type type, int lenBytes, boolean indexed, String prefix, int digits, long distinct, boolean constant) {
    /** Digits where a schema does not say. */
    public static final int DIGITS = 10;

    /** A field with keys and values as they are where a schema says no more. */
    public Field(String name, Type type, int lenBytes, boolean indexed, String prefix) {
        this(name, type, lenBytes, indexed, prefix, DIGITS, 0, false);
    }

    /** Types of fields. */
    public enum Type {
        /** 64 bits, signed. */
        INT64,
        /** Characters. */
        TEXT,
        /** Bytes. */
        BYTES
    }
}

package kurabe.client;

/**
 * A field of the schema.
 *
 * @param lenBytes length of a text or bytes field in bytes
 * @param prefix what stands before the digits of a text key
 */
public record Field(String name, Type type, int lenBytes, boolean indexed, String prefix) {
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

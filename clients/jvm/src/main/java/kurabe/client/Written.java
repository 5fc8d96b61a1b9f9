package kurabe.client;

/** What a write did. */
public enum Written {
    /** Written. */
    DONE,
    /** Not inserted: the key exists. */
    EXISTS,
    /** Not updated or deleted: no such key. */
    MISSING
}

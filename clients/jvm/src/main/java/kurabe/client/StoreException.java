package kurabe.client;

/** What could not be done, in the store's own words; whoever tells it takes secrets out ({@link Secrets}). */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1;

    /** What follows from it. */
    public enum Cause {
        /** This operation failed, or the job cannot be done here. */
        FAILED,
        /** The store has no such thing. */
        UNSUPPORTED,
        /** The connection is gone: nothing more is tried on it. */
        DISCONNECTED,
        /** The user of the address may not do this; a call leaves the figure out instead. */
        DENIED
    }

    /** What follows. */
    public final Cause kind;

    /** With the reason, for people. */
    public StoreException(Cause kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** An operation that failed, or a job that is refused. */
    public static StoreException failed(String message) {
        return new StoreException(Cause.FAILED, message);
    }

    /** Something that the store does not have. */
    public static StoreException unsupported() {
        return new StoreException(Cause.UNSUPPORTED, "unsupported");
    }
}

package kurabe.client;

import kurabe.client.Job.Kind;
import kurabe.client.Tape.Outcome;

/**
 * One connection of a store; it belongs to one thread. Each method is one blocking request to the driver. Keys and values are
 * those of {@link Values}; what a read gives is in this client's own memory. It is asked for no kind that its store does not name.
 *
 * <p>Writes between two commits are one transaction where the store has transactions.
 */
public interface Lane {
    /** Takes the rows of an answer, one after the other. */
    interface Sink {
        /** Takes a row with its key as the store gave it. */
        void take(Object key, Object[] value);
    }

    /**
     * Loads a row, which may overwrite; inserts a new one; updates a whole row that must exist; deletes one; or increments a
     * counter, whose number is the key, and which is 0 where it does not exist.
     */
    Outcome write(Kind kind, Object key, Object[] value) throws StoreException;

    /** Loads several rows in one request. */
    default void loadMany(Object[] keys, Object[][] values) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Makes the writes so far durable as the job's durability setting says. */
    default void commit() throws StoreException {}

    /** The value of a row, null where there is none. */
    Object[] read(Object key) throws StoreException;

    /**
     * Reads several rows: for each key its value, or null. A multi-read is one request; what is opened is a store as a program
     * opens it that starts, which reads one row after the other and closes everything again.
     */
    Object[][] readMany(Kind kind, Object[] keys) throws StoreException;

    /**
     * Gives every row (scan), the {@code high} rows with the highest keys from the highest on (latest), or those whose value in
     * the field of the phase is between {@code low} and {@code high}, both included (search).
     */
    default void give(Kind kind, long low, long high, Sink sink) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Attempts that were repeated inside operations so far. */
    default long retries() {
        return 0;
    }

    /** Closes the connection, which may be {@code lost}; what was not committed is given up. */
    void close(boolean lost) throws StoreException;
}

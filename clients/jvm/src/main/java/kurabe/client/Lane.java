package kurabe.client;

import kurabe.client.Tape.Outcome;

/**
 * One connection of a store; it belongs to one thread. Each method is one blocking request to the driver. Keys and values are
 * those of {@link Values}; what a read gives is in this client's own memory.
 *
 * <p>Writes between two commits are one transaction where the store has transactions.
 */
public interface Lane {
    /** Takes the rows of a scan, a search or of {@code latest}, one after the other. */
    interface Sink {
        /** Takes a row with its key as the store gave it. */
        void take(Object key, Object[] value);
    }

    /** Writes a row while loading; may overwrite. */
    void load(Object key, Object[] value) throws StoreException;

    /** Writes several rows in one request. */
    default void loadMany(Object[] keys, Object[][] values) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Writes a new row. */
    Outcome insert(Object key, Object[] value) throws StoreException;

    /** The value of a row, null where there is none. */
    Object[] read(Object key) throws StoreException;

    /** Replaces a whole row that must exist. */
    Outcome update(Object key, Object[] value) throws StoreException;

    /** Removes a row. */
    Outcome delete(Object key) throws StoreException;

    /** Makes the writes so far durable as the job's durability setting says. */
    default void commit() throws StoreException {}

    /** Reads every row, in any order. */
    default void scan(Sink sink) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Reads the rows with the highest keys, highest first. */
    default void latest(int rows, Sink sink) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Reads every row whose value in the field of the phase is in a range, both ends included. */
    default void search(long low, long high, Sink sink) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Reads several rows in one request: for each key its value, or null. */
    default Object[][] multiRead(Object[] keys) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Opens the store as a program that starts does, reads these rows one after the other and closes everything again. */
    default Object[][] open(Object[] keys) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Adds 1 to a counter; one that does not exist is 0. */
    default void increment(long counter) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Attempts that were repeated inside operations so far. */
    default long retries() {
        return 0;
    }

    /** Closes the connection, which may be {@code lost}; what was not committed is given up. */
    void close(boolean lost) throws StoreException;
}

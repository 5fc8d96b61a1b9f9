package kurabe.client;

import java.util.List;

/**
 * One connection of a store; it belongs to one thread. Each method is one blocking request to the driver.
 *
 * <p>Writes between two commits are one transaction where the store has transactions. The loop calls {@link #commit}
 * after every {@code commit_every} writes, also where that is 1. What a read gives is in this client's own memory.
 */
public interface Lane extends AutoCloseable {
    /** Writes a row while loading; may overwrite. */
    void load(Row row) throws StoreException;

    /** Writes a new row. */
    Written insert(Row row) throws StoreException;

    /** The fields of a row, null where there is none; of a raw store the raw value alone. */
    Object[] read(Object key) throws StoreException;

    /** Replaces a whole row that must exist. */
    Written update(Row row) throws StoreException;

    /** Removes a row. */
    Written delete(Object key) throws StoreException;

    /** Makes the writes so far durable as the job's durability setting says. */
    void commit() throws StoreException;

    /** Reads every row, in any order. */
    default void scan(RowSink sink) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Reads the rows with the highest keys, highest first. */
    default void latest(int rows, RowSink sink) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Reads several rows in one operation: for each key its fields, or null. */
    default Object[][] multiRead(List<Object> keys) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Adds 1 to a counter; one that does not exist is 0. */
    default void increment(long counter) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Reads every row whose value in a field is in a range, both ends included. */
    default void search(int field, long low, long high, RowSink sink) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Writes several rows in one request. */
    default void loadMany(List<Row> rows) throws StoreException {
        throw StoreException.unsupported();
    }

    /** Attempts that were repeated inside operations so far. */
    default long retries() {
        return 0;
    }

    /** Closes the connection; what was not committed is given up. */
    @Override
    void close() throws StoreException;
}

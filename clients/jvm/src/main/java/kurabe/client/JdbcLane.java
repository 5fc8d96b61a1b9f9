package kurabe.client;

import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import kurabe.client.Jdbc.Sql;
import kurabe.client.Job.*;
import kurabe.client.Store.*;

/**
 * One connection with the statements of its phase. A phase that commits each write leaves that to the driver
 * (autocommit); where several writes are one transaction, it is begun by the first of them, so that reads before it are
 * none of it.
 */
final class JdbcLane implements Lane {
    /** So often one increment is tried again after a deadlock. */
    private static final int RETRIES = 1000;

    private final Jdbc store;
    private final Connection connection;
    private final Field[] columns;
    private final boolean textKey;
    private final boolean transactional;
    private final boolean mixed;
    /** Whether all reads are one transaction, which ends with the connection. */
    private final boolean snapshot;
    private final Map<Kind, PreparedStatement> statements = new EnumMap<>(Kind.class);
    private PreparedStatement newCounter;
    private PreparedStatement multiRead;
    private int multiReadKeys;
    private boolean open;
    private boolean torn;
    private long retries;
    private LongSupplier waits = () -> 0;
    /** What each commit needs beside, or null. */
    private PreparedStatement afterCommit;

    JdbcLane(Jdbc store, Connection connection, Phase phase) throws Exception {
        this.store = store;
        this.connection = connection;
        columns = store.job.columns().toArray(Field[]::new);
        textKey = store.job.hasTextKey();
        transactional = phase.writes() && (phase.commitEvery() > 1 || phase.batched());
        mixed = phase.readsAndWrites() || store.beginsAtOnce;
        snapshot = phase.snapshot();
        try {
            if (snapshot && phase.writes()) {
                throw StoreException.failed("phase '" + phase.name()
                        + "' writes: one snapshot for all reads is for phases that only read");
            }
            waits = store.waits.of(connection);
            afterCommit = store.afterCommit.of(connection);
            prepare(phase);
            if (transactional && phase.readsAndWrites()) {
                store.seeCommitted.with(connection);
            }
            if (snapshot) {
                store.beginSnapshot.with(connection);
            } else if (transactional && !mixed) {
                connection.setAutoCommit(false);
            }
        } catch (Exception error) {
            close(true);
            throw error;
        }
    }

    private void prepare(Phase phase) throws SQLException {
        Sql sql = store.sql;
        boolean adds = store.incrementOrMake == null || store.addsFirst && !transactional;
        for (Kind kind : phase.kinds()) {
            String text = switch (kind) {
                case LOAD, INSERT -> sql.of(kind) + store.onConflict;
                case LATEST -> sql.scan() + " ORDER BY " + sql.key + " DESC" + store.limit;
                case SEARCH -> sql.scan() + " WHERE " + sql.name(store.job.schema().get(phase.searchField()))
                        + " BETWEEN ? AND ?";
                case INCREMENT -> !adds ? store.incrementOrMake
                        : "UPDATE " + sql.counters + " SET " + sql.n + " = " + sql.n + " + 1 WHERE " + sql.id + " = ?";
                // None yet for a multi-read, whose statement depends on the number of keys.
                default -> sql.of(kind);
            };
            if (text != null) {
                statements.put(kind, connection.prepareStatement(text));
            }
        }
        if (phase.does(Kind.INCREMENT) && adds && store.keepsCounters) {
            newCounter = connection.prepareStatement(store.incrementOrMake != null ? store.incrementOrMake
                    : "INSERT INTO " + sql.counters + " (" + sql.id + ", " + sql.n + ") VALUES (?, 1)");
        }
        if (phase.does(Kind.SCAN)) {
            statements.get(Kind.SCAN).setFetchSize(store.fetchSize);
        }
    }

    private static void bindKey(PreparedStatement statement, int at, Object key) throws SQLException {
        if (key instanceof String text) {
            statement.setString(at, text);
        } else {
            statement.setLong(at, (Long) key);
        }
    }

    private void bindFields(PreparedStatement statement, int first, Object[] fields) throws SQLException {
        for (int at = 0; at < columns.length; at++) {
            switch (columns[at].type()) {
                case INT64 -> statement.setLong(first + at, (Long) fields[at]);
                case TEXT -> statement.setString(first + at, (String) fields[at]);
                case BYTES -> statement.setBytes(first + at, (byte[]) fields[at]);
            }
        }
    }

    private Object[] fields(ResultSet result, int first) throws SQLException {
        Object[] fields = new Object[columns.length];
        for (int at = 0; at < columns.length; at++) {
            fields[at] = switch (columns[at].type()) {
                case INT64 -> (Object) result.getLong(first + at);
                case TEXT -> result.getString(first + at);
                case BYTES -> result.getBytes(first + at);
            };
        }
        return fields;
    }

    private Object key(ResultSet result) throws SQLException {
        if (!textKey) {
            return result.getLong(1);
        }
        // What drivers make a text of is up to them where a column holds bytes.
        return store.keyIsBytes ? new String(result.getBytes(1), StandardCharsets.UTF_8) : result.getString(1);
    }

    /** Begins the transaction of the next writes, where there is one. */
    private void begin() throws SQLException {
        if (transactional && !open) {
            if (mixed) {
                connection.setAutoCommit(false);
            }
            open = true;
        }
    }

    /** An error of a write takes the writes of its transaction along. */
    private SQLException rolledBack(SQLException error) {
        torn |= open;
        try {
            if (open) {
                connection.rollback();
            }
        } catch (SQLException second) {
            // The connection is gone with its transaction: the first error tells it.
        }
        return error;
    }

    @Override
    public Outcome write(Kind kind, Object key, Object[] value) throws SQLException, StoreException {
        PreparedStatement statement = statements.get(kind);
        try {
            begin();
            if (kind == Kind.INCREMENT) {
                increment(statement, (Long) key);
            } else {
                bind(statement, kind, key, value);
                if (statement.executeUpdate() == 0) {
                    return noRow(kind);
                }
            }
            if (!transactional && afterCommit != null) {
                afterCommit.execute();
            }
            return Outcome.DONE;
        } catch (SQLException error) {
            if (kind == Kind.INSERT && store.exists.test(error)) {
                return Outcome.EXISTS;
            }
            throw rolledBack(error);
        }
    }

    /** What a write did that changed no row. */
    private static Outcome noRow(Kind kind) throws StoreException {
        return switch (kind) {
            case LOAD -> throw StoreException.failed("a row of the load exists already");
            case INSERT -> Outcome.EXISTS;
            default -> Outcome.MISSING;
        };
    }

    private void bind(PreparedStatement statement, Kind kind, Object key, Object[] value) throws SQLException {
        boolean isKeyLast = kind == Kind.UPDATE;
        bindKey(statement, isKeyLast ? columns.length + 1 : 1, key);
        if (value != null) {
            bindFields(statement, isKeyLast ? 1 : 2, value);
        }
    }

    /**
     * Connections that make the same counters may deadlock; where the statement is its own transaction it is repeated.
     */
    private void increment(PreparedStatement statement, long counter) throws SQLException {
        for (int attempt = 0; ; attempt++) {
            try {
                incrementOnce(statement, counter);
                return;
            } catch (SQLException error) {
                if (attempt == RETRIES || transactional || !store.isDeadlock.test(error)) {
                    throw error;
                }
                retries++;
            }
        }
    }

    private void incrementOnce(PreparedStatement statement, long counter) throws SQLException {
        statement.setLong(1, counter);
        if (statement.executeUpdate() > 0 || newCounter == null) {
            return;
        }
        try {
            newCounter.setLong(1, counter);
            newCounter.executeUpdate();
        } catch (SQLException error) {
            if (!store.exists.test(error)) {
                throw error;
            }
            // Another connection made it meanwhile.
            retries++;
            statement.executeUpdate();
        }
    }

    @Override
    public void loadMany(Object[] keys, Object[][] values) throws SQLException {
        PreparedStatement statement = statements.get(Kind.LOAD);
        try {
            begin();
            int most = store.places / (columns.length + 1);
            for (int at = 0; at < keys.length; at++) {
                bind(statement, Kind.LOAD, keys[at], values[at]);
                statement.addBatch();
                if ((at + 1) % most == 0 || at + 1 == keys.length) {
                    statement.executeBatch();
                }
            }
        } catch (SQLException error) {
            throw rolledBack(error);
        }
    }

    @Override
    public void commit() throws SQLException, StoreException {
        if (!open) {
            return;
        }
        open = false;
        try {
            if (torn) {
                torn = false;
                connection.rollback();
                throw StoreException.failed("an earlier error rolled back writes of this transaction");
            }
            if (!store.beginsAtOnce) {
                connection.commit();
                if (afterCommit != null) {
                    afterCommit.execute();
                }
            }
        } finally {
            // Back to statements that are transactions of their own; JDBC commits what is under way then.
            if (mixed && !connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
        }
    }

    @Override
    public Object[] read(Object key) throws SQLException {
        return read(statements.get(Kind.READ), key);
    }

    private Object[] read(PreparedStatement statement, Object key) throws SQLException {
        bindKey(statement, 1, key);
        try (ResultSet result = statement.executeQuery()) {
            return result.next() ? fields(result, 1) : null;
        }
    }

    @Override
    public Object[][] readMany(Kind kind, Object[] keys) throws SQLException, StoreException {
        return kind == Kind.OPEN ? open(keys) : multiRead(keys);
    }

    private Object[][] open(Object[] keys) throws SQLException, StoreException {
        try (Connection fresh = store.open(store.job.operationNs());
                PreparedStatement statement = fresh.prepareStatement(store.sql.of(Kind.READ))) {
            Object[][] answers = new Object[keys.length][];
            for (int at = 0; at < keys.length; at++) {
                answers[at] = read(statement, keys[at]);
            }
            return answers;
        }
    }

    private Object[][] multiRead(Object[] keys) throws SQLException {
        if (multiReadKeys != keys.length) {
            // All of a phase ask for as many.
            multiRead = connection.prepareStatement(
                    store.sql.scan() + " WHERE " + store.sql.key + " IN (" + Sql.marks(keys.length) + ")");
            multiReadKeys = keys.length;
        }
        for (int at = 0; at < keys.length; at++) {
            bindKey(multiRead, at + 1, keys[at]);
        }
        Map<Object, Object[]> found = new HashMap<>();
        give(multiRead, found::put);
        return Stream.of(keys).map(found::get).toArray(Object[][]::new);
    }

    @Override
    public void give(Kind kind, long low, long high, Sink sink) throws SQLException {
        PreparedStatement statement = statements.get(kind);
        boolean wrapped = kind == Kind.SCAN && store.streamsInTransactionOnly && !open && !snapshot;
        if (wrapped) {
            connection.setAutoCommit(false);
        }
        if (kind == Kind.LATEST) {
            statement.setInt(1, (int) high);
        } else if (kind == Kind.SEARCH) {
            statement.setLong(1, low);
            statement.setLong(2, high);
        }
        give(statement, sink);
        if (wrapped) {
            connection.setAutoCommit(true);
        }
    }

    private void give(PreparedStatement statement, Sink sink) throws SQLException {
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                sink.take(key(result), fields(result, 2));
            }
        }
    }

    @Override
    public long retries() {
        return retries + waits.getAsLong();
    }

    @Override
    public void close(boolean lost) throws SQLException {
        try {
            if (!connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
            connection.close();
        } catch (SQLException error) {
            // The operation that found out that it was lost has told it.
            if (!lost) {
                throw error;
            }
        }
    }
}

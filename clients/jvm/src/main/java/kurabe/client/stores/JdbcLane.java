package kurabe.client.stores;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import kurabe.client.Field;
import kurabe.client.Kind;
import kurabe.client.Lane;
import kurabe.client.Layout;
import kurabe.client.Phase;
import kurabe.client.Row;
import kurabe.client.RowSink;
import kurabe.client.StoreException;
import kurabe.client.Written;

/**
 * One JDBC connection with its statements, prepared once. Where every write commits by itself the connection is in
 * autocommit mode; where several share a commit it is not, but for the time between commits of a phase that also reads.
 */
final class JdbcLane implements Lane {
    /** So often one increment is tried again after a deadlock. */
    private static final int RETRIES = 1000;

    private final JdbcStore store;
    private final Connection connection;
    private final Layout layout;
    private final Field[] columns;
    private final boolean twoStatements;
    private final boolean transactional;
    private final boolean mixed;
    /** Whether all reads are one transaction, which ends with the connection. */
    private final boolean snapshot;
    private final Map<Kind, PreparedStatement> statements = new EnumMap<>(Kind.class);
    private PreparedStatement newCounter;
    private int multiReadKeys;
    private boolean open;
    private boolean torn;
    private long retries;
    private LongSupplier waits = () -> 0;
    /** What each commit needs beside, or null. */
    private Dialect.AfterCommit afterCommit;

    JdbcLane(JdbcStore store, Connection connection, Phase phase) throws StoreException {
        this.store = store;
        this.connection = connection;
        layout = store.layout;
        columns = layout.schema().stream().skip(1).toArray(Field[]::new);
        twoStatements = store.dialect.increment("") == null;
        boolean batched = phase.operation() == Kind.LOAD && phase.loadPath().equals("batch");
        transactional = phase.writes() && (phase.commitEvery() > 1 || batched);
        mixed = phase.readsAndWrites() || store.dialect.beginsAtOnce();
        snapshot = phase.readScope().equals("snapshot");
        try {
            if (snapshot && phase.writes()) {
                throw StoreException.failed("phase '" + phase.name()
                        + "' writes: one snapshot for all reads is for phases that only read");
            }
            waits = store.dialect.waits(connection);
            afterCommit = store.dialect.afterCommit(connection);
            prepare(phase);
            if (transactional && phase.readsAndWrites()) {
                store.dialect.seeCommitted(connection);
            }
            if (snapshot) {
                store.dialect.beginSnapshot(connection);
            } else if (transactional && !mixed) {
                connection.setAutoCommit(false);
            }
        } catch (SQLException error) {
            StoreException failed = store.failed(error);
            close();
            throw failed;
        } catch (StoreException refused) {
            close();
            throw refused;
        }
    }

    private void prepare(Phase phase) throws SQLException {
        JdbcStore.Sql sql = store.sql;
        for (Kind kind : phase.kinds()) {
            String text = switch (kind) {
                case LOAD, INSERT -> sql.insert();
                case READ -> sql.read();
                case UPDATE -> sql.update();
                case DELETE -> sql.delete();
                case SCAN -> sql.scan();
                case LATEST -> sql.latest();
                case MULTI_READ -> {
                    multiReadKeys = (int) Math.min(phase.multiReadRows(), store.job.rows());
                    yield sql.multiRead(multiReadKeys);
                }
                case SEARCH -> sql.search(phase.searchField());
                case INCREMENT -> sql.increment();
                case OPEN, MIX -> null;
            };
            if (text != null) {
                statements.put(kind, connection.prepareStatement(text));
            }
        }
        if (twoStatements && phase.kinds().contains(Kind.INCREMENT)) {
            newCounter = connection.prepareStatement(sql.newCounter());
        }
        PreparedStatement scan = statements.get(Kind.SCAN);
        if (scan != null) {
            scan.setFetchSize(store.dialect.fetchSize());
        }
    }

    /** A read with nothing prepared: that of a program which has just opened the store. */
    static Object[] readOnce(JdbcStore store, Connection connection, Object key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(store.sql.read())) {
            Field[] columns = store.layout.schema().stream().skip(1).toArray(Field[]::new);
            bindKey(statement, 1, key);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? fields(result, 1, columns) : null;
            }
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

    private static Object[] fields(ResultSet result, int first, Field[] columns) throws SQLException {
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
        return layout.textKey() ? store.dialect.textKey(result) : (Object) result.getLong(1);
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

    /** Ends a statement that wrote, which is a transaction of its own where none is open. */
    private void written() throws SQLException {
        if (!transactional && afterCommit != null) {
            afterCommit.run();
        }
    }

    /** An error of a write takes the writes of its transaction along. */
    private StoreException writeFailed(SQLException error) {
        if (open) {
            torn = true;
            try {
                connection.rollback();
            } catch (SQLException second) {
                System.err.println("cannot roll back: " + second.getMessage());
            }
        }
        return store.failed(error);
    }

    private Written write(Kind kind, Row row) throws StoreException {
        PreparedStatement statement = statements.get(kind);
        try {
            begin();
            bindKey(statement, 1, row.key());
            bindFields(statement, 2, row.fields());
            if (statement.executeUpdate() == 0) {
                return Written.EXISTS;
            }
            written();
            return Written.DONE;
        } catch (SQLException error) {
            if (kind == Kind.INSERT && store.dialect.exists(error)) {
                return Written.EXISTS;
            }
            throw writeFailed(error);
        }
    }

    @Override
    public void load(Row row) throws StoreException {
        if (write(Kind.LOAD, row) != Written.DONE) {
            throw StoreException.failed("a row of the load exists already");
        }
    }

    @Override
    public Written insert(Row row) throws StoreException {
        return write(Kind.INSERT, row);
    }

    @Override
    public Object[] read(Object key) throws StoreException {
        PreparedStatement statement = statements.get(Kind.READ);
        try {
            bindKey(statement, 1, key);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? fields(result, 1, columns) : null;
            }
        } catch (SQLException error) {
            throw store.failed(error);
        }
    }

    @Override
    public Written update(Row row) throws StoreException {
        PreparedStatement statement = statements.get(Kind.UPDATE);
        try {
            begin();
            bindFields(statement, 1, row.fields());
            bindKey(statement, columns.length + 1, row.key());
            if (statement.executeUpdate() == 0) {
                return Written.MISSING;
            }
            written();
            return Written.DONE;
        } catch (SQLException error) {
            throw writeFailed(error);
        }
    }

    @Override
    public Written delete(Object key) throws StoreException {
        PreparedStatement statement = statements.get(Kind.DELETE);
        try {
            begin();
            bindKey(statement, 1, key);
            if (statement.executeUpdate() == 0) {
                return Written.MISSING;
            }
            written();
            return Written.DONE;
        } catch (SQLException error) {
            throw writeFailed(error);
        }
    }

    @Override
    public void commit() throws StoreException {
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
            if (!store.dialect.beginsAtOnce()) {
                connection.commit();
                if (afterCommit != null) {
                    afterCommit.run();
                }
            }
        } catch (SQLException error) {
            throw store.failed(error);
        } finally {
            endMixed();
        }
    }

    /** Back to statements that are transactions of their own; JDBC commits what is under way then. */
    private void endMixed() throws StoreException {
        try {
            if (mixed && !connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException error) {
            throw store.failed(error);
        }
    }

    private void give(PreparedStatement statement, RowSink sink) throws SQLException {
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                sink.take(key(result), fields(result, 2, columns));
            }
        }
    }

    @Override
    public void scan(RowSink sink) throws StoreException {
        boolean wrapped = store.dialect.streamsInTransactionOnly() && !open && !snapshot;
        try {
            if (wrapped) {
                connection.setAutoCommit(false);
            }
            give(statements.get(Kind.SCAN), sink);
            if (wrapped) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException error) {
            throw store.failed(error);
        }
    }

    @Override
    public void latest(int rows, RowSink sink) throws StoreException {
        PreparedStatement statement = statements.get(Kind.LATEST);
        try {
            statement.setInt(1, rows);
            give(statement, sink);
        } catch (SQLException error) {
            throw store.failed(error);
        }
    }

    @Override
    public Object[][] multiRead(List<Object> keys) throws StoreException {
        PreparedStatement statement = statements.get(Kind.MULTI_READ);
        try {
            for (int at = 0; at < multiReadKeys; at++) {
                // Where fewer are asked for, the rest is one of them once more.
                bindKey(statement, at + 1, keys.get(Math.min(at, keys.size() - 1)));
            }
            Map<Object, Object[]> found = new HashMap<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    found.put(key(result), fields(result, 2, columns));
                }
            }
            Object[][] answers = new Object[keys.size()][];
            for (int at = 0; at < answers.length; at++) {
                answers[at] = found.get(keys.get(at));
            }
            return answers;
        } catch (SQLException error) {
            throw store.failed(error);
        }
    }

    @Override
    public void search(int field, long low, long high, RowSink sink) throws StoreException {
        PreparedStatement statement = statements.get(Kind.SEARCH);
        try {
            statement.setLong(1, low);
            statement.setLong(2, high);
            give(statement, sink);
        } catch (SQLException error) {
            throw store.failed(error);
        }
    }

    /** Connections that make the same counters may deadlock; where the statement is its own transaction it is repeated. */
    @Override
    public void increment(long counter) throws StoreException {
        try {
            begin();
            for (int attempt = 0; !incremented(counter, attempt < RETRIES); attempt++) {
                retries++;
            }
            written();
        } catch (SQLException error) {
            throw writeFailed(error);
        }
    }

    /** False where a deadlock undid it and it may be tried again. */
    private boolean incremented(long counter, boolean mayRepeat) throws SQLException {
        try {
            incrementOnce(counter);
            return true;
        } catch (SQLException error) {
            if (mayRepeat && !transactional && store.dialect.deadlock(error)) {
                return false;
            }
            throw error;
        }
    }

    private void incrementOnce(long counter) throws SQLException {
        PreparedStatement statement = statements.get(Kind.INCREMENT);
        statement.setLong(1, counter);
        if (statement.executeUpdate() > 0 || !twoStatements) {
            return;
        }
        try {
            newCounter.setLong(1, counter);
            newCounter.executeUpdate();
        } catch (SQLException error) {
            if (!store.dialect.exists(error)) {
                throw error;
            }
            // Another connection made it meanwhile.
            retries++;
            statement.executeUpdate();
        }
    }

    @Override
    public void loadMany(List<Row> rows) throws StoreException {
        PreparedStatement statement = statements.get(Kind.LOAD);
        try {
            begin();
            int most = store.dialect.mostBatchRows(columns.length + 1);
            int waiting = 0;
            for (Row row : rows) {
                bindKey(statement, 1, row.key());
                bindFields(statement, 2, row.fields());
                statement.addBatch();
                if (++waiting == most) {
                    statement.executeBatch();
                    waiting = 0;
                }
            }
            if (waiting > 0) {
                statement.executeBatch();
            }
        } catch (SQLException error) {
            throw writeFailed(error);
        }
    }

    @Override
    public long retries() {
        return retries + waits.getAsLong();
    }

    @Override
    public void close() throws StoreException {
        try {
            if (connection.isClosed()) {
                // It was lost: the operation that found that out has told it.
                return;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            connection.close();
        } catch (SQLException error) {
            throw store.failed(error);
        }
    }
}

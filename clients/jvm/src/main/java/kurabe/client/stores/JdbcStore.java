package kurabe.client.stores;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import kurabe.client.Capabilities;
import kurabe.client.Field;
import kurabe.client.Job;
import kurabe.client.Kind;
import kurabe.client.Lane;
import kurabe.client.Layout;
import kurabe.client.Phase;
import kurabe.client.Secrets;
import kurabe.client.Store;
import kurabe.client.StoreException;

/** A database behind JDBC: one table named as the namespace, a second one for counters. */
public final class JdbcStore implements Store {
    final Dialect dialect;
    final Layout layout;
    final Job job;
    final Sql sql;
    private final Absent absent = new Absent();
    /** One connection for calls, which also keeps an embedded database open between phases. */
    private Connection keeper;

    /** The store of a job. */
    public JdbcStore(Job job, Layout layout, Dialect dialect) throws StoreException {
        this.job = job;
        this.layout = layout;
        this.dialect = dialect;
        sql = new Sql(dialect, job.namespace(), layout.schema());
    }

    @Override
    public Map<String, String> libraries() throws StoreException {
        Map<String, String> libraries = new LinkedHashMap<>();
        libraries.put(dialect.name() + "-jdbc", Versions.of(dialect.name()));
        try {
            libraries.putAll(dialect.libraries());
        } catch (SQLException error) {
            throw failed(error);
        }
        return libraries;
    }

    @Override
    public Capabilities capabilities() {
        List<String> readScopes = dialect.snapshots() ? List.of("each", "snapshot") : List.of("each");
        return new Capabilities(dialect.operations(layout.schema()), dialect.keyTypes(), dialect.insertTells(),
                List.of("row", "batch"), readScopes, dialect.transactions(), dialect.maxConnections(),
                dialect.maxValueBytes(), true);
    }

    @Override
    public boolean raw() {
        return false;
    }

    /** A new connection whose statements end after so many ns, where the driver can be told. */
    Connection open(long limitNs) throws StoreException {
        try {
            Properties properties = dialect.properties();
            Connection connection = DriverManager.getConnection(dialect.url(), properties);
            try {
                dialect.connected(connection);
                dialect.limit(connection, limitNs);
            } catch (SQLException | StoreException error) {
                connection.close();
                throw error;
            }
            return connection;
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    private synchronized Connection keeper() throws StoreException {
        if (keeper == null) {
            Connection fresh = open(job.callNs());
            try {
                Versions.expect(dialect.name(), fresh.getMetaData().getDriverVersion());
            } catch (SQLException error) {
                throw failed(error);
            }
            keeper = fresh;
        }
        return keeper;
    }

    /** An error in the store's own words. */
    StoreException failed(SQLException error) {
        // A number of the connection, which a driver puts first, would make each message another one.
        String message = Secrets.clean(error.getMessage()).replaceFirst("^\\(conn=[0-9]+\\) ", "");
        StoreException.Cause cause = dialect.disconnected(error) ? StoreException.Cause.DISCONNECTED
                : dialect.denied(error) ? StoreException.Cause.DENIED : StoreException.Cause.FAILED;
        return new StoreException(cause, message);
    }

    @Override
    public void ping() throws StoreException {
        try {
            if (!keeper().isValid(5)) {
                keeper = null;
                throw new StoreException(StoreException.Cause.DISCONNECTED, "the connection does not answer");
            }
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public Map<String, String> info() throws StoreException {
        try {
            DatabaseMetaData about = keeper().getMetaData();
            Map<String, String> info = new LinkedHashMap<>();
            info.put("version", about.getDatabaseProductVersion());
            info.put("driver", about.getDriverName() + " " + about.getDriverVersion());
            info.putAll(new TreeMap<>(dialect.driverSettings()));
            return info;
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public Map<String, String> settings() throws StoreException {
        try {
            return dialect.settings(keeper());
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public void create() throws StoreException {
        reset();
        try (Statement statement = keeper().createStatement()) {
            for (String one : dialect.create(layout.schema())) {
                statement.execute(one);
            }
            dialect.created(keeper());
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public void reset() throws StoreException {
        try (Statement statement = keeper().createStatement()) {
            dialect.drop(statement, job.namespace());
            dialect.drop(statement, job.namespace() + "_counters");
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    private long number(String query) throws StoreException {
        try {
            return Long.parseLong(Dialect.query(keeper(), query).get(0).get(0));
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public long count() throws StoreException {
        if (!dialect.counts()) {
            throw StoreException.unsupported();
        }
        return number("SELECT COUNT(*) FROM " + sql.table);
    }

    @Override
    public long sum() throws StoreException {
        if (!capabilities().operations().contains(Kind.INCREMENT)) {
            throw StoreException.unsupported();
        }
        return number("SELECT COALESCE(SUM(" + sql.countColumn + "), 0) FROM " + sql.counters);
    }

    @Override
    public long sizeBytes() throws StoreException {
        return absent.orUnsupported("size of the table", () -> {
            try {
                return dialect.sizeBytes(keeper());
            } catch (SQLException error) {
                throw failed(error);
            }
        });
    }

    @Override
    public List<String> absent() {
        return absent.take();
    }

    @Override
    public String check() throws StoreException {
        try {
            return dialect.check(keeper());
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public Lane connect(Phase phase) throws StoreException {
        keeper();
        return new JdbcLane(this, open(job.operationNs()), phase);
    }

    @Override
    public Object[] openAndRead(Phase phase, Object key) throws StoreException {
        try (Connection connection = open(job.operationNs())) {
            return JdbcLane.readOnce(this, connection, key);
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public synchronized void close() throws StoreException {
        if (keeper == null) {
            return;
        }
        try {
            dialect.shutdown(keeper);
            keeper = null;
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    /** The texts of the statements. */
    static final class Sql {
        final String table;
        final String counters;
        final String idColumn;
        final String countColumn;
        private final Dialect dialect;
        private final List<Field> schema;
        private final String key;
        private final String columns;

        Sql(Dialect dialect, String namespace, List<Field> schema) {
            this.dialect = dialect;
            this.schema = schema;
            table = dialect.quoted(namespace);
            counters = dialect.quoted(namespace + "_counters");
            idColumn = dialect.quoted("id");
            countColumn = dialect.quoted("n");
            key = dialect.quoted(schema.get(0).name());
            columns = schema.stream().map(field -> dialect.quoted(field.name())).collect(Collectors.joining(", "));
        }

        String insert() {
            return dialect.insert(table, columns, marks(schema.size()));
        }

        String read() {
            String rest = schema.stream().skip(1).map(field -> dialect.quoted(field.name())).collect(Collectors.joining(", "));
            return "SELECT " + rest + " FROM " + table + " WHERE " + key + " = ?";
        }

        String update() {
            String set = schema.stream().skip(1).map(field -> dialect.quoted(field.name()) + " = ?")
                    .collect(Collectors.joining(", "));
            return "UPDATE " + table + " SET " + set + " WHERE " + key + " = ?";
        }

        String delete() {
            return "DELETE FROM " + table + " WHERE " + key + " = ?";
        }

        String scan() {
            return "SELECT " + columns + " FROM " + table;
        }

        String latest() {
            return scan() + " ORDER BY " + key + " DESC" + dialect.limit();
        }

        String multiRead(int rows) {
            return scan() + " WHERE " + key + " IN (" + marks(rows) + ")";
        }

        String search(String field) {
            return scan() + " WHERE " + dialect.quoted(field) + " BETWEEN ? AND ?";
        }

        String increment() {
            String one = dialect.increment(counters);
            return one != null ? one
                    : "UPDATE " + counters + " SET " + countColumn + " = " + countColumn + " + 1 WHERE " + idColumn + " = ?";
        }

        String newCounter() {
            return "INSERT INTO " + counters + " (" + idColumn + ", " + countColumn + ") VALUES (?, 1)";
        }

        private static String marks(int count) {
            return String.join(", ", java.util.Collections.nCopies(count, "?"));
        }
    }
}

package kurabe.client;

import java.net.URI;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import kurabe.client.Job.Field;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Phase;
import kurabe.client.Job.Type;

/**
 * A database behind JDBC: one table named as the namespace, a second one for counters. What one database does differently from
 * the others is in its own class.
 */
abstract class Jdbc extends Store {
    /** Rows that a driver may fetch ahead in a scan. */
    private static final int FETCHED = 1000;

    final Sql sql;
    /** One connection for calls, which also keeps an embedded database open between phases. */
    private Connection keeper;

    /** Refuses every setting of the job that is not among those that this database knows. */
    Jdbc(Job job, Set<String> settings) throws StoreException {
        super(job, true, settings);
        sql = new Sql(job, this::quoted, "");
    }

    // What databases do differently.

    /** Address for the driver. */
    abstract String url();

    /** Settings as the live store reports them. */
    abstract Map<String, String> settings(Connection connection) throws SQLException, StoreException;

    /** Properties for the driver beside the address. */
    Properties properties() {
        return new Properties();
    }

    /** Libraries behind the driver, beside the driver itself. */
    Map<String, String> behindTheDriver() throws SQLException {
        return Map.of();
    }

    /** Settings of the driver that change what it sends; they are told with the versions. */
    Map<String, String> driverSettings() {
        return Map.of();
    }

    /** Applies what a new connection needs, whose statements end after so many ns where that can be told. */
    void connected(Connection connection, long limitNs) throws SQLException, StoreException {}

    /** Has a worker's connection wait for others in a way that can be counted, where it can; answers how often it did. */
    LongSupplier waits(Connection connection) throws SQLException {
        return () -> 0;
    }

    /** What is done after each commit of a worker's connection so that it lasts, where a commit alone does not. */
    interface AfterCommit {
        /** Done before the commit is answered. */
        void run() throws SQLException;
    }

    /** Prepares that once for a connection; nothing is needed where it is null. */
    AfterCommit afterCommit(Connection connection) throws SQLException {
        return null;
    }

    /** An identifier. */
    String quoted(String identifier) {
        return '"' + identifier + '"';
    }

    /** The start of a statement that makes a table. */
    String createTable() {
        return "CREATE TABLE ";
    }

    /** The statements that make the table of rows, its indexes, and the table of counters. */
    List<String> creates() {
        String columns = job.columns().stream()
                .map(field -> ", " + sql.name(field) + " " + type(field, false) + " NOT NULL").collect(Collectors.joining());
        List<String> all = new ArrayList<>();
        all.add(createTable() + sql.rows + " (" + sql.key + " " + type(job.schema().get(0), true) + " NOT NULL PRIMARY KEY"
                + columns + ")");
        all.add(createTable() + sql.counters + " (" + quoted("id") + " BIGINT NOT NULL PRIMARY KEY, " + quoted("n")
                + " BIGINT NOT NULL)");
        job.columns().stream().filter(Field::indexed).forEach(field -> all.add("CREATE INDEX "
                + quoted(job.namespace() + "_" + field.name()) + " ON " + sql.rows + " (" + sql.name(field) + ")"));
        return all;
    }

    /** Looks at what a server made of those statements, where it may have made something else. */
    void created(Connection connection) throws SQLException, StoreException {}

    /** Type of a column. */
    String type(Field field, boolean isKey) {
        if (field.type() == Type.INT64) {
            return "BIGINT";
        }
        if (isKey) {
            return "VARCHAR(255)";
        }
        return (field.type() == Type.TEXT ? "VARCHAR(" : "VARBINARY(") + Math.max(field.lenBytes(), 1) + ")";
    }

    /** The end of a query that gives the first rows only. */
    String limit() {
        return " LIMIT ?";
    }

    /** The end of an insert that has to tell where the key exists by changing nothing; by itself it is an error. */
    String onConflict() {
        return "";
    }

    /** One statement that adds 1 to a counter or makes it, or null where it takes two. */
    String incrementOrMake(String counters) {
        return null;
    }

    /** Removes a table where there is one. */
    void drop(Statement statement, String name) throws SQLException {
        statement.execute("DROP TABLE IF EXISTS " + quoted(name));
    }

    /** Whether a statement failed because its key exists. */
    boolean exists(SQLException error) {
        return String.valueOf(error.getSQLState()).startsWith("23505");
    }

    /** Whether a statement failed since two connections waited for each other, so that it may be tried again. */
    boolean isDeadlock(SQLException error) {
        return false;
    }

    /** Whether an error means that the connection is gone. */
    boolean disconnected(SQLException error) {
        return String.valueOf(error.getSQLState()).startsWith("08");
    }

    /** Whether an error means that the user may not do this. */
    boolean denied(SQLException error) {
        return false;
    }

    /** What can be done with the rows of the job. */
    Set<Kind> operations() {
        return opens() ? allBut() : allBut(Kind.OPEN);
    }

    /** Whether writes between two commits are one transaction, and all reads of a connection can be one. */
    boolean hasTransactions() {
        return true;
    }

    /** Begins the transaction of all reads of a connection, which see the same rows throughout. */
    void beginSnapshot(Connection connection) throws SQLException {
        beginSnapshot(connection, Connection.TRANSACTION_REPEATABLE_READ);
    }

    /** Begins it at the level that keeps the rows as they are. */
    static void beginSnapshot(Connection connection, int isolation) throws SQLException {
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
    }

    /** Makes reads in a transaction see what others have committed by then. */
    void seeCommitted(Connection connection) throws SQLException {}

    /** Whether its rows can be counted. */
    boolean counts() {
        return true;
    }

    /** The fetch size with which the driver does not hold all rows of a scan at a time. */
    int fetchSize() {
        return FETCHED;
    }

    /** Rows of so many columns that one batch takes. */
    int mostBatchRows(int columns) {
        return Integer.MAX_VALUE;
    }

    /** A text key in the first column of an answer. */
    String textKey(ResultSet result) throws SQLException {
        return result.getString(1);
    }

    /** Whether a large result is only given row by row inside a transaction. */
    boolean streamsInTransactionOnly() {
        return false;
    }

    /** Whether the driver begins a transaction, with its locks, as soon as autocommit is off, and anew at each commit. */
    boolean beginsAtOnce() {
        return false;
    }

    /** Whether every connection opens the store anew. */
    boolean opens() {
        return false;
    }

    /** Size as the store reports it. */
    long sizeBytes(Connection connection) throws SQLException, StoreException {
        throw StoreException.unsupported();
    }

    /** What the store's own check says against it; empty where it is sound. */
    String check(Connection connection) throws SQLException, StoreException {
        throw StoreException.unsupported();
    }

    /** Ends the database in good order; {@code last} is the last connection. */
    void shutdown(Connection last) throws SQLException {
        last.close();
    }

    // What all have in common.

    /** Whether an address is that of a database on a host, and nothing more. */
    static boolean namesDatabase(URI address) {
        return address.getHost() != null && address.getQuery() == null && address.getRawPath().length() >= 2;
    }

    /** Rows of one query as texts, null as the word. */
    static List<List<String>> query(Connection connection, String sql) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int at = 1; at <= columns; at++) {
                    row.add(String.valueOf(result.getString(at)));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** The first cell of a query's answer. */
    static String cell(Connection connection, String sql) throws SQLException {
        return query(connection, sql).get(0).get(0);
    }

    /** The two columns of a query's answer as names and values. */
    static Map<String, String> pairs(Connection connection, String sql) throws SQLException {
        Map<String, String> pairs = new TreeMap<>();
        query(connection, sql).forEach(row -> pairs.put(row.get(0), row.get(1)));
        return pairs;
    }

    /** An error in the store's own words. */
    final StoreException failed(SQLException error) {
        // A number of the connection, which a driver puts first, would make each message another one.
        String message = String.valueOf(error.getMessage()).replaceFirst("^\\(conn=[0-9]+\\) ", "");
        return new StoreException(disconnected(error) ? StoreException.Cause.DISCONNECTED
                : denied(error) ? StoreException.Cause.DENIED : StoreException.Cause.FAILED, message);
    }

    /** A new connection whose statements end after so many ns, where the driver can be told. */
    final Connection open(long limitNs) throws StoreException {
        try {
            Connection connection = DriverManager.getConnection(url(), properties());
            try {
                connected(connection, limitNs);
            } catch (SQLException | StoreException error) {
                connection.close();
                throw error;
            }
            return connection;
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    /** Something that is asked of the connection for calls. */
    private interface Call<T> {
        T ask(Connection connection) throws SQLException, StoreException;
    }

    private synchronized <T> T ask(Call<T> call) throws StoreException {
        try {
            if (keeper == null) {
                Connection fresh = open(job.callNs());
                Stores.expect(job.store(), fresh.getMetaData().getDriverVersion());
                keeper = fresh;
            }
            return call.ask(keeper);
        } catch (SQLException error) {
            throw failed(error);
        }
    }

    @Override
    public final Map<String, String> libraries() throws StoreException {
        Map<String, String> libraries = new LinkedHashMap<>();
        libraries.put(job.store() + "-jdbc", Stores.version(job.store()));
        try {
            libraries.putAll(behindTheDriver());
        } catch (SQLException error) {
            throw failed(error);
        }
        return libraries;
    }

    @Override
    public Map<String, Object> capabilities() {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("operations", Kind.words(operations()));
        told.put("load_paths", List.of("row", "batch"));
        told.put("read_scopes", hasTransactions() ? List.of("each", "snapshot") : List.of("each"));
        told.put("transactions", hasTransactions());
        told.put("max_value_bytes", 1L << 30);
        return told;
    }

    @Override
    public final void ping() throws StoreException {
        ask(connection -> {
            if (!connection.isValid(5)) {
                keeper = null;
                throw new StoreException(StoreException.Cause.DISCONNECTED, "the connection does not answer");
            }
            return true;
        });
    }

    @Override
    public final Map<String, String> info() throws StoreException {
        return ask(connection -> {
            DatabaseMetaData about = connection.getMetaData();
            Map<String, String> info = new LinkedHashMap<>();
            info.put("version", about.getDatabaseProductVersion());
            info.put("driver", about.getDriverName() + " " + about.getDriverVersion());
            info.putAll(new TreeMap<>(driverSettings()));
            return info;
        });
    }

    @Override
    public final Map<String, String> settings() throws StoreException {
        return ask(this::settings);
    }

    @Override
    public final void create() throws StoreException {
        reset();
        ask(connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String one : creates()) {
                    statement.execute(one);
                }
            }
            created(connection);
            return null;
        });
    }

    @Override
    public final void reset() throws StoreException {
        ask(connection -> {
            try (Statement statement = connection.createStatement()) {
                drop(statement, job.namespace());
                drop(statement, job.namespace() + "_counters");
            }
            return null;
        });
    }

    @Override
    public final long count() throws StoreException {
        if (!counts()) {
            throw StoreException.unsupported();
        }
        return ask(connection -> Long.parseLong(cell(connection, sql.count())));
    }

    @Override
    public final long sum() throws StoreException {
        if (!operations().contains(Kind.INCREMENT)) {
            throw StoreException.unsupported();
        }
        String sum = "SELECT COALESCE(SUM(" + quoted("n") + "), 0) FROM " + sql.counters;
        return ask(connection -> Long.parseLong(cell(connection, sum)));
    }

    @Override
    public final long sizeBytes() throws StoreException {
        return orUnsupported("size of the table", () -> ask(this::sizeBytes));
    }

    @Override
    public final String check() throws StoreException {
        return ask(this::check);
    }

    @Override
    public final Lane connect(Phase phase) throws StoreException {
        ask(connection -> null);
        return new JdbcLane(this, open(job.operationNs()), phase);
    }

    @Override
    public final synchronized void close() throws StoreException {
        if (keeper == null) {
            return;
        }
        try {
            shutdown(keeper);
            keeper = null;
        } catch (SQLException error) {
            throw failed(error);
        }
    }
}

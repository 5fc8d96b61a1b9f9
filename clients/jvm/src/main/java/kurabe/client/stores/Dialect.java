package kurabe.client.stores;

import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import kurabe.client.Capabilities;
import kurabe.client.Field;
import kurabe.client.Job;
import kurabe.client.Kind;
import kurabe.client.Refused;
import kurabe.client.StoreException;

/** What one database behind JDBC does differently from the others. */
abstract class Dialect {
    /** Rows that a driver may fetch ahead in a scan. */
    private static final int FETCHED = 1000;

    final Job job;
    private final String name;

    /** Refuses every setting of the job that is not among those that this database knows. */
    Dialect(String name, Job job, Set<String> known) throws Refused {
        this.name = name;
        this.job = job;
        for (String setting : job.settings().keySet()) {
            if (!known.contains(setting)) {
                throw new Refused("setting '" + setting + "' is not known to store '" + name + "' of the JVM client; it takes "
                        + (known.isEmpty() ? "none" : String.join(", ", known.stream().sorted().toList())));
            }
        }
    }

    /** Name of the store, which is that of its library in the receipt. */
    final String name() {
        return name;
    }

    /** Address for the driver. */
    abstract String url() throws StoreException;

    /** Properties for the driver beside the address. */
    Properties properties() {
        return new Properties();
    }

    /** The folder of an embedded database. */
    final String folder() throws Refused {
        if (job.dir() == null) {
            throw new Refused("store '" + name + "' needs a folder: the job has no 'dir'");
        }
        return job.dir().toString();
    }

    /** One of the words that a setting may have. */
    final String word(String setting, String otherwise, Set<String> allowed) throws Refused {
        String value = job.setting(setting, otherwise);
        if (!allowed.contains(value)) {
            throw new Refused("setting '" + setting + "' = '" + value + "' is none of "
                    + String.join(", ", allowed.stream().sorted().toList()));
        }
        return value;
    }

    /** A whole number from {@code least} on that a setting gives; {@code otherwise} where it is not set. */
    final long number(String setting, long otherwise, long least) throws Refused {
        String value = job.setting(setting, "" + otherwise);
        if (!value.equals("" + otherwise) && (!value.matches("[0-9]{1,12}") || Long.parseLong(value) < least)) {
            throw new Refused("setting '" + setting + "' = '" + value + "' is no number from " + least + " on");
        }
        return Long.parseLong(value);
    }

    /** Libraries behind the driver, beside the driver itself. */
    Map<String, String> libraries() throws SQLException {
        return Map.of();
    }

    /** Settings of the driver that change what it sends; they are told with the versions. */
    Map<String, String> driverSettings() {
        return Map.of();
    }

    /** Applies what a new connection needs. */
    void connected(Connection connection) throws SQLException {}

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

    /** Limits every statement of a connection from now on, where that takes more than a property; in ns. */
    void limit(Connection connection, long ns) throws SQLException, StoreException {}

    /** An identifier. */
    String quoted(String identifier) {
        return '"' + identifier + '"';
    }

    /** The start of a statement that makes a table of rows. */
    String createTable() throws StoreException {
        return "CREATE TABLE ";
    }

    /** What follows the columns of a table of rows. */
    String tableOptions() throws StoreException {
        return "";
    }

    /** The statements that make the table of rows, its indexes, and the table of counters. */
    List<String> create(List<Field> schema) throws StoreException {
        Field key = schema.get(0);
        List<Field> rest = schema.subList(1, schema.size());
        String table = quoted(job.namespace());
        String columns = rest.stream().map(field -> ", " + quoted(field.name()) + " " + type(field, false) + " NOT NULL")
                .collect(Collectors.joining());
        List<String> all = new ArrayList<>();
        all.add(createTable() + table + " (" + quoted(key.name()) + " " + type(key, true) + " NOT NULL PRIMARY KEY" + columns
                + ")" + tableOptions());
        all.add(createTable() + quoted(job.namespace() + "_counters") + " (" + quoted("id")
                + " BIGINT NOT NULL PRIMARY KEY, " + quoted("n") + " BIGINT NOT NULL)" + tableOptions());
        rest.stream().filter(Field::indexed).forEach(field -> all.add("CREATE INDEX "
                + quoted(job.namespace() + "_" + field.name()) + " ON " + table + " (" + quoted(field.name()) + ")"));
        return all;
    }

    /** Looks at what a server made of those statements, where it may have made something else. */
    void created(Connection connection) throws SQLException, StoreException {}

    /** Type of a column. */
    String type(Field field, boolean key) {
        if (field.type() == Field.Type.INT64) {
            return "BIGINT";
        }
        if (key) {
            return "VARCHAR(255)";
        }
        return (field.type() == Field.Type.TEXT ? "VARCHAR(" : "VARBINARY(") + Math.max(field.lenBytes(), 1) + ")";
    }

    /** An insert that tells where the key exists, by an error or by changing nothing. */
    String insert(String table, String columns, String marks) {
        return "INSERT INTO " + table + " (" + columns + ") VALUES (" + marks + ")";
    }

    /** The end of a query that gives the first rows only. */
    String limit() {
        return " LIMIT ?";
    }

    /** One statement that adds 1 to a counter or makes it, or null where it takes two. */
    String increment(String table) {
        return null;
    }

    /** Removes a table where there is one. */
    void drop(Statement statement, String table) throws SQLException {
        statement.execute("DROP TABLE IF EXISTS " + quoted(table));
    }

    /** Whether a statement failed because its key exists. */
    boolean exists(SQLException error) {
        return String.valueOf(error.getSQLState()).startsWith("23505");
    }

    /** Whether a statement failed since two connections waited for each other, so that it may be tried again. */
    boolean deadlock(SQLException error) {
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

    /** What can be done with rows of this schema. */
    Set<Kind> operations(List<Field> schema) {
        EnumSet<Kind> operations = EnumSet.complementOf(EnumSet.of(Kind.SEARCH, Kind.OPEN, Kind.MIX));
        if (schema.stream().skip(1).anyMatch(field -> field.type() == Field.Type.INT64)) {
            operations.add(Kind.SEARCH);
        }
        if (opens()) {
            operations.add(Kind.OPEN);
        }
        return operations;
    }

    /** Types of keys that it takes. */
    List<String> keyTypes() {
        return Capabilities.ALL_KEYS;
    }

    /** Whether an insert tells that its key exists. */
    boolean insertTells() {
        return true;
    }

    /** Whether writes between two commits are one transaction. */
    boolean transactions() {
        return true;
    }

    /** Whether all reads of a connection can be one transaction that sees the same rows throughout. */
    boolean snapshots() {
        return transactions();
    }

    /** Begins that transaction. */
    void beginSnapshot(Connection connection) throws SQLException {
        beginSnapshot(connection, Connection.TRANSACTION_REPEATABLE_READ);
    }

    /** Makes reads in a transaction see what others have committed by then, which is what the oracle knows. */
    void seeCommitted(Connection connection) throws SQLException {
    }

    /** Begins it at the level that keeps the rows as they are. */
    static void beginSnapshot(Connection connection, int isolation) throws SQLException {
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
    }

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

    /** Most connections. */
    int maxConnections() {
        return 1024;
    }

    /** Longest raw value. */
    long maxValueBytes() {
        return 1 << 30;
    }

    /** Settings as the live store reports them. */
    abstract Map<String, String> settings(Connection connection) throws SQLException, StoreException;

    /** Size as the store reports it. */
    long sizeBytes(Connection connection) throws SQLException, StoreException {
        throw StoreException.unsupported();
    }

    /** What the store's own check says against it; empty where it is sound. */
    String check(Connection connection) throws SQLException, StoreException {
        throw StoreException.unsupported();
    }

    /** Ends the database in good order; {@code keeper} is the last connection. */
    void shutdown(Connection keeper) throws SQLException {
        keeper.close();
    }

    /** Whether an address is that of a database on a host, and nothing more. */
    static boolean namesDatabase(URI address) {
        return address.getHost() != null && address.getQuery() == null && address.getRawPath().length() >= 2;
    }

    /** Rows of one query as texts, null as an empty one. */
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
}

package kurabe.client;

import java.sql.*;
import java.util.*;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import kurabe.client.Job.*;

/**
 * A database behind JDBC: one table named as the namespace, a second one for counters. What one database does
 * differently from the others is set by what makes it ({@link Databases}, {@link Mysql}).
 */
class Jdbc extends Store {
    /** Something that is done with a connection. */
    interface Does {
        void with(Connection connection) throws SQLException;
    }

    // What databases do differently.

    /** Address for the driver, and what it is given beside. */
    String url;
    final Properties properties = new Properties();
    /** Settings of the driver that change what it sends; they are told with the versions. */
    Map<String, String> driverSettings = Map.of();
    /**
     * Whether the driver begins a transaction, with its locks, as soon as autocommit is off, and anew at each commit.
     */
    boolean beginsAtOnce;
    /** Whether a large result is only given row by row inside a transaction. */
    boolean streamsInTransactionOnly;
    /** The fetch size with which the driver does not hold all rows of a scan at a time. */
    int fetchSize = 1000;
    /** Most places for values in the statement that a driver makes of a batch. */
    int places = Integer.MAX_VALUE;
    /** Statements that make a new connection what it has to be. */
    String[] onConnect = {};
    /** Settings as the live store reports them. */
    Step<Connection, Map<String, String>> settings;
    /**
     * Has a worker's connection wait for others in a way that can be counted, where it can; answers how often it did.
     */
    Step<Connection, LongSupplier> waits = connection -> () -> 0;
    /**
     * Prepares for a worker's connection what follows each commit, before that is answered; null where a commit alone
     * lasts.
     */
    Step<Connection, PreparedStatement> afterCommit = connection -> null;
    /** Begins the transaction of all reads of a connection, which see the same rows throughout. */
    Does beginSnapshot = connection -> beginSnapshot(connection, Connection.TRANSACTION_REPEATABLE_READ);
    /** Makes reads in a transaction see what others have committed by then. */
    Does seeCommitted = connection -> {};
    Step<Connection, Long> size = connection -> {
        throw StoreException.unsupported();
    };
    /** What the store's own check says against it; empty where it is sound. */
    Step<Connection, String> check = connection -> {
        throw StoreException.unsupported();
    };
    /** Ends the database cleanly; it is given the last connection. */
    Does shutdown = Connection::close;
    String createTable = "CREATE TABLE ";
    String dropTable = "DROP TABLE IF EXISTS ";
    /** The type of a column, which is the key or not. */
    BiFunction<Field, Boolean, String> types = Jdbc::usualType;
    /** Whether a text key is in a column of bytes. */
    boolean keyIsBytes;
    /** The end of a query that gives the first rows only. */
    String limit = " LIMIT ?";
    /** The end of an insert that has to tell where the key exists by changing nothing; by itself it is an error. */
    String onConflict = "";
    /** One statement that adds 1 to a counter or makes it, or null where it takes two. */
    String incrementOrMake;
    /** Whether a write that is its own transaction adds by an UPDATE first, and makes only what that does not meet. */
    boolean addsFirst;
    /** Whether a counter is there once it was made. */
    boolean keepsCounters = true;
    /** Whether a statement failed because its key exists. */
    Predicate<SQLException> exists = error -> hasState(error, "23505");
    /** Whether a statement failed since two connections waited for each other, so that it may be tried again. */
    Predicate<SQLException> isDeadlock = error -> false;
    /** Whether an error means that the connection is gone, beside the state that says so everywhere. */
    Predicate<SQLException> isGone = error -> false;
    /** Whether an error means that the user may not do this. */
    Predicate<SQLException> isDenied = error -> false;

    /** Name of the driver among the libraries. */
    String library = job.wire();
    final Sql sql;
    /** One connection for calls, which also keeps an embedded database open between phases. */
    private Connection keeper;

    /** Refuses every setting of the job that is not among those that this database knows. */
    Jdbc(Job job, String quote, Set<String> settings) throws StoreException {
        super(job, true, settings);
        capabilities.putAll(Map.of("load_paths", List.of("row", "batch"), "read_scopes", List.of("each", "snapshot"),
                "transactions", true, "max_value_bytes", 1L << 30));
        libraries.put(library + "-jdbc", version(library));
        sql = new Sql(job, quote, null);
    }

    static String usualType(Field field, boolean isKey) {
        if (field.type() == Type.INT64) {
            return "BIGINT";
        }
        return isKey ? "VARCHAR(255)"
                : (field.type() == Type.TEXT ? "VARCHAR(" : "VARBINARY(") + Math.max(field.lenBytes(), 1) + ")";
    }

    /** The statements that make the table of rows, its indexes, and the table of counters. */
    List<String> creates() {
        String columns = job.columns().stream()
                .map(field -> ", " + sql.name(field) + " " + types.apply(field, false) + " NOT NULL")
                .collect(Collectors.joining());
        List<String> all = new ArrayList<>();
        all.add(createTable + sql.rows + " (" + sql.key + " " + types.apply(job.schema().get(0), true)
                + " NOT NULL PRIMARY KEY" + columns + ")");
        all.add(createTable + sql.counters + " (" + sql.id + " BIGINT NOT NULL PRIMARY KEY, " + sql.n
                + " BIGINT NOT NULL)");
        job.columns().stream().filter(Field::indexed).forEach(field -> all.add("CREATE INDEX "
                + sql.quoted(job.namespace() + "_" + field.name()) + " ON " + sql.rows + " (" + sql.name(field) + ")"));
        return all;
    }

    /** Chooses the driver before the first connection, where the store has several. */
    void chooseDriver() throws SQLException, StoreException {}

    /** Makes a new connection what it has to be; its statements end after so many ns where that can be told. */
    void ready(Connection connection, long limitNs) throws SQLException, StoreException {
        if (onConnect.length > 0) {
            execute(connection, onConnect);
        }
    }

    /** Looks at what a server made of those statements, where it may have made something else. */
    void created(Connection connection) throws SQLException, StoreException {}

    // What all have in common.

    /** Begins the transaction of all reads at the level that keeps the rows as they are. */
    static void beginSnapshot(Connection connection, int isolation) throws SQLException {
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
    }

    static boolean hasState(SQLException error, String start) {
        return String.valueOf(error.getSQLState()).startsWith(start);
    }

    /**
     * Gives the driver the address of a job and user and password in it; {@code user} and {@code password} where it has
     * none.
     */
    final void connectTo(String driver, int port, String user, String password, String by, String expected)
            throws StoreException {
        Address address = address(job.url(), some -> !some.path().isEmpty(), by, expected);
        url = "jdbc:" + driver + "://" + address.host() + ":" + address.port(port) + "/" + address.path();
        properties.setProperty("user", address.user() == null ? user : address.user());
        String secret = address.password() == null ? password : address.password();
        if (secret != null) {
            properties.setProperty("password", secret);
        }
    }

    static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String one : statements) {
                statement.execute(one);
            }
        }
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

    static long number(Connection connection, String sql) throws SQLException {
        return Long.parseLong(cell(connection, sql));
    }

    /** The two columns of a query's answer as names and values. */
    static Map<String, String> pairs(Connection connection, String sql) throws SQLException {
        Map<String, String> pairs = new TreeMap<>();
        query(connection, sql).forEach(row -> pairs.put(row.get(0), row.get(1)));
        return pairs;
    }

    @Override
    final StoreException translate(Exception thrown) {
        if (!(thrown instanceof SQLException error)) {
            return null;
        }
        // A number of the connection, which a driver puts first, would make each message another one.
        String message = String.valueOf(error.getMessage()).replaceFirst("^\\(conn=[0-9]+\\) ", "");
        boolean gone = hasState(error, "08") || isGone.test(error);
        return new StoreException(StoreException.cause(gone, isDenied.test(error)), message);
    }

    /** A new connection whose statements end after so many ns, where the driver can be told. */
    final Connection open(long limitNs) throws SQLException, StoreException {
        Connection connection = DriverManager.getConnection(url, properties);
        try {
            ready(connection, limitNs);
        } catch (SQLException | StoreException error) {
            connection.close();
            throw error;
        }
        return connection;
    }

    private synchronized Connection keeper() throws SQLException, StoreException {
        if (keeper == null) {
            chooseDriver();
            Connection fresh = open(job.callNs());
            expect(library, fresh.getMetaData().getDriverVersion());
            keeper = fresh;
        }
        return keeper;
    }

    @Override
    final void ping() throws SQLException, StoreException {
        if (!keeper().isValid(5)) {
            keeper = null;
            throw new StoreException(StoreException.Cause.DISCONNECTED, "the connection does not answer");
        }
    }

    @Override
    final Map<String, String> info() throws SQLException, StoreException {
        DatabaseMetaData about = keeper().getMetaData();
        Map<String, String> info = new LinkedHashMap<>();
        info.put("version", about.getDatabaseProductVersion());
        info.put("driver", about.getDriverName() + " " + about.getDriverVersion());
        info.putAll(driverSettings);
        return info;
    }

    @Override
    final Map<String, String> settings() throws Exception {
        return settings.of(keeper());
    }

    @Override
    final void create() throws SQLException, StoreException {
        reset();
        execute(keeper(), creates().toArray(String[]::new));
        created(keeper());
    }

    @Override
    final void reset() throws SQLException, StoreException {
        for (String table : List.of(sql.rows, sql.counters)) {
            try {
                execute(keeper(), dropTable + table);
            } catch (SQLException error) {
                // One that is not there, in a database that cannot be asked to drop it only if it is.
                if (!"42Y55".equals(error.getSQLState())) {
                    throw error;
                }
            }
        }
    }

    @Override
    final long count() throws SQLException, StoreException {
        if (!operations.contains(Kind.READ)) {
            throw StoreException.unsupported();
        }
        return number(keeper(), sql.count());
    }

    @Override
    final long sum() throws SQLException, StoreException {
        if (!operations.contains(Kind.INCREMENT) || !keepsCounters) {
            throw StoreException.unsupported();
        }
        return number(keeper(), "SELECT COALESCE(SUM(" + sql.n + "), 0) FROM " + sql.counters);
    }

    @Override
    final long sizeBytes() throws StoreException {
        return orUnsupported("size of the table", () -> size.of(keeper()));
    }

    @Override
    final String check() throws Exception {
        return check.of(keeper());
    }

    @Override
    final Lane connect(Phase phase) throws Exception {
        keeper();
        return new JdbcLane(this, open(job.operationNs()), phase);
    }

    @Override
    final synchronized void shutdown() throws SQLException, StoreException {
        if (keeper != null) {
            shutdown.with(keeper);
            keeper = null;
        }
    }

    /** The statements that databases with tables have in common, which are named as the namespace of a job. */
    static final class Sql {
        final String rows;
        final String counters;
        final String key;
        /** The columns of the counters. */
        final String id;
        final String n;
        private final Job job;
        private final String quote;

        /** With the mark around identifiers, and the space that the tables are in, if it must be named. */
        Sql(Job job, String quote, String space) {
            this.job = job;
            this.quote = quote;
            id = quoted("id");
            n = quoted("n");
            String before = space == null ? "" : quoted(space) + ".";
            rows = before + quoted(job.namespace());
            counters = before + quoted(job.namespace() + "_counters");
            key = name(job.schema().get(0));
        }

        /** A name as an identifier, whatever it holds: keywords are names too. */
        String quoted(String name) {
            return quote + name.replace(quote, quote + quote) + quote;
        }

        String name(Field field) {
            return quoted(field.name());
        }

        private String names(int from) {
            return job.schema().stream().skip(from).map(this::name).collect(Collectors.joining(", "));
        }

        static String marks(int count) {
            return String.join(", ", Collections.nCopies(count, "?"));
        }

        /** The statement of a kind, where it is the same everywhere; an update takes the values first, then the key. */
        String of(Kind kind) {
            return switch (kind) {
                case LOAD, INSERT -> "INSERT INTO " + rows + " (" + names(0) + ") VALUES ("
                        + marks(job.schema().size()) + ")";
                case READ -> "SELECT " + names(1) + " FROM " + rows + " WHERE " + key + " = ?";
                case UPDATE -> "UPDATE " + rows + " SET " + job.columns().stream().map(field -> name(field) + " = ?")
                        .collect(Collectors.joining(", ")) + " WHERE " + key + " = ?";
                case DELETE -> "DELETE FROM " + rows + " WHERE " + key + " = ?";
                case SCAN -> scan();
                default -> null;
            };
        }

        String scan() {
            return "SELECT " + names(0) + " FROM " + rows;
        }

        String count() {
            return "SELECT COUNT(*) FROM " + rows;
        }
    }
}

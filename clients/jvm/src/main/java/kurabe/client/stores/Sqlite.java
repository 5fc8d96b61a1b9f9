package kurabe.client.stores;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kurabe.client.Field;
import kurabe.client.Job;
import kurabe.client.Refused;
import kurabe.client.StoreException;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;

/** SQLite through its JDBC driver, which brings a library of its own. */
public final class Sqlite extends Dialect {
    /** Settings in the order in which they must be applied. */
    private static final List<String> PRAGMAS = List.of(
            "page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint");
    /** The declared type of text columns; STRING has numeric affinity: digits become a number. */
    private static final String TEXT_TYPE = "text_type";
    private static final Set<String> TEXT_TYPES = Set.of("TEXT", "STRING");
    private static final List<String> SYNCHRONOUS = List.of("off", "normal", "full", "extra");
    private static final int CONSTRAINT = 19;

    private final String url;
    private final String textType;

    /** The database in the folder of a job. */
    public Sqlite(Job job) throws Refused, StoreException {
        super("sqlite", job, Stream.concat(PRAGMAS.stream(), Stream.of(TEXT_TYPE)).collect(Collectors.toSet()));
        for (Map.Entry<String, String> setting : job.settings().entrySet()) {
            if (!setting.getValue().matches("[A-Za-z0-9_-]+")) {
                throw new Refused("setting '" + setting.getKey() + "' cannot be '" + setting.getValue() + "'");
            }
        }
        textType = job.settings().getOrDefault(TEXT_TYPE, "text").toUpperCase(Locale.ROOT);
        if (!TEXT_TYPES.contains(textType)) {
            throw new Refused(TEXT_TYPE + " cannot be '" + job.settings().get(TEXT_TYPE) + "'; it is text or string");
        }
        url = "jdbc:sqlite:" + folder() + "/data.sqlite";
        load(Path.of(folder(), ".native"));
    }

    /** The driver unpacks its library somewhere before it loads it; once it is loaded the file may go. */
    private static synchronized void load(Path folder) throws StoreException {
        if (System.getProperty("org.sqlite.tmpdir") != null) {
            return;
        }
        try {
            Files.createDirectories(folder);
            System.setProperty("org.sqlite.tmpdir", folder.toString());
            org.sqlite.SQLiteJDBCLoader.initialize();
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        } catch (Exception error) {
            throw StoreException.failed("the library of SQLite cannot be loaded: " + error);
        }
    }

    @Override
    String url() {
        return url;
    }

    /** The driver's version says that of its library only by habit. */
    @Override
    Map<String, String> libraries() throws SQLException {
        try (Connection memory = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            return Map.of("sqlite", query(memory, "SELECT sqlite_version()").get(0).get(0));
        }
    }

    @Override
    Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("busy_timeout", "" + Math.max(job.operationNs() / 1_000_000, 1));
        // A transaction that begins as a read and then writes can fail where another writes meanwhile.
        properties.setProperty("transaction_mode", "IMMEDIATE");
        return properties;
    }

    @Override
    void connected(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String pragma : PRAGMAS) {
                if (job.settings().containsKey(pragma)) {
                    statement.execute("PRAGMA " + pragma + " = " + job.settings().get(pragma));
                }
            }
        }
    }

    @Override
    LongSupplier waits(Connection connection) throws SQLException {
        SqliteWaits waits = new SqliteWaits(job.operationNs());
        BusyHandler.setHandler(connection, waits);
        return waits::count;
    }

    @Override
    String type(Field field, boolean key) {
        return switch (field.type()) {
            case INT64 -> "INTEGER";
            case TEXT -> key ? "TEXT" : textType;
            case BYTES -> "BLOB";
        };
    }

    @Override
    String increment(String table) {
        return "INSERT INTO " + table + " (\"id\", \"n\") VALUES (?, 1) ON CONFLICT (\"id\") DO UPDATE SET \"n\" = \"n\" + 1";
    }

    @Override
    boolean exists(SQLException error) {
        return (error.getErrorCode() & 0xFF) == CONSTRAINT;
    }

    /** The one writer would keep its lock between two transactions, and every connection would wait for it. */
    @Override
    boolean beginsAtOnce() {
        return true;
    }

    /** Readers of one snapshot must not take the one writer's lock, as transactions do here otherwise. */
    @Override
    void beginSnapshot(Connection connection) throws SQLException {
        connection.unwrap(SQLiteConnection.class).setCurrentTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
        connection.setAutoCommit(false);
    }

    @Override
    boolean opens() {
        return true;
    }

    @Override
    int maxConnections() {
        return 256;
    }

    @Override
    Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new java.util.TreeMap<>();
        for (String pragma : PRAGMAS) {
            List<List<String>> rows = query(connection, "PRAGMA " + pragma);
            settings.put(pragma, rows.isEmpty() ? "" : rows.get(0).get(0).toLowerCase(Locale.ROOT));
        }
        settings.put("synchronous", SYNCHRONOUS.get(Integer.parseInt(settings.get("synchronous"))));
        return settings;
    }

    @Override
    long sizeBytes(Connection connection) throws SQLException {
        long pages = Long.parseLong(query(connection, "PRAGMA page_count").get(0).get(0));
        return pages * Long.parseLong(query(connection, "PRAGMA page_size").get(0).get(0));
    }

    @Override
    String check(Connection connection) throws SQLException {
        List<List<String>> lines = query(connection, "PRAGMA integrity_check");
        return lines.equals(List.of(List.of("ok"))) ? "" : lines.toString();
    }
}

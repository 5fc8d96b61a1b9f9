package kurabe.client;

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
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kurabe.client.Job.Field;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;

/** SQLite through its JDBC driver, which brings a library of its own. */
final class Sqlite extends Jdbc {
    /** Settings in the order in which they must be applied. */
    private static final List<String> PRAGMAS = List.of(
            "page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint");
    /** The declared type of text columns; STRING has numeric affinity: digits become a number. */
    private static final String TEXT_TYPE = "text_type";
    private static final List<String> SYNCHRONOUS = List.of("off", "normal", "full", "extra");
    private static final int CONSTRAINT = 19;

    private final String url;
    private final String textType;

    /** The database in the folder of a job. */
    Sqlite(Job job) throws StoreException {
        super(job, Stream.concat(PRAGMAS.stream(), Stream.of(TEXT_TYPE)).collect(Collectors.toSet()));
        for (Map.Entry<String, String> setting : job.settings().entrySet()) {
            if (!setting.getValue().matches("[A-Za-z0-9_-]+")) {
                throw StoreException.failed("setting '" + setting.getKey() + "' cannot be '" + setting.getValue() + "'");
            }
        }
        textType = job.word(TEXT_TYPE, "text", Set.of("string", "text")).toUpperCase(Locale.ROOT);
        url = "jdbc:sqlite:" + job.folder() + "/data.sqlite";
        load(job.folder().resolve(".native"));
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
    Map<String, String> behindTheDriver() throws SQLException {
        try (Connection memory = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            return Map.of("sqlite", cell(memory, "SELECT sqlite_version()"));
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
    void connected(Connection connection, long limitNs) throws SQLException {
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
        Waits waits = new Waits(job.operationNs());
        BusyHandler.setHandler(connection, waits);
        return waits::count;
    }

    @Override
    String type(Field field, boolean isKey) {
        return switch (field.type()) {
            case INT64 -> "INTEGER";
            case TEXT -> isKey ? "TEXT" : textType;
            case BYTES -> "BLOB";
        };
    }

    @Override
    String incrementOrMake(String counters) {
        return "INSERT INTO " + counters + " (\"id\", \"n\") VALUES (?, 1) ON CONFLICT (\"id\") DO UPDATE SET \"n\" = \"n\" + 1";
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
        connection.unwrap(SQLiteConnection.class).getConnectionConfig()
                .setTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
        connection.setAutoCommit(false);
    }

    @Override
    boolean opens() {
        return true;
    }

    @Override
    public Map<String, Object> capabilities() {
        Map<String, Object> told = super.capabilities();
        told.put("max_connections", 256);
        return told;
    }

    @Override
    Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new TreeMap<>();
        for (String pragma : PRAGMAS) {
            List<List<String>> rows = query(connection, "PRAGMA " + pragma);
            settings.put(pragma, rows.isEmpty() ? "" : rows.get(0).get(0).toLowerCase(Locale.ROOT));
        }
        settings.put("synchronous", SYNCHRONOUS.get(Integer.parseInt(settings.get("synchronous"))));
        return settings;
    }

    @Override
    long sizeBytes(Connection connection) throws SQLException {
        return Long.parseLong(cell(connection, "PRAGMA page_count")) * Long.parseLong(cell(connection, "PRAGMA page_size"));
    }

    @Override
    String check(Connection connection) throws SQLException {
        List<List<String>> lines = query(connection, "PRAGMA integrity_check");
        return lines.equals(List.of(List.of("ok"))) ? "" : lines.toString();
    }

    /**
     * What a connection does when another one holds the lock: it sleeps a little, counts that, and gives up in time. The
     * sleeps are those of the client in Rust. SQLite's own become 100 ms long, so that of many writers most would sleep
     * while nobody writes, and the two clients would differ in their sleeps and in nothing else.
     */
    static final class Waits extends BusyHandler {
        private static final long FIRST_NS = 20_000;
        private static final long LONGEST_NS = 1_000_000;

        private final long patienceNs;
        private long sinceNs;
        private long count;

        Waits(long patienceNs) {
            this.patienceNs = patienceNs;
        }

        /** How often it slept so far. */
        long count() {
            return count;
        }

        @Override
        protected int callback(int attempt) {
            long now = System.nanoTime();
            if (attempt == 0) {
                sinceNs = now;
            }
            if (now - sinceNs >= patienceNs) {
                return 0;
            }
            count++;
            LockSupport.parkNanos(Math.min(FIRST_NS << Math.min(attempt, 8), LONGEST_NS));
            return 1;
        }
    }
}

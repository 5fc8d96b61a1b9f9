package kurabe.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.*;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import kurabe.client.Jdbc.Sql;
import kurabe.client.Job.*;
import kurabe.client.Store.StoreException;
import org.sqlite.*;

/** What H2, HSQLDB, Derby, SQLite and PostgreSQL do differently from other databases behind JDBC. */
final class Databases {
    private static final String CACHE = "cache_bytes";

    private Databases() {}

    private static final String CHECKPOINT_SYNC = "checkpoint_sync";
    /** States of H2 for a database that is closed, or a connection that was broken. */
    private static final List<String> H2_GONE = List.of("90098", "90121", "90067");

    /** H2, embedded, in a file of its MVStore. */
    static Store h2(Job job) throws StoreException {
        Jdbc h2 = new Jdbc(job, "\"", Set.of("write_delay", CHECKPOINT_SYNC, CACHE));
        long delayMs = job.number("write_delay", 500, 0);
        boolean syncs = job.word(CHECKPOINT_SYNC, "false", Set.of("false", "true")).equals("true");
        long cache = job.number(CACHE, 0, 1 << 20);
        // It would shut down by itself when the process gets a signal, which a store that is killed cannot do.
        h2.url = "jdbc:h2:file:" + job.folder() + "/data;DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=" + delayMs
                + ";LOCK_TIMEOUT=" + job.operationNs() / 1_000_000 + (cache == 0 ? "" : ";CACHE_SIZE=" + cache / 1024);
        if (syncs) {
            // A commit alone is written, never synced: its manual names this statement for who wants that.
            h2.afterCommit = connection -> connection.prepareStatement("CHECKPOINT SYNC");
        }
        h2.isGone = error -> H2_GONE.contains(String.valueOf(error.getSQLState()));
        // What a VARCHAR takes.
        h2.capabilities.put("max_value_bytes", 1 << 20);
        h2.settings = connection -> {
            Map<String, String> settings = Jdbc.pairs(
                    connection, "SELECT LOWER(SETTING_NAME), SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS");
            // The cache of the open store, which it tells in MiB; as a setting it is told only where it was set. The
            // sync is what this client sends, which no store knows.
            settings.remove("cache_size");
            settings.put(CACHE, "" + (Long.parseLong(settings.get("info.cache_max_size")) << 20));
            settings.put(CHECKPOINT_SYNC, "" + syncs);
            return settings;
        };
        h2.size = connection -> {
            String size = h2.settings.of(connection).get("info.file_size");
            return size == null ? null : Long.valueOf(size);
        };
        // Not every connection opens the store anew.
        h2.operations.remove(Kind.OPEN);
        return h2;
    }

    /**
     * The sizes of HSQLDB are of rows as they are in the file; the objects in memory are about twice as large, as its
     * manual says.
     */
    private static final long OBJECTS_PER_FILE = 2;
    /** Memory of a small row with its nodes, by which the number of rows is limited too. */
    private static final long SMALL_ROW_BYTES = 400;

    /** HSQLDB, embedded, in files. */
    static Store hsqldb(Job job) throws StoreException {
        Jdbc hsqldb = new Jdbc(job, "\"", Set.of("write_delay_ms", "table", CACHE));
        long delayMs = job.number("write_delay_ms", 500, 0);
        long cache = job.number(CACHE, 0, 1 << 20);
        String table = job.word("table", "cached", Set.of("cached", "memory"));
        // Its own log of what it does would be a file more; the driver's notes go through java.util.logging.
        System.setProperty("hsqldb.reconfig_logging", "false");
        // The sizes count where the database is made, and are stored with it.
        hsqldb.url = "jdbc:hsqldb:file:" + job.folder() + "/data;shutdown=false" + (cache == 0 ? ""
                : ";hsqldb.cache_size=" + cache / OBJECTS_PER_FILE / 1024 + ";hsqldb.cache_rows="
                + cache / SMALL_ROW_BYTES);
        // 0 syncs at each commit; it is stored with the database.
        hsqldb.onConnect = new String[] {"SET FILES WRITE DELAY " + (delayMs == 0 ? "FALSE" : delayMs + " MILLIS")};
        hsqldb.createTable = "CREATE " + table.toUpperCase(Locale.ROOT) + " TABLE ";
        // It locks what is read, and only this level keeps all of it as it is.
        hsqldb.beginSnapshot = connection -> Jdbc.beginSnapshot(connection, Connection.TRANSACTION_SERIALIZABLE);
        hsqldb.settings = connection -> {
            Map<String, String> settings = Jdbc.pairs(
                    connection, "SELECT PROPERTY_NAME, PROPERTY_VALUE FROM INFORMATION_SCHEMA.SYSTEM_PROPERTIES");
            long sizeKib = Long.parseLong(settings.get("hsqldb.cache_size"));
            settings.put(CACHE, "" + sizeKib * 1024 * OBJECTS_PER_FILE);
            Jdbc.query(connection, "SELECT HSQLDB_TYPE FROM INFORMATION_SCHEMA.SYSTEM_TABLES WHERE TABLE_NAME = '"
                    + job.namespace() + "'").forEach(row -> settings.put("table", row.get(0).toLowerCase(Locale.ROOT)));
            return settings;
        };
        hsqldb.shutdown = last -> Jdbc.execute(last, "SHUTDOWN");
        // Not every connection opens the store anew.
        hsqldb.operations.remove(Kind.OPEN);
        return hsqldb;
    }

    private static final long DERBY_KEY_CHARACTERS = 255;
    private static final int DERBY_LONGEST_VARCHAR = 32_672;
    private static final String DERBY_DURABILITY = "derby.system.durability";
    private static final String DERBY_PAGES = "derby.storage.pageCacheSize";
    private static final String DERBY_PAGE_CACHE = "org.apache.derby:type=CacheManager,name=PageCache,*";
    private static final long DERBY_USUAL_PAGE_BYTES = 4096;
    private static final long DERBY_LONG_PAGE_BYTES = 32_768;

    /** Apache Derby, embedded. */
    static Store derby(Job job) throws StoreException {
        Jdbc derby = new Jdbc(job, "\"", Set.of(DERBY_DURABILITY, CACHE));
        String path = "jdbc:derby:" + job.folder() + "/data";
        Path log = job.folder().resolve("derby.log");
        // Read once, when the engine starts: it knows them for the whole process only.
        System.setProperty(DERBY_DURABILITY, job.word(DERBY_DURABILITY, "default", Set.of("default", "test")));
        long cache = job.number(CACHE, 0, 40 * DERBY_LONG_PAGE_BYTES);
        if (cache > 0) {
            System.setProperty(DERBY_PAGES, "" + cache / derbyPageBytes(job.schema()));
        }
        System.setProperty("derby.stream.error.file", log.toString());
        System.setProperty("derby.locks.waitTimeout", "" + Math.max(job.operationNs() / 1_000_000_000, 1));
        derby.url = path + ";create=true";
        derby.types = Databases::derbyType;
        derby.limit = " FETCH FIRST ? ROWS ONLY";
        // It has no IF EXISTS.
        derby.dropTable = "DROP TABLE ";
        // It locks what is read, and only this level keeps all of it as it is.
        derby.beginSnapshot = connection -> Jdbc.beginSnapshot(connection, Connection.TRANSACTION_SERIALIZABLE);
        derby.settings = connection -> derbySettings(connection, log, job.schema());
        derby.check = connection -> {
            try {
                Jdbc.query(connection, "SELECT SYSCS_UTIL.SYSCS_CHECK_TABLE(S.SCHEMANAME, T.TABLENAME) "
                        + "FROM SYS.SYSTABLES T JOIN SYS.SYSSCHEMAS S ON S.SCHEMAID = T.SCHEMAID "
                        + "WHERE T.TABLETYPE = 'T'");
                return "";
            } catch (SQLException error) {
                if (Jdbc.hasState(error, "X0X")) {
                    return error.getMessage();
                }
                throw error;
            }
        };
        derby.shutdown = last -> {
            last.close();
            try {
                DriverManager.getConnection(path + ";shutdown=true").close();
            } catch (SQLException told) {
                // A shutdown that succeeded is an error with this state.
                if (!"08006".equals(told.getSQLState())) {
                    throw told;
                }
            }
        };
        // Not every connection opens the store anew.
        derby.operations.remove(Kind.OPEN);
        return derby;
    }

    private static String derbyType(Field field, boolean isKey) {
        if (field.type() == Type.INT64 || isKey) {
            return Jdbc.usualType(field, isKey);
        }
        boolean text = field.type() == Type.TEXT;
        if (field.lenBytes() > DERBY_LONGEST_VARCHAR) {
            return (text ? "CLOB(" : "BLOB(") + field.lenBytes() + ")";
        }
        return "VARCHAR(" + Math.max(field.lenBytes(), 1) + ")" + (text ? "" : " FOR BIT DATA");
    }

    /**
     * Size of the pages that it gives a table of these columns: large ones where it takes a row for longer than a small
     * one.
     */
    static long derbyPageBytes(List<Field> schema) {
        long row = schema.get(0).type() == Type.INT64 ? Long.BYTES : 2 * DERBY_KEY_CHARACTERS + 2;
        for (Field field : schema.subList(1, schema.size())) {
            if (field.type() == Type.INT64) {
                row += Long.BYTES;
            } else if (field.lenBytes() > DERBY_LONGEST_VARCHAR) {
                return DERBY_LONG_PAGE_BYTES;
            } else {
                // As it reckons itself (seen with tables of many widths): two bytes a character, one a byte of eight.
                row += field.type() == Type.TEXT ? 2 * field.lenBytes() + 2 : field.lenBytes() / 8 + 1;
            }
        }
        return row > DERBY_USUAL_PAGE_BYTES ? DERBY_LONG_PAGE_BYTES : DERBY_USUAL_PAGE_BYTES;
    }

    /** Durability cannot be asked for, but an engine that does not sync says so in its log when it opens a database. */
    private static Map<String, String> derbySettings(Connection connection, Path log, List<Field> schema)
            throws SQLException, StoreException {
        Map<String, String> settings = new TreeMap<>();
        settings.put("isolation", Jdbc.cell(connection, "VALUES CURRENT ISOLATION").strip());
        try (Stream<String> lines = Files.lines(log)) {
            boolean unsynced = lines.anyMatch(line -> line.contains(DERBY_DURABILITY + "=test"));
            settings.put(DERBY_DURABILITY, unsynced ? "test" : "default");
        } catch (IOException | UncheckedIOException error) {
            throw StoreException.failed("the log of Derby cannot be read: " + error.getMessage());
        }
        long pages = derbyCachedPages();
        settings.put(DERBY_PAGES, "" + pages);
        settings.put(CACHE, "" + pages * derbyPageBytes(schema));
        return settings;
    }

    /** Most pages in the cache of the open database, as its own bean tells. */
    private static long derbyCachedPages() throws StoreException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            for (ObjectName name : server.queryNames(new ObjectName(DERBY_PAGE_CACHE), null)) {
                return ((Number) server.getAttribute(name, "MaxEntries")).longValue();
            }
        } catch (JMException error) {
            throw StoreException.failed("the page cache of Derby does not tell its size: " + error.getMessage());
        }
        throw StoreException.failed("the page cache of Derby has no bean that tells its size");
    }

    /** Settings of SQLite in the order in which they must be applied. */
    private static final List<String> PRAGMAS = List.of(
            "page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint");
    /** The declared type of text columns; STRING has numeric affinity: digits become a number. */
    private static final String TEXT_TYPE = "text_type";
    private static final List<String> SYNCHRONOUS = List.of("off", "normal", "full", "extra");
    private static final int CONSTRAINT = 19;

    /** SQLite through its JDBC driver, which brings a library of its own. */
    static Store sqlite(Job job) throws StoreException {
        Set<String> known = new HashSet<>(PRAGMAS);
        known.add(TEXT_TYPE);
        Jdbc sqlite = new Jdbc(job, "\"", known);
        for (Map.Entry<String, String> setting : job.settings().entrySet()) {
            if (!setting.getValue().matches("[A-Za-z0-9_-]+")) {
                throw StoreException.failed(
                        "setting '" + setting.getKey() + "' cannot be '" + setting.getValue() + "'");
            }
        }
        String textType = job.word(TEXT_TYPE, "text", Set.of("string", "text")).toUpperCase(Locale.ROOT);
        // The driver's version says that of its library only by habit.
        sqlite.libraries.put("sqlite", loadSqlite(job.folder().resolve(".native")));
        sqlite.url = "jdbc:sqlite:" + job.folder() + "/data.sqlite";
        sqlite.properties.setProperty("busy_timeout", "" + Math.max(job.operationNs() / 1_000_000, 1));
        // A transaction that begins as a read and then writes can fail where another writes meanwhile.
        sqlite.properties.setProperty("transaction_mode", "IMMEDIATE");
        sqlite.onConnect = PRAGMAS.stream().filter(job.settings()::containsKey)
                .map(pragma -> "PRAGMA " + pragma + " = " + job.settings().get(pragma)).toArray(String[]::new);
        sqlite.waits = connection -> {
            Waits waits = new Waits(job.operationNs());
            BusyHandler.setHandler(connection, waits);
            return waits::count;
        };
        sqlite.types = (field, isKey) -> switch (field.type()) {
            case INT64 -> "INTEGER";
            case TEXT -> isKey ? "TEXT" : textType;
            case BYTES -> "BLOB";
        };
        sqlite.incrementOrMake = upsert(sqlite.sql);
        sqlite.exists = error -> (error.getErrorCode() & 0xFF) == CONSTRAINT;
        // The one writer would keep its lock between two transactions, and every connection would wait for it.
        sqlite.beginsAtOnce = true;
        sqlite.beginSnapshot = connection -> {
            // Readers of one snapshot must not take the one writer's lock, as transactions do here otherwise.
            connection.unwrap(SQLiteConnection.class).getConnectionConfig()
                    .setTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
            connection.setAutoCommit(false);
        };
        sqlite.capabilities.put("max_connections", 256);
        sqlite.settings = connection -> {
            Map<String, String> settings = new TreeMap<>();
            for (String pragma : PRAGMAS) {
                List<List<String>> rows = Jdbc.query(connection, "PRAGMA " + pragma);
                settings.put(pragma, rows.isEmpty() ? "" : rows.get(0).get(0).toLowerCase(Locale.ROOT));
            }
            settings.put("synchronous", SYNCHRONOUS.get(Integer.parseInt(settings.get("synchronous"))));
            return settings;
        };
        sqlite.size = connection ->
                Jdbc.number(connection, "PRAGMA page_count") * Jdbc.number(connection, "PRAGMA page_size");
        sqlite.check = connection -> {
            List<List<String>> lines = Jdbc.query(connection, "PRAGMA integrity_check");
            return lines.equals(List.of(List.of("ok"))) ? "" : lines.toString();
        };
        return sqlite;
    }

    /**
     * The driver unpacks its library somewhere before it loads it; once it is loaded the file may go. Gives its
     * version.
     */
    private static synchronized String loadSqlite(Path folder) throws StoreException {
        try {
            if (System.getProperty("org.sqlite.tmpdir") == null) {
                Files.createDirectories(folder);
                System.setProperty("org.sqlite.tmpdir", folder.toString());
                SQLiteJDBCLoader.initialize();
                Store.remove(folder);
            }
            try (Connection memory = DriverManager.getConnection("jdbc:sqlite::memory:")) {
                return Jdbc.cell(memory, "SELECT sqlite_version()");
            }
        } catch (Exception error) {
            throw StoreException.failed("the library of SQLite cannot be loaded: " + error);
        }
    }

    private static String upsert(Sql sql) {
        return "INSERT INTO " + sql.counters + " (" + sql.id + ", " + sql.n + ") VALUES (?, 1) ON CONFLICT (" + sql.id
                + ") DO UPDATE SET " + sql.n + " = " + sql.counters + "." + sql.n + " + 1";
    }

    /**
     * What a connection of SQLite does when another one holds the lock: it sleeps a little, counts that, and gives up
     * in time. The sleeps are those of the client in Rust. SQLite's own become 100 ms long, so that of many writers
     * most would sleep while nobody writes, and the two clients would differ in their sleeps and in nothing else.
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

    /** What is read back of PostgreSQL. */
    private static final String POSTGRES_SETTINGS =
            "'autovacuum', 'checkpoint_timeout', 'commit_delay', 'data_checksums', 'effective_cache_size', 'fsync', "
            + "'full_page_writes', 'huge_pages', 'io_method', 'jit', 'max_connections', 'max_wal_size', "
            + "'random_page_cost', 'shared_buffers', 'synchronous_commit', "
            + "'transaction_read_only', 'wal_compression', 'wal_level', 'wal_sync_method', 'wal_writer_delay'";
    private static final String POSTGRES_EXPECTED =
            "expected postgresql://user[:password]@host:port/database; pgjdbc takes no unix socket";

    /** A PostgreSQL server through pgjdbc. */
    static Store postgres(Job job) throws StoreException {
        Jdbc postgres = new Jdbc(job, "\"", Set.of("synchronous_commit"));
        String session = job.settings().get("synchronous_commit");
        if (session != null && !session.matches("[a-z_]+")) {
            throw StoreException.failed("setting 'synchronous_commit' cannot be '" + session + "'");
        }
        postgres.createTable = job.variant("logged", List.of("logged", "unlogged")).equals("logged") ? "CREATE TABLE "
                : "CREATE UNLOGGED TABLE ";
        postgres.connectTo("postgresql", 5432, "postgres", null, " by pgjdbc", POSTGRES_EXPECTED);
        postgres.properties.setProperty("ApplicationName", "kurabe");
        postgres.properties.setProperty("socketTimeout", "" + Math.max(job.operationNs() / 1_000_000_000, 1));
        // Prepared by the server from the first use on, as all statements here are used again and again.
        postgres.properties.setProperty("prepareThreshold", "1");
        postgres.properties.setProperty("options", "-c client_min_messages=warning"
                + (session == null ? "" : " -c synchronous_commit=" + session));
        // Without COLLATE "C" keys would be in the order of a language.
        postgres.types = (field, isKey) -> switch (field.type()) {
            case INT64 -> "BIGINT";
            case TEXT -> isKey ? "TEXT COLLATE \"C\"" : "TEXT";
            case BYTES -> "BYTEA";
        };
        // An error would take the whole transaction along.
        postgres.onConflict = " ON CONFLICT DO NOTHING";
        postgres.incrementOrMake = upsert(postgres.sql);
        postgres.isGone = error -> Jdbc.hasState(error, "57P");
        postgres.streamsInTransactionOnly = true;
        postgres.capabilities.put("max_connections", 256);
        postgres.settings = connection -> {
            Map<String, String> settings = Jdbc.pairs(connection,
                    "SELECT name, current_setting(name) FROM pg_settings WHERE name IN (" + POSTGRES_SETTINGS + ")");
            Jdbc.query(connection, "SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass('"
                    + job.namespace() + "')")
                    .forEach(row -> settings.put("relpersistence", row.get(0)));
            return settings;
        };
        postgres.size = connection ->
                Jdbc.number(connection, "SELECT pg_total_relation_size('" + job.namespace() + "')");
        return postgres;
    }
}

package kurabe.client;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** HSQLDB, embedded, in files. */
final class Hsqldb extends Jdbc {
    private static final String CACHE = "cache_bytes";
    /** Its sizes are of rows as they are in the file; the objects in memory are about twice as large, as its manual says. */
    private static final long OBJECTS_PER_FILE = 2;
    /** Memory of a small row with its nodes, by which the number of rows is limited too. */
    private static final long SMALL_ROW_BYTES = 400;
    private final long cache;
    private final long delayMs;
    private final String table;

    /** The database in the folder of a job. */
    Hsqldb(Job job) throws StoreException {
        super(job, Set.of("write_delay_ms", "table", CACHE));
        delayMs = job.number("write_delay_ms", 500, 0);
        cache = job.number(CACHE, 0, 1 << 20);
        table = job.word("table", "cached", Set.of("cached", "memory"));
        // Its own log of what it does would be a file more; the driver's notes go through java.util.logging.
        System.setProperty("hsqldb.reconfig_logging", "false");
        job.folder();
    }

    @Override
    String url() {
        String url = "jdbc:hsqldb:file:" + job.dir() + "/data;shutdown=false";
        if (cache == 0) {
            return url;
        }
        // They count where the database is made, and are stored with it.
        return url + ";hsqldb.cache_size=" + cache / OBJECTS_PER_FILE / 1024 + ";hsqldb.cache_rows="
                + cache / SMALL_ROW_BYTES;
    }

    /** 0 syncs at each commit; it is stored with the database. */
    @Override
    void connected(Connection connection, long limitNs) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET FILES WRITE DELAY " + (delayMs == 0 ? "FALSE" : delayMs + " MILLIS"));
        }
    }

    @Override
    String createTable() {
        return "CREATE " + table.toUpperCase(Locale.ROOT) + " TABLE ";
    }

    /** It locks what is read, and only this level keeps all of it as it is. */
    @Override
    void beginSnapshot(Connection connection) throws SQLException {
        beginSnapshot(connection, Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings =
                pairs(connection, "SELECT PROPERTY_NAME, PROPERTY_VALUE FROM INFORMATION_SCHEMA.SYSTEM_PROPERTIES");
        long sizeKib = Long.parseLong(settings.get("hsqldb.cache_size"));
        settings.put(CACHE, "" + sizeKib * 1024 * OBJECTS_PER_FILE);
        query(connection, "SELECT TABLE_NAME, HSQLDB_TYPE FROM INFORMATION_SCHEMA.SYSTEM_TABLES WHERE TABLE_NAME = '"
                + job.namespace() + "'").forEach(row -> settings.put("table", row.get(1).toLowerCase(Locale.ROOT)));
        return settings;
    }

    @Override
    void shutdown(Connection last) throws SQLException {
        try (Statement statement = last.createStatement()) {
            statement.execute("SHUTDOWN");
        }
    }
}

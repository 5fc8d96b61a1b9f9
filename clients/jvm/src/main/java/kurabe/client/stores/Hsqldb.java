package kurabe.client.stores;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import kurabe.client.Job;
import kurabe.client.Refused;

/** HSQLDB, embedded, in files. */
public final class Hsqldb extends Dialect {
    private static final String CACHE = "cache_bytes";
    /** Its sizes are of rows as they are in the file; the objects in memory are about twice as large, as its manual says. */
    private static final long OBJECTS_PER_FILE = 2;
    /** Memory of a small row with its nodes, by which the number of rows is limited too. */
    private static final long SMALL_ROW_BYTES = 400;
    private final long cache;
    private final String delay;
    private final String table;

    /** The database in the folder of a job. */
    public Hsqldb(Job job) throws Refused {
        super("hsqldb", job, Set.of("write_delay_ms", "table", CACHE));
        delay = job.setting("write_delay_ms", "500");
        if (!delay.matches("[0-9]{1,6}")) {
            throw new Refused("setting 'write_delay_ms' = '" + delay + "' is no number of ms");
        }
        cache = number(CACHE, 0, 1 << 20);
        table = word("table", "cached", Set.of("cached", "memory"));
        // Its own log of what it does would be a file more; the driver's notes go through java.util.logging.
        System.setProperty("hsqldb.reconfig_logging", "false");
        folder();
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
    void connected(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET FILES WRITE DELAY " + (delay.equals("0") ? "FALSE" : delay + " MILLIS"));
        }
    }

    @Override
    String createTable() {
        return "CREATE " + table.toUpperCase(java.util.Locale.ROOT) + " TABLE ";
    }

    /** It locks what is read, and only this level keeps all of it as it is. */
    @Override
    void beginSnapshot(Connection connection) throws SQLException {
        beginSnapshot(connection, Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new java.util.TreeMap<>();
        query(connection, "SELECT PROPERTY_NAME, PROPERTY_VALUE FROM INFORMATION_SCHEMA.SYSTEM_PROPERTIES")
                .forEach(row -> settings.put(row.get(0), row.get(1)));
        long sizeKib = Long.parseLong(settings.get("hsqldb.cache_size"));
        settings.put(CACHE, "" + sizeKib * 1024 * OBJECTS_PER_FILE);
        query(connection, "SELECT TABLE_NAME, HSQLDB_TYPE FROM INFORMATION_SCHEMA.SYSTEM_TABLES WHERE TABLE_NAME = '"
                + job.namespace() + "'").forEach(row -> settings.put("table", row.get(1).toLowerCase(java.util.Locale.ROOT)));
        return settings;
    }

    @Override
    void shutdown(Connection keeper) throws SQLException {
        try (Statement statement = keeper.createStatement()) {
            statement.execute("SHUTDOWN");
        }
    }
}

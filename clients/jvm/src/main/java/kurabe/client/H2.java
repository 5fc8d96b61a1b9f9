package kurabe.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** H2, embedded, in a file of its MVStore. */
final class H2 extends Jdbc {
    private static final String SYNC = "checkpoint_sync";
    private static final String CACHE = "cache_bytes";
    private final String url;
    private final boolean syncs;

    /** The database in the folder of a job. */
    H2(Job job) throws StoreException {
        super(job, Set.of("write_delay", SYNC, CACHE));
        long delayMs = job.number("write_delay", 500, 0);
        syncs = job.word(SYNC, "false", Set.of("false", "true")).equals("true");
        long cache = job.number(CACHE, 0, 1 << 20);
        // It would shut down by itself when the process gets a signal, which a store that is killed cannot do.
        url = "jdbc:h2:file:" + job.folder() + "/data;DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=" + delayMs + ";LOCK_TIMEOUT="
                + job.operationNs() / 1_000_000 + (cache == 0 ? "" : ";CACHE_SIZE=" + cache / 1024);
    }

    @Override
    String url() {
        return url;
    }

    /** A commit alone is written, never synced: its manual names this statement for who wants that. */
    @Override
    AfterCommit afterCommit(Connection connection) throws SQLException {
        if (!syncs) {
            return null;
        }
        PreparedStatement statement = connection.prepareStatement("CHECKPOINT SYNC");
        return statement::execute;
    }

    /** The database is closed, or the connection was broken. */
    @Override
    boolean disconnected(SQLException error) {
        return List.of("90098", "90121", "90067").contains(String.valueOf(error.getSQLState())) || super.disconnected(error);
    }

    /** What a VARCHAR takes. */
    @Override
    public Map<String, Object> capabilities() {
        Map<String, Object> told = super.capabilities();
        told.put("max_value_bytes", 1 << 20);
        return told;
    }

    @Override
    Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings =
                pairs(connection, "SELECT LOWER(SETTING_NAME), SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS");
        // The cache of the open store, which it tells in MiB; as a setting it is told only where it was set. The sync is what
        // this client sends, which no store knows.
        settings.remove("cache_size");
        settings.put(CACHE, "" + (Long.parseLong(settings.get("info.cache_max_size")) << 20));
        settings.put(SYNC, "" + syncs);
        return settings;
    }

    @Override
    long sizeBytes(Connection connection) throws SQLException, StoreException {
        String size = settings(connection).get("info.file_size");
        if (size == null) {
            throw StoreException.unsupported();
        }
        return Long.parseLong(size);
    }
}

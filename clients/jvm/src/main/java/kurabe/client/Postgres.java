package kurabe.client;

import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import kurabe.client.Job.Field;

/** A PostgreSQL server through pgjdbc. */
final class Postgres extends Jdbc {
    /** What is read back of the server. */
    private static final String SETTINGS = "'autovacuum', 'checkpoint_timeout', 'commit_delay', 'data_checksums', 'effective_cache_size', "
            + "'fsync', 'full_page_writes', 'huge_pages', 'io_method', 'jit', 'max_connections', "
            + "'max_wal_size', 'random_page_cost', 'shared_buffers', 'synchronous_commit', "
            + "'transaction_read_only', 'wal_compression', 'wal_level', 'wal_sync_method', 'wal_writer_delay'";

    private static final String EXPECTED =
            "expected postgresql://user[:password]@host:port/database; pgjdbc takes no unix socket";

    private final String url;
    private final Properties properties = new Properties();
    private final boolean unlogged;

    /** The server at the address of a job. */
    Postgres(Job job) throws StoreException {
        super(job, Set.of("synchronous_commit"));
        String session = job.settings().get("synchronous_commit");
        if (session != null && !session.matches("[a-z_]+")) {
            throw StoreException.failed("setting 'synchronous_commit' cannot be '" + session + "'");
        }
        unlogged = switch (job.variant() == null ? "logged" : job.variant()) {
            case "logged" -> false;
            case "unlogged" -> true;
            default -> throw StoreException.failed("no variant '" + job.variant() + "'; there are logged, unlogged");
        };
        URI address = Stores.address(job.url(), Jdbc::namesDatabase, " by pgjdbc", EXPECTED);
        String user = address.getUserInfo() == null ? "postgres" : address.getUserInfo();
        int colon = user.indexOf(':');
        properties.setProperty("user", colon < 0 ? user : user.substring(0, colon));
        if (colon >= 0) {
            properties.setProperty("password", user.substring(colon + 1));
        }
        properties.setProperty("ApplicationName", "kurabe");
        properties.setProperty("socketTimeout", "" + Math.max(job.operationNs() / 1_000_000_000, 1));
        // Prepared by the server from the first use on, as all statements here are used again and again.
        properties.setProperty("prepareThreshold", "1");
        properties.setProperty("options", "-c client_min_messages=warning"
                + (session == null ? "" : " -c synchronous_commit=" + session));
        url = "jdbc:postgresql://" + address.getHost() + ":" + (address.getPort() < 0 ? 5432 : address.getPort())
                + address.getRawPath();
    }

    @Override
    String url() {
        return url;
    }

    @Override
    Properties properties() {
        return properties;
    }

    @Override
    String createTable() {
        return unlogged ? "CREATE UNLOGGED TABLE " : "CREATE TABLE ";
    }

    /** Without COLLATE "C" keys would be in the order of a language. */
    @Override
    String type(Field field, boolean isKey) {
        return switch (field.type()) {
            case INT64 -> "BIGINT";
            case TEXT -> isKey ? "TEXT COLLATE \"C\"" : "TEXT";
            case BYTES -> "BYTEA";
        };
    }

    /** An error would take the whole transaction along. */
    @Override
    String onConflict() {
        return " ON CONFLICT DO NOTHING";
    }

    @Override
    String incrementOrMake(String counters) {
        return "INSERT INTO " + counters + " AS t (\"id\", \"n\") VALUES (?, 1) ON CONFLICT (\"id\") DO UPDATE SET \"n\" = t.\"n\" + 1";
    }

    @Override
    boolean disconnected(SQLException error) {
        return super.disconnected(error) || String.valueOf(error.getSQLState()).startsWith("57P");
    }

    @Override
    boolean streamsInTransactionOnly() {
        return true;
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
        Map<String, String> settings = pairs(connection,
                "SELECT name, current_setting(name) FROM pg_settings WHERE name IN (" + SETTINGS + ")");
        List<List<String>> table = query(connection,
                "SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass('" + job.namespace() + "')");
        if (!table.isEmpty()) {
            settings.put("relpersistence", table.get(0).get(0));
        }
        return settings;
    }

    @Override
    long sizeBytes(Connection connection) throws SQLException {
        return Long.parseLong(cell(connection, "SELECT pg_total_relation_size('" + job.namespace() + "')"));
    }
}

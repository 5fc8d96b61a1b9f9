package kurabe.client;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import kurabe.client.Job.Field;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Type;

/** What MariaDB and MySQL have in common: the table of the client in Rust, statement for statement; a variant is an engine. */
abstract class Mysql extends Jdbc {
    /** The mode of every session, whatever that of the server is; row 0 of an archive keeps its number. */
    private static final String SQL_MODE =
            "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
            + "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";
    /** Settings that decide what is kept, what it costs, and how much memory there is; a server tells those that it has. */
    private static final List<String> SETTINGS = List.of(
            "aria_group_commit", "aria_pagecache_buffer_size", "aria_sync_log_dir", "binlog_format",
            "binlog_row_image", "delay_key_write", "innodb_adaptive_hash_index", "innodb_buffer_pool_size",
            "innodb_change_buffering", "innodb_doublewrite", "innodb_flush_log_at_timeout",
            "innodb_flush_log_at_trx_commit", "innodb_flush_method", "innodb_io_capacity", "innodb_log_buffer_size",
            "innodb_log_file_size", "innodb_redo_log_capacity", "innodb_use_fdatasync", "key_buffer_size", "log_bin",
            "max_allowed_packet", "max_connections", "myisam_recover_options", "performance_schema", "read_only",
            "rocksdb_block_cache_size", "rocksdb_flush_log_at_trx_commit", "rocksdb_manual_wal_flush",
            "rocksdb_write_disable_wal", "sync_binlog", "transaction_isolation", "tx_isolation");

    // https://mariadb.com/kb/en/mariadb-error-code-reference/; numbers below 1900 are those of MySQL too.
    private static final int DUPLICATE_KEY = 1062;
    private static final int UNKNOWN_VARIABLE = 1193;
    private static final int DEADLOCK = 1213;
    /** A shutdown, and connections that somebody killed: 1927 in MariaDB, 3169 in MySQL. */
    private static final Set<Integer> GONE = Set.of(1053, 1927, 3169);

    /** A table, a column, and whatever takes a privilege of the whole server, as a size does that of PROCESS. */
    private static final Set<Integer> DENIED = Set.of(1142, 1143, 1227);

    /** Longest field that is made VARCHAR or VARBINARY; longer ones are TEXT or BLOB. */
    private static final int SHORT_BYTES = 255;
    /** What all short fields of a row may hold: 65,535 bytes less the key. A character of text counts four. */
    private static final long SHORT_FIELDS_BYTES = 60_000;

    private static final String EXPECTED =
            "expected mysql://user[:password]@host:port/database; there is no unix socket in this client";

    private final Engine engine;
    private final String url;
    private final String user;
    private final String password;
    private final boolean shortFits;

    /** The server at the address of a job, with the engines that it may be asked for. */
    private Mysql(Job job, List<Engine> engines) throws StoreException {
        super(job, Set.of());
        String wanted = job.variant() == null ? Engine.INNODB.word() : job.variant();
        engine = engines.stream().filter(one -> one.word().equals(wanted)).findFirst().orElseThrow(
                () -> StoreException.failed("no variant '" + wanted + "'; there are "
                        + engines.stream().map(Engine::word).collect(Collectors.joining(", "))));
        URI address = Stores.address(job.url(), Jdbc::namesDatabase, " by the JDBC driver", EXPECTED);
        String who = address.getUserInfo() == null ? "root" : address.getUserInfo();
        int colon = who.indexOf(':');
        user = colon < 0 ? who : who.substring(0, colon);
        password = colon < 0 ? "" : who.substring(colon + 1);
        int port = address.getPort() < 0 ? 3306 : address.getPort();
        url = "jdbc:" + job.store() + "://" + address.getHost() + ":" + port + address.getRawPath();
        shortFits = job.columns().stream().mapToLong(Mysql::shortBytes).sum() <= SHORT_FIELDS_BYTES;
    }

    private static long shortBytes(Field field) {
        long bytes = field.lenBytes() <= SHORT_BYTES ? field.lenBytes() : 0;
        return field.type() == Type.TEXT ? 4 * bytes : bytes;
    }

    /** The assignments for a session whose statements end after so many ns. */
    abstract String limits(long ns);

    /** What to say where a server does not know those variables: it is the other product. */
    abstract String another();

    /** The view that tells the sizes of InnoDB's files. */
    abstract String tablespaces();

    @Override
    final String url() {
        return url;
    }

    @Override
    final Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("connectTimeout", "" + patience(job.operationNs()));
        properties.setProperty("socketTimeout", "" + patience(job.operationNs()));
        driverSettings().forEach(properties::setProperty);
        return properties;
    }

    /** The server ends a statement itself; one that does not answer at all is given a little longer. In ms. */
    private static int patience(long ns) {
        return (int) Math.min(ns / 1_000_000 + 2_000, Integer.MAX_VALUE);
    }

    @Override
    final void connected(Connection connection, long limitNs) throws SQLException, StoreException {
        connection.setNetworkTimeout(Runnable::run, patience(limitNs));
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION " + limits(limitNs) + ", sql_mode = '" + SQL_MODE + "'");
        } catch (SQLException error) {
            if (error.getErrorCode() == UNKNOWN_VARIABLE) {
                throw StoreException.failed(another());
            }
            throw error;
        }
    }

    @Override
    final String quoted(String identifier) {
        return '`' + identifier.replace("`", "``") + '`';
    }

    @Override
    final List<String> creates() {
        List<Field> schema = job.schema();
        List<String> parts = new ArrayList<>();
        for (Field field : schema) {
            parts.add(quoted(field.name()) + " " + type(field, parts.isEmpty()) + " NOT NULL");
        }
        String key = quoted(schema.get(0).name());
        if (engine == Engine.ARCHIVE) {
            // The one index that it can have. A unique one would refuse every number below the highest so far.
            parts.set(0, parts.get(0) + " AUTO_INCREMENT");
            parts.add("KEY (" + key + ")");
        } else {
            parts.add("PRIMARY KEY (" + key + ")");
            job.columns().stream().filter(Field::indexed).forEach(field -> parts.add("KEY (" + quoted(field.name()) + ")"));
        }
        List<String> all = new ArrayList<>();
        // Text is compared by bytes, as in the other stores.
        all.add("CREATE TABLE " + quoted(job.namespace()) + " (" + String.join(", ", parts) + ") " + engine.clause
                + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
        if (engine.isFull()) {
            all.add("CREATE TABLE " + quoted(job.namespace() + "_counters")
                    + " (`id` BIGINT NOT NULL, `n` BIGINT NOT NULL, PRIMARY KEY (`id`)) " + engine.clause);
        }
        return all;
    }

    /** The table is looked at again, whatever the server said. */
    @Override
    final void created(Connection connection) throws SQLException, StoreException {
        String live = liveEngine(connection);
        if (!engine.word().equals(live)) {
            try (Statement statement = connection.createStatement()) {
                drop(statement, job.namespace());
                drop(statement, job.namespace() + "_counters");
            }
            throw StoreException.failed("the server made a table of engine " + live + " where " + engine.word()
                    + " was asked for; SHOW ENGINES tells what it has");
        }
    }

    /** The engine of the table as it is, in small letters; null where there is no table. */
    private String liveEngine(Connection connection) throws SQLException {
        List<List<String>> rows = query(connection, "SELECT engine FROM information_schema.tables "
                + "WHERE table_schema = DATABASE() AND table_name = '" + job.namespace() + "'");
        return rows.isEmpty() ? null : rows.get(0).get(0).toLowerCase(Locale.ROOT);
    }

    @Override
    final String type(Field field, boolean isKey) {
        if (field.type() == Type.INT64) {
            return "BIGINT";
        }
        if (isKey) {
            int length = field.prefix().getBytes(StandardCharsets.UTF_8).length + field.digits();
            return keyIsBytes(field) ? "VARBINARY(" + length + ")"
                    : "VARCHAR(" + length + ") CHARACTER SET ascii COLLATE ascii_bin";
        }
        boolean text = field.type() == Type.TEXT;
        int length = field.lenBytes();
        if (length <= SHORT_BYTES && shortFits) {
            return (text ? "VARCHAR(" : "VARBINARY(") + Math.max(length, 1) + ")";
        }
        String size = length < 1 << 16 ? "" : length < 1 << 24 ? "MEDIUM" : "LONG";
        return size + (text ? "TEXT" : "BLOB");
    }

    /**
     * Text keys that are not plain ASCII are kept as bytes: collations that every engine takes skip spaces at the end, and an
     * index of MyISAM has at most 1,000 bytes, four a character.
     */
    private static boolean keyIsBytes(Field key) {
        return key.type() == Type.TEXT && key.prefix().chars().anyMatch(letter -> letter >= 0x80);
    }

    /** What drivers make a text of is up to them where a column holds bytes. */
    @Override
    final String textKey(ResultSet result) throws SQLException {
        return keyIsBytes(job.schema().get(0)) ? new String(result.getBytes(1), StandardCharsets.UTF_8)
                : result.getString(1);
    }

    @Override
    final String incrementOrMake(String counters) {
        return "INSERT INTO " + counters + " (`id`, `n`) VALUES (?, 1) ON DUPLICATE KEY UPDATE `n` = `n` + 1";
    }

    @Override
    final boolean exists(SQLException error) {
        return error.getErrorCode() == DUPLICATE_KEY;
    }

    @Override
    final boolean isDeadlock(SQLException error) {
        return error.getErrorCode() == DEADLOCK;
    }

    @Override
    final boolean disconnected(SQLException error) {
        return super.disconnected(error) || GONE.contains(error.getErrorCode());
    }

    @Override
    final boolean denied(SQLException error) {
        return DENIED.contains(error.getErrorCode());
    }

    /** Nothing can be read of Blackhole, so nothing that it says can be checked but that it took a row. */
    @Override
    final Set<Kind> operations() {
        Set<Kind> operations = super.operations();
        if (engine == Engine.BLACKHOLE) {
            operations.retainAll(EnumSet.of(Kind.LOAD, Kind.INSERT));
        } else if (engine == Engine.ARCHIVE) {
            operations.removeAll(EnumSet.of(Kind.UPDATE, Kind.DELETE, Kind.INCREMENT));
            // It has no room for an index on a column.
            if (job.columns().stream().anyMatch(Field::indexed)) {
                operations.remove(Kind.SEARCH);
            }
        }
        return operations;
    }

    @Override
    final boolean hasTransactions() {
        return engine.hasTransactions();
    }

    /** The view is taken at once, as the client in Rust does it. */
    @Override
    final void beginSnapshot(Connection connection) throws SQLException {
        beginSnapshot(connection, Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement()) {
            statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
        }
    }

    /** By itself InnoDB's reads in a transaction see what was there at the first of them. */
    @Override
    final void seeCommitted(Connection connection) throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    @Override
    final boolean counts() {
        return engine != Engine.BLACKHOLE;
    }

    @Override
    final boolean opens() {
        return true;
    }

    @Override
    public final Map<String, Object> capabilities() {
        Map<String, Object> told = super.capabilities();
        if (engine == Engine.ARCHIVE) {
            // The only index that it can have is on a number that counts up.
            told.put("key_types", List.of("int64"));
        }
        told.put("insert", engine.isFull() ? "exists" : "upsert");
        told.put("max_connections", 256);
        // The longest packet that the descriptor sets, less room for the statement.
        told.put("max_value_bytes", 60 << 20);
        return told;
    }

    @Override
    final Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new TreeMap<>();
        pairs(connection, "SHOW GLOBAL VARIABLES WHERE variable_name IN ('" + String.join("', '", SETTINGS) + "')")
                .forEach((name, value) -> settings.put(name.toLowerCase(Locale.ROOT), value));
        // A statement switches the log off, so MySQL shows it with its counters and not with its settings.
        pairs(connection, "SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'")
                .forEach((name, value) -> settings.put(name.toLowerCase(Locale.ROOT), value));
        String live = liveEngine(connection);
        if (live != null) {
            settings.put("engine", live);
        }
        return settings;
    }

    /** The file of an InnoDB table; of other engines what they tell about data and indexes. */
    @Override
    final long sizeBytes(Connection connection) throws SQLException, StoreException {
        if (engine == Engine.BLACKHOLE) {
            throw StoreException.unsupported();
        }
        String name = job.namespace();
        String query = engine == Engine.INNODB
                ? "SELECT COALESCE(SUM(file_size), 0) FROM information_schema." + tablespaces() + " WHERE name IN (CONCAT("
                        + "DATABASE(), '/" + name + "'), CONCAT(DATABASE(), '/" + name + "_counters'))"
                : "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables "
                        + "WHERE table_schema = DATABASE() AND table_name IN ('" + name + "', '" + name + "_counters')";
        return Long.parseLong(cell(connection, query));
    }

    @Override
    final String check(Connection connection) throws SQLException, StoreException {
        if (engine == Engine.BLACKHOLE) {
            throw StoreException.unsupported();
        }
        List<List<String>> lines = query(connection, "CHECK TABLE " + quoted(job.namespace()));
        String words = lines.isEmpty() ? "no answer" : lines.get(lines.size() - 1).get(3);
        return words.equalsIgnoreCase("ok") || words.contains("up to date") ? "" : words;
    }

    /** A storage engine, whose name is the variant's; SQL takes it in any case of letters. */
    private enum Engine {
        INNODB("ENGINE=InnoDB"),
        MYISAM("ENGINE=MyISAM"),
        ARIA("ENGINE=Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE"),
        ROCKSDB("ENGINE=ROCKSDB"),
        ARCHIVE("ENGINE=ARCHIVE"),
        BLACKHOLE("ENGINE=BLACKHOLE");

        /** The part of CREATE TABLE that asks for it. */
        private final String clause;

        Engine(String clause) {
            this.clause = clause;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean hasTransactions() {
            return this == INNODB || this == ROCKSDB;
        }

        /** Whether a row can be changed once it is written, and a second one of the same key is refused. */
        boolean isFull() {
            return this != ARCHIVE && this != BLACKHOLE;
        }
    }

    /** A MariaDB server through MariaDB Connector/J. */
    static final class Mariadb extends Mysql {
        /** A batch of a prepared INSERT is sent in one packet (COM_STMT_BULK_EXECUTE), as the driver does where nothing is set. */
        private static final Map<String, String> DRIVER = Map.of(
                "useServerPrepStmts", "true", "useBulkStmtsForInserts", "true", "sslMode", "disable");

        Mariadb(Job job) throws StoreException {
            super(job, List.of(Engine.values()));
        }

        @Override
        Map<String, String> driverSettings() {
            return DRIVER;
        }

        /** The server ends every statement that takes longer. */
        @Override
        String limits(long ns) {
            return String.format(Locale.ROOT, "max_statement_time = %.6f", Math.max(ns / 1e9, 0.001));
        }

        @Override
        String another() {
            return "the server is no MariaDB (it knows no max_statement_time); for MySQL there is the store 'mysql'";
        }

        @Override
        String tablespaces() {
            return "innodb_sys_tablespaces";
        }
    }

    /** A MySQL server through MySQL Connector/J. */
    static final class Oracle extends Mysql {
        private static final int PLACES = 65_535;

        /**
         * A batch of a prepared INSERT is one INSERT of many rows only where rewriteBatchedStatements is on; otherwise each
         * row is a round trip. Statements that the server cannot prepare fail rather than being prepared by the driver. A
         * streamed scan would cost a statement of its own that sets a time limit.
         */
        private static final Map<String, String> DRIVER = Map.of(
                "useServerPrepStmts", "true", "emulateUnsupportedPstmts", "false", "rewriteBatchedStatements", "true",
                "netTimeoutForStreamingResults", "0", "sslMode", "DISABLED", "allowPublicKeyRetrieval", "true");

        Oracle(Job job) throws StoreException {
            super(job, List.of(Engine.INNODB, Engine.MYISAM, Engine.ARCHIVE, Engine.BLACKHOLE));
        }

        @Override
        Map<String, String> driverSettings() {
            return DRIVER;
        }

        /** It ends reads only; writes can only wait for locks, and wait for whole seconds. */
        @Override
        String limits(long ns) {
            long millis = Math.max(Math.min(ns / 1_000_000, 0xFFFF_FFFFL), 1);
            long seconds = (millis + 999) / 1000;
            return "max_execution_time = " + millis + ", innodb_lock_wait_timeout = " + seconds + ", lock_wait_timeout = "
                    + seconds + ", information_schema_stats_expiry = 0";
        }

        @Override
        String another() {
            return "the server is no MySQL (it knows no max_execution_time); for MariaDB there is the store 'mariadb'";
        }

        @Override
        String tablespaces() {
            return "innodb_tablespaces";
        }

        /** A statement has at most 65,535 places, and the driver does not part a batch by them. */
        @Override
        int mostBatchRows(int columns) {
            return PLACES / columns;
        }

        /** The driver's word for rows one by one; with any other it holds all of them in the heap. */
        @Override
        int fetchSize() {
            return Integer.MIN_VALUE;
        }
    }
}

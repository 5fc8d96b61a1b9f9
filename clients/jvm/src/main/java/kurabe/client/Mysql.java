package kurabe.client;

import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.*;
import kurabe.client.Job.*;

/** MariaDB and MySQL: the table of the client in Rust, statement for statement; a variant is an engine. */
final class Mysql extends Jdbc {
    /** The mode of every session, whatever that of the server is; row 0 of an archive keeps its number. */
    private static final String SQL_MODE =
            "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
            + "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";
    /**
     * Settings that decide what is kept, what it costs, and how much memory there is; a server tells those that it has.
     */
    private static final List<String> SETTINGS = List.of(
            "aria_group_commit", "aria_pagecache_buffer_size", "aria_sync_log_dir", "binlog_format",
            "binlog_row_image", "delay_key_write", "innodb_adaptive_hash_index", "innodb_buffer_pool_size",
            "innodb_change_buffering", "innodb_doublewrite", "innodb_flush_log_at_timeout",
            "innodb_flush_log_at_trx_commit", "innodb_flush_method", "innodb_io_capacity", "innodb_log_buffer_size",
            "innodb_log_file_size", "innodb_redo_log_capacity", "innodb_use_fdatasync", "key_buffer_size", "log_bin",
            "max_allowed_packet", "max_connections", "myisam_recover_options", "performance_schema", "read_only",
            "rocksdb_block_cache_size", "rocksdb_flush_log_at_trx_commit", "rocksdb_manual_wal_flush",
            "rocksdb_write_disable_wal", "sync_binlog", "transaction_isolation", "tx_isolation");

    /** Storage engines, which are the variants. */
    private static final List<String> ENGINES = List.of("innodb", "myisam", "aria", "rocksdb", "archive", "blackhole");

    // https://mariadb.com/kb/en/mariadb-error-code-reference/; numbers below 1900 are those of MySQL too.
    private static final int DUPLICATE_KEY = 1062;
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

    /** What the server is; null until it was asked. */
    private Product product;
    private final String engine;
    /** Whether a row can be changed once it is written, and a second one of the same key is refused. */
    private final boolean isFull;
    private final boolean shortFits;

    /** The server at the address of a job. */
    Mysql(Job job) throws StoreException {
        super(job, "`", Set.of());
        libraries.put("mariadb-jdbc", version("mariadb"));
        engine = job.variant("innodb", ENGINES);
        isFull = !engine.equals("archive") && !engine.equals("blackhole");
        connectBy(Product.MARIADB);
        shortFits = job.columns().stream().mapToLong(Mysql::shortBytes).sum() <= SHORT_FIELDS_BYTES;
        settings = this::readSettings;
        size = this::readSize;
        check = this::checkTable;
        types = this::typeOf;
        keyIsBytes = keyIsBytes(job.schema().get(0));
        incrementOrMake = "INSERT INTO " + sql.counters + " (" + sql.id + ", " + sql.n
                + ") VALUES (?, 1) ON DUPLICATE KEY UPDATE "
                + sql.n + " = " + sql.n + " + 1";
        // In a longer transaction an UPDATE that meets no row locks the gap: others that make counters there wait for it.
        addsFirst = true;
        keepsCounters = !engine.equals("blackhole");
        exists = error -> error.getErrorCode() == DUPLICATE_KEY;
        isDeadlock = error -> error.getErrorCode() == DEADLOCK;
        isGone = error -> GONE.contains(error.getErrorCode());
        isDenied = error -> DENIED.contains(error.getErrorCode());
        if (!engine.equals("innodb") && !engine.equals("rocksdb")) {
            capabilities.putAll(Map.of("transactions", false, "read_scopes", List.of("each")));
        }
        // The view is taken at once, as the client in Rust does it.
        beginSnapshot = connection -> {
            beginSnapshot(connection, Connection.TRANSACTION_REPEATABLE_READ);
            execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
        };
        // By itself InnoDB's reads in a transaction see what was there at the first of them.
        seeCommitted = connection -> connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        limitOperations();
        if (engine.equals("archive")) {
            // The only index that it can have is on a number that counts up.
            capabilities.put("key_types", List.of("int64"));
        }
        capabilities.put("insert", isFull ? "exists" : "upsert");
        capabilities.put("max_connections", 256);
        // The longest packet that the descriptor sets, less room for the statement.
        capabilities.put("max_value_bytes", 60 << 20);
    }

    /** Takes the driver of a product from now on. */
    private void connectBy(Product one) throws StoreException {
        properties.clear();
        library = one.library;
        connectTo(library, 3306, "root", "", " by the JDBC driver", EXPECTED);
        properties.setProperty("connectTimeout", "" + patience(job.operationNs()));
        properties.setProperty("socketTimeout", "" + patience(job.operationNs()));
        driverSettings = new TreeMap<>(one.driverSettings);
        driverSettings.forEach(properties::setProperty);
        fetchSize = one.fetchSize;
        places = one.places;
    }

    /** Each product gets the driver of its makers. The server says what it is to MariaDB's, which speaks with both. */
    @Override
    void chooseDriver() throws SQLException, StoreException {
        if (product != null) {
            return;
        }
        try (Connection first = DriverManager.getConnection(url + "?allowPublicKeyRetrieval=true", properties)) {
            product = cell(first, "SELECT VERSION()").contains("MariaDB") ? Product.MARIADB : Product.MYSQL;
        }
        connectBy(product);
    }

    private static long shortBytes(Field field) {
        long bytes = field.lenBytes() <= SHORT_BYTES ? field.lenBytes() : 0;
        return field.type() == Type.TEXT ? 4 * bytes : bytes;
    }

    /**
     * Nothing can be read of Blackhole, so nothing that it says can be checked but that it took a row. An increment is
     * the UPDATE, which meets none.
     */
    private void limitOperations() {
        if (engine.equals("blackhole")) {
            operations.retainAll(EnumSet.of(Kind.LOAD, Kind.INSERT, Kind.INCREMENT));
        } else if (engine.equals("archive")) {
            operations.removeAll(EnumSet.of(Kind.UPDATE, Kind.DELETE, Kind.INCREMENT));
            // It has no room for an index on a column.
            if (job.columns().stream().anyMatch(Field::indexed)) {
                operations.remove(Kind.SEARCH);
            }
        }
    }

    /** The server ends a statement itself; one that does not answer at all is given a little longer. In ms. */
    private static int patience(long ns) {
        return (int) Math.min(ns / 1_000_000 + 2_000, Integer.MAX_VALUE);
    }

    @Override
    void ready(Connection connection, long limitNs) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, patience(limitNs));
        execute(connection, "SET SESSION " + product.limits(limitNs) + ", sql_mode = '" + SQL_MODE + "'");
    }

    @Override
    List<String> creates() {
        List<Field> schema = job.schema();
        List<String> parts = new ArrayList<>();
        for (Field field : schema) {
            parts.add(sql.name(field) + " " + typeOf(field, parts.isEmpty()) + " NOT NULL");
        }
        if (engine.equals("archive")) {
            // The one index that it can have. A unique one would refuse every number below the highest so far.
            parts.set(0, parts.get(0) + " AUTO_INCREMENT");
            parts.add("KEY (" + sql.key + ")");
        } else {
            parts.add("PRIMARY KEY (" + sql.key + ")");
            job.columns().stream().filter(Field::indexed).forEach(field -> parts.add("KEY (" + sql.name(field) + ")"));
        }
        String clause = " ENGINE=" + engine + (engine.equals("aria") ? " TRANSACTIONAL=1 ROW_FORMAT=PAGE" : "");
        List<String> all = new ArrayList<>();
        // Text is compared by bytes, as in the other stores.
        all.add("CREATE TABLE " + sql.rows + " (" + String.join(", ", parts) + ")" + clause
                + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
        if (!engine.equals("archive")) {
            all.add("CREATE TABLE " + sql.counters
                    + " (`id` BIGINT NOT NULL, `n` BIGINT NOT NULL, PRIMARY KEY (`id`))" + clause);
        }
        return all;
    }

    /** The table is looked at again, whatever the server said. */
    @Override
    void created(Connection connection) throws SQLException, StoreException {
        String live = liveEngine(connection);
        if (!engine.equals(live)) {
            reset();
            throw StoreException.failed("the server made a table of engine " + live + " where " + engine
                    + " was asked for; SHOW ENGINES tells what it has");
        }
    }

    /** The engine of the table as it is, in small letters; null where there is no table. */
    private String liveEngine(Connection connection) throws SQLException {
        List<List<String>> rows = query(connection, "SELECT engine FROM information_schema.tables "
                + "WHERE table_schema = DATABASE() AND table_name = '" + job.namespace() + "'");
        return rows.isEmpty() ? null : rows.get(0).get(0).toLowerCase(Locale.ROOT);
    }

    private String typeOf(Field field, boolean isKey) {
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
     * Text keys that are not plain ASCII are kept as bytes: collations that every engine takes skip spaces at the end,
     * and an index of MyISAM has at most 1,000 bytes, four a character.
     */
    private static boolean keyIsBytes(Field key) {
        return key.type() == Type.TEXT && key.prefix().chars().anyMatch(letter -> letter >= 0x80);
    }

    private Map<String, String> readSettings(Connection connection) throws SQLException {
        Map<String, String> settings = new TreeMap<>();
        // A statement switches the log off, so MySQL shows it with its counters and not with its settings.
        for (String query : List.of("SHOW GLOBAL VARIABLES WHERE variable_name IN ('" + String.join("', '", SETTINGS)
                + "')", "SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'")) {
            pairs(connection, query).forEach((name, value) -> settings.put(name.toLowerCase(Locale.ROOT), value));
        }
        String live = liveEngine(connection);
        if (live != null) {
            settings.put("engine", live);
        }
        return settings;
    }

    /** The file of an InnoDB table; of other engines what they tell about data and indexes. */
    private long readSize(Connection connection) throws SQLException, StoreException {
        refuseBlackhole();
        String name = job.namespace();
        return number(connection, engine.equals("innodb")
                ? "SELECT COALESCE(SUM(file_size), 0) FROM information_schema." + product.tablespaces
                + " WHERE name IN (CONCAT("
                        + "DATABASE(), '/" + name + "'), CONCAT(DATABASE(), '/" + name + "_counters'))"
                : "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables "
                        + "WHERE table_schema = DATABASE() AND table_name IN ('" + name + "', '" + name
                        + "_counters')");
    }

    private String checkTable(Connection connection) throws SQLException, StoreException {
        refuseBlackhole();
        List<List<String>> lines = query(connection, "CHECK TABLE " + sql.rows);
        String words = lines.isEmpty() ? "no answer" : lines.get(lines.size() - 1).get(3);
        return words.equalsIgnoreCase("ok") || words.contains("up to date") ? "" : words;
    }

    private void refuseBlackhole() throws StoreException {
        if (engine.equals("blackhole")) {
            throw StoreException.unsupported();
        }
    }

    /**
     * A product, and the driver that its makers give it.
     *
     * @param library name of the driver
     * @param tablespaces the view that tells the sizes of InnoDB's files
     */
    private record Product(
            String library, String tablespaces, int places, int fetchSize, Map<String, String> driverSettings) {
        /** A batch of a prepared INSERT is one packet (COM_STMT_BULK_EXECUTE), as where nothing is set. */
        static final Product MARIADB = new Product("mariadb", "innodb_sys_tablespaces", Integer.MAX_VALUE, 1000,
                Map.of("useServerPrepStmts", "true", "useBulkStmtsForInserts", "true", "sslMode", "disable"));
        /**
         * A batch of a prepared INSERT is one INSERT of many rows only where rewriteBatchedStatements is on, and not
         * parted by the 65,535 places that a statement may have; otherwise each row is a round trip. Statements that
         * the server cannot prepare fail rather than being prepared by the driver. A streamed scan would cost a
         * statement of its own that sets a time limit; the least fetch size is the driver's word for rows one by one,
         * and with any other it holds all of them in the heap.
         */
        static final Product MYSQL = new Product("mysql", "innodb_tablespaces", 65_535, Integer.MIN_VALUE, Map.of(
                "useServerPrepStmts", "true", "emulateUnsupportedPstmts", "false", "rewriteBatchedStatements", "true",
                "netTimeoutForStreamingResults", "0", "sslMode", "DISABLED", "allowPublicKeyRetrieval", "true"));

        /**
         * The assignments for a session whose statements end after so many ns. MySQL ends reads only; writes can only
         * wait for locks, and wait for whole seconds.
         */
        String limits(long ns) {
            if (this == MARIADB) {
                return String.format(Locale.ROOT, "max_statement_time = %.6f", Math.max(ns / 1e9, 0.001));
            }
            long millis = Math.max(Math.min(ns / 1_000_000, 0xFFFF_FFFFL), 1);
            long seconds = (millis + 999) / 1000;
            return "max_execution_time = " + millis + ", innodb_lock_wait_timeout = " + seconds
                    + ", lock_wait_timeout = " + seconds + ", information_schema_stats_expiry = 0";
        }
    }
}

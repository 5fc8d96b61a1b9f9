package kurabe.client;

import com.datastax.oss.driver.api.core.*;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.retry.RetryVerdict;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.retry.DefaultRetryPolicy;
import com.datastax.oss.protocol.internal.util.Bytes;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.*;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kurabe.client.Jdbc.Sql;
import kurabe.client.Job.*;

/**
 * Cassandra through its own driver, with prepared statements. As its makers advise there is one session for all
 * connections, with as many as the phase has, and phases with as many have the same one; each worker waits for its
 * answer.
 *
 * <p>Writes are what a program writes that trusts Cassandra: without a look at what is there.
 */
final class Cassandra extends Store {
    /** The keyspace that is made where the address names none. */
    private static final String KEYSPACE = "kurabe";
    /** Settings that decide what is kept, what it costs, and how much memory there is. */
    private static final Set<String> SETTINGS = Set.of(
            "commitlog_segment_size", "commitlog_sync", "commitlog_sync_group_window", "commitlog_sync_period",
            "concurrent_writes", "counter_write_request_timeout", "file_cache_size",
            "memtable_allocation_type", "memtable_heap_space", "memtable_offheap_space", "native_transport_timeout",
            "periodic_commitlog_sync_lag_block",
            "range_request_timeout", "read_request_timeout", "trickle_fsync", "write_request_timeout");
    /**
     * Netty's words about a task that came when a session's last thread had ended: that it ends is what was asked for.
     */
    private static final Logger LATE_TASKS =
            Logger.getLogger("io.netty.util.concurrent.DefaultPromise.rejectedExecution");
    private static final String EXPECTED = "expected cassandra://[user:password@]host[:port][/keyspace]";

    static {
        LATE_TASKS.setLevel(Level.OFF);
    }

    private final String keyspace;
    private final Sql sql;
    private final InetSocketAddress node;
    /** With user and password, or null. */
    private final Address login;
    private final boolean keyspaceIsTheirs;
    private final Duration limit;
    private final Shared<CqlSession> shared = new Shared<>(this::open, CqlSession::close);

    /** The node at the address of a job. */
    Cassandra(Job job) throws StoreException {
        super(job, true, Set.of());
        libraries.put("java-driver-core",
                expect("cassandra", String.valueOf(Session.OSS_DRIVER_COORDINATES.getVersion())));
        // Rows are in the order of their keys' hashes: nothing knows the newest.
        operations.remove(Kind.LATEST);
        // A batch of rows of many keys is what Cassandra's manual warns of. A write has at most half a segment of the
        // commit log (16 MiB) and a share of the heap on its way.
        capabilities.putAll(Map.of(
                "insert", "upsert", "blind_writes", true, "max_connections", 256, "max_value_bytes", 4 << 20));
        limit = Duration.ofNanos(job.operationNs());
        Address address = address(
                job.url(), url -> "cassandra".equals(url.scheme()) && !url.path().contains("/"), "", EXPECTED);
        keyspaceIsTheirs = !address.path().isEmpty();
        keyspace = keyspaceIsTheirs ? decoded(address.path()) : KEYSPACE;
        sql = new Sql(job, "\"", keyspace);
        node = new InetSocketAddress(address.host(), address.port(9042));
        login = address.password() == null ? null : address;
    }

    /** A session with so many connections for requests, beside the one on which it hears about the cluster. */
    private CqlSession open(int connections) {
        int atLeastOne = Math.max(connections, 1);
        DriverConfigLoader config = DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, limit)
                .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, limit)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, limit)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, limit)
                .withInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE, atLeastOne)
                // More threads than connections would never have anything to do.
                .withInt(DefaultDriverOption.NETTY_IO_SIZE,
                        Math.min(atLeastOne, 2 * Runtime.getRuntime().availableProcessors()))
                // By itself a session waits two seconds when it ends, for requests that could still come.
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                // No retry is hidden.
                .withClass(DefaultDriverOption.RETRY_POLICY_CLASS, NoRetries.class)
                .withClass(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, DcInferringLoadBalancingPolicy.class)
                .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                .build();
        CqlSessionBuilder session = CqlSession.builder().addContactPoint(node).withConfigLoader(config);
        if (login != null) {
            session.withAuthCredentials(login.user(), login.password());
        }
        return session.build();
    }

    @Override
    StoreException translate(Exception thrown) {
        if (!(thrown instanceof DriverException error)) {
            return null;
        }
        boolean gone = error instanceof AllNodesFailedException || error instanceof ClosedConnectionException
                || error instanceof HeartbeatException;
        return new StoreException(StoreException.cause(gone, error instanceof UnauthorizedException),
                error.getMessage());
    }

    private Row row(String query) {
        return shared.keeper().execute(query).one();
    }

    private void run(String... statements) {
        Stream.of(statements).forEach(shared.keeper()::execute);
    }

    @Override
    void ping() {
        row("SELECT release_version FROM system.local");
    }

    @Override
    Map<String, String> info() {
        Row local = row("SELECT release_version, cql_version FROM system.local");
        return Map.of("version", local.getString(0), "cql_version", local.getString(1),
                "driver", Session.OSS_DRIVER_COORDINATES.toString());
    }

    @Override
    Map<String, String> settings() throws StoreException {
        String durableWrites = "SELECT CAST(durable_writes AS text) FROM system_schema.keyspaces WHERE "
                + "keyspace_name = '" + keyspace.replace("'", "''") + "'";
        return orUnsupported("settings of the server", () -> {
            Map<String, String> settings = new TreeMap<>();
            for (Row row : shared.keeper().execute("SELECT name, value FROM system_views.settings")) {
                if (SETTINGS.contains(row.getString(0)) && !row.isNull(1)) {
                    settings.put(row.getString(0), row.getString(1));
                }
            }
            // Of a keyspace, which may pass the log by; there is none before the first job.
            for (Row row : shared.keeper().execute(durableWrites)) {
                settings.put("durable_writes", row.getString(0));
            }
            return settings;
        });
    }

    @Override
    void create() {
        if (!keyspaceIsTheirs) {
            run("CREATE KEYSPACE IF NOT EXISTS " + sql.quoted(keyspace)
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        }
        reset();
        run(creates().toArray(String[]::new));
    }

    /** Makes both tables and the indexes. */
    List<String> creates() {
        List<String> all = new ArrayList<>();
        String columns = job.schema().stream().map(field -> sql.name(field) + " " + switch (field.type()) {
            case INT64 -> "bigint";
            case TEXT -> "text";
            case BYTES -> "blob";
        } + ", ").collect(Collectors.joining());
        all.add("CREATE TABLE " + sql.rows + " (" + columns + "PRIMARY KEY (" + sql.key + "))");
        all.add("CREATE TABLE " + sql.counters + " (id bigint PRIMARY KEY, count counter)");
        // Of its indexes only this kind knows ranges.
        job.columns().stream().filter(Field::indexed)
                .forEach(field -> all.add("CREATE INDEX ON " + sql.rows + " (" + sql.name(field) + ") USING 'sai'"));
        return all;
    }

    /** Without an index every row is looked at, which has to be allowed aloud. */
    String search(Field field) {
        return sql.scan() + " WHERE " + sql.name(field) + " >= ? AND " + sql.name(field) + " <= ?"
                + (field.indexed() ? "" : " ALLOW FILTERING");
    }

    @Override
    void reset() {
        run("DROP TABLE IF EXISTS " + sql.rows, "DROP TABLE IF EXISTS " + sql.counters);
    }

    @Override
    long count() {
        return row(sql.count()).getLong(0);
    }

    /** A sum of no counters is none. */
    @Override
    long sum() {
        return row("SELECT sum(count) FROM " + sql.counters).getLong(0);
    }

    @Override
    Lane connect(Phase phase) {
        CqlSession session = shared.take(phase.connections());
        try {
            return new CassandraLane(session, phase);
        } catch (DriverException error) {
            shared.giveBack(true);
            throw error;
        }
    }

    @Override
    void shutdown() {
        shared.close();
    }

    /** One worker's way to the node, with every statement of its phase prepared. */
    private final class CassandraLane implements Lane {
        private final CqlSession session;
        private final Field[] columns = job.columns().toArray(Field[]::new);
        private final Map<Kind, PreparedStatement> statements = new EnumMap<>(Kind.class);

        CassandraLane(CqlSession session, Phase phase) {
            this.session = session;
            for (Kind kind : phase.kinds()) {
                String text = text(kind, phase);
                if (text != null) {
                    statements.put(kind, session.prepare(text));
                }
            }
        }

        private String text(Kind kind, Phase phase) {
            return switch (kind) {
                case MULTI_READ -> sql.scan() + " WHERE " + sql.key + " IN ?";
                case SEARCH -> search(job.schema().get(phase.searchField()));
                case INCREMENT -> "UPDATE " + sql.counters + " SET count = count + 1 WHERE id = ?";
                default -> sql.of(kind);
            };
        }

        /** Executes a statement; the driver may ask for more pages while its answer is taken apart. */
        private ResultSet ask(Kind kind, Object... values) {
            return session.execute(statements.get(kind).bind(values));
        }

        /** The values of a write with the key before or behind the fields. */
        private Object[] bound(Object key, int keyAt, Object[] fields) {
            Object[] values = new Object[fields.length + 1];
            values[keyAt] = key;
            for (int at = 0; at < fields.length; at++) {
                values[at + (keyAt == 0 ? 1 : 0)] =
                        fields[at] instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : fields[at];
            }
            return values;
        }

        private Object[] fields(Row row, int first) {
            Object[] fields = new Object[columns.length];
            for (int at = 0; at < columns.length; at++) {
                fields[at] = switch (columns[at].type()) {
                    case INT64 -> row.get(first + at, Long.class);
                    case TEXT -> row.getString(first + at);
                    case BYTES -> Bytes.getArray(row.getByteBuffer(first + at));
                };
            }
            return fields;
        }

        private Object key(Row row) {
            return job.hasTextKey() ? row.getString(0) : row.get(0, Long.class);
        }

        private void give(Kind kind, Sink sink, Object... values) {
            ask(kind, values).forEach(row -> sink.take(key(row), fields(row, 1)));
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) {
            switch (kind) {
                case DELETE, INCREMENT -> ask(kind, key);
                case UPDATE -> ask(kind, bound(key, value.length, value));
                default -> ask(kind, bound(key, 0, value));
            }
            return Outcome.DONE;
        }

        @Override
        public Object[] read(Object key) {
            return first(ask(Kind.READ, key));
        }

        private Object[] first(ResultSet answer) {
            Row row = answer.one();
            return row == null ? null : fields(row, 0);
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) {
            if (kind == Kind.OPEN) {
                try (CqlSession fresh = Cassandra.this.open(0)) {
                    PreparedStatement statement = fresh.prepare(sql.of(Kind.READ));
                    return Stream.of(keys).map(key -> first(fresh.execute(statement.bind(key))))
                            .toArray(Object[][]::new);
                }
            }
            Map<Object, Object[]> found = new HashMap<>();
            give(kind, found::put, List.of(keys));
            return Stream.of(keys).map(found::get).toArray(Object[][]::new);
        }

        @Override
        public void give(Kind kind, long low, long high, Sink sink) {
            give(kind, sink, kind == Kind.SEARCH ? new Object[] {low, high} : new Object[0]);
        }

        @Override
        public void close(boolean lost) {
            shared.giveBack(lost);
        }
    }

    /**
     * No retry is hidden. The driver makes it by its name. It asks about other errors only where a statement is said to
     * be idempotent, as none is here.
     */
    public static final class NoRetries extends DefaultRetryPolicy {
        /** As the driver calls it. */
        public NoRetries(DriverContext context, String profile) {
            super(context, profile);
        }

        @Override
        public RetryVerdict onReadTimeoutVerdict(
                Request request, ConsistencyLevel level, int wanted, int received, boolean hasData, int retries) {
            return RetryVerdict.RETHROW;
        }

        @Override
        public RetryVerdict onUnavailableVerdict(
                Request request, ConsistencyLevel level, int wanted, int alive, int retries) {
            return RetryVerdict.RETHROW;
        }
    }
}

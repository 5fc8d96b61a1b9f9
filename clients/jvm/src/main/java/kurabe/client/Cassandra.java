package kurabe.client;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.retry.RetryDecision;
import com.datastax.oss.driver.api.core.retry.RetryPolicy;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.WriteType;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import com.datastax.oss.protocol.internal.util.Bytes;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kurabe.client.Job.Field;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Phase;
import kurabe.client.Tape.Outcome;

/**
 * Cassandra through its own driver, with prepared statements. As its makers advise there is one session for all
 * connections, with as many as the phase has, and phases with as many have the same one; each worker waits for its answer.
 *
 * <p>Writes are what a program writes that trusts Cassandra: without a look at what is there.
 */
final class Cassandra extends Store {
    /** Where clients of Cassandra listen by default. */
    private static final int PORT = 9042;
    /** The keyspace that is made where the address names none. */
    private static final String KEYSPACE = "kurabe";
    /** Settings that decide what is kept, what it costs, and how much memory there is. */
    private static final Set<String> SETTINGS = Set.of(
            "commitlog_segment_size", "commitlog_sync", "commitlog_sync_group_window", "commitlog_sync_period",
            "concurrent_writes", "counter_write_request_timeout", "file_cache_size",
            "memtable_allocation_type", "memtable_heap_space", "memtable_offheap_space", "native_transport_timeout",
            "periodic_commitlog_sync_lag_block",
            "range_request_timeout", "read_request_timeout", "trickle_fsync", "write_request_timeout");
    /** Netty's words about a task that came when a session's last thread had ended: that it ends is what was asked for. */
    private static final Logger LATE_TASKS = Logger.getLogger("io.netty.util.concurrent.DefaultPromise.rejectedExecution");
    private static final String EXPECTED = "expected cassandra://[user:password@]host[:port][/keyspace]";

    static {
        LATE_TASKS.setLevel(Level.OFF);
    }

    private final String keyspace;
    private final Sql sql;
    private final InetSocketAddress node;
    /** User and password, or null. */
    private final String[] login;
    private final boolean keyspaceIsTheirs;
    private final Duration limit;
    /** For calls. */
    private CqlSession keeper;
    /** That of the phases. */
    private final Stores.Shared<CqlSession> shared = new Stores.Shared<>(this::open, CqlSession::close);

    /** The node at the address of a job. */
    Cassandra(Job job) throws StoreException {
        super(job, true, Set.of());
        limit = Duration.ofNanos(job.operationNs());
        URI address = Stores.address(job.url(), Cassandra::isUsable, "", EXPECTED);
        keyspaceIsTheirs = !keyspace(address).isEmpty();
        keyspace = keyspaceIsTheirs ? keyspace(address) : KEYSPACE;
        sql = new Sql(job, Cassandra::quoted, quoted(keyspace) + ".");
        node = new InetSocketAddress(address.getHost(), address.getPort() < 0 ? PORT : address.getPort());
        login = login(address.getRawUserInfo());
    }

    private static boolean isUsable(URI address) {
        return "cassandra".equals(address.getScheme()) && address.getHost() != null && address.getQuery() == null
                && address.getPort() <= 65_535 && !keyspace(address).contains("/");
    }

    /** The keyspace that an address names; empty where it names none. */
    private static String keyspace(URI address) {
        return String.valueOf(address.getPath()).replaceAll("^/|/$", "");
    }

    /** A name as an identifier of CQL, whatever it holds: keywords are names too. */
    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String[] login(String info) throws StoreException {
        if (info == null || !info.contains(":")) {
            return null;
        }
        String[] parts = info.split(":", 2);
        for (int at = 0; at < parts.length; at++) {
            parts[at] = Stores.decoded(parts[at], EXPECTED);
        }
        return parts;
    }

    /** A session with so many connections for requests, beside the one on which it hears about the cluster. */
    private CqlSession open(int connections) throws StoreException {
        DriverConfigLoader config = DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, limit)
                .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, limit)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, limit)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, limit)
                .withInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE, connections)
                // More threads than connections would never have anything to do.
                .withInt(DefaultDriverOption.NETTY_IO_SIZE,
                        Math.min(connections, 2 * Runtime.getRuntime().availableProcessors()))
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
            session.withAuthCredentials(login[0], login[1]);
        }
        try {
            return session.build();
        } catch (DriverException error) {
            throw failed(error);
        }
    }

    /** The server's own words, and whether the connection is over. */
    static StoreException failed(RuntimeException error) {
        boolean gone = error instanceof AllNodesFailedException || error instanceof ClosedConnectionException
                || error instanceof HeartbeatException;
        StoreException.Cause cause = gone ? StoreException.Cause.DISCONNECTED
                : error instanceof UnauthorizedException ? StoreException.Cause.DENIED : StoreException.Cause.FAILED;
        return new StoreException(cause, error.getMessage());
    }

    /** Asks on the session for calls. */
    private synchronized <T> T ask(Function<CqlSession, T> question) throws StoreException {
        if (keeper == null) {
            keeper = open(1);
        }
        try {
            return question.apply(keeper);
        } catch (DriverException error) {
            throw failed(error);
        }
    }

    private long number(String query) throws StoreException {
        // A sum of no counters is none.
        return ask(session -> session.execute(query).one().getLong(0));
    }

    @Override
    public Map<String, String> libraries() throws StoreException {
        String told = String.valueOf(Session.OSS_DRIVER_COORDINATES.getVersion());
        return Map.of("java-driver-core", Stores.expect("cassandra", told));
    }

    @Override
    public Map<String, Object> capabilities() {
        // Rows are in the order of their keys' hashes: nothing knows the newest. A batch of rows of many keys is what Cassandra's
        // manual warns of. A write has at most half a segment of the commit log (16 MiB) and a share of the heap on its way.
        return Map.of("operations", Kind.words(allBut(Kind.LATEST)), "insert", "upsert", "blind_writes", true, "max_connections", 256,
                "max_value_bytes", 4 << 20);
    }

    @Override
    public void ping() throws StoreException {
        ask(session -> session.execute("SELECT release_version FROM system.local").one());
    }

    @Override
    public Map<String, String> info() throws StoreException {
        Row local = ask(session -> session.execute("SELECT release_version, cql_version FROM system.local").one());
        Map<String, String> info = new LinkedHashMap<>();
        info.put("version", local.getString(0));
        info.put("cql_version", local.getString(1));
        info.put("driver", Session.OSS_DRIVER_COORDINATES.toString());
        return info;
    }

    @Override
    public Map<String, String> settings() throws StoreException {
        String durableWrites = "SELECT CAST(durable_writes AS text) FROM system_schema.keyspaces WHERE keyspace_name = '"
                + keyspace.replace("'", "''") + "'";
        return orUnsupported("settings of the server", () -> ask(session -> {
            Map<String, String> settings = new TreeMap<>();
            for (Row row : session.execute("SELECT name, value FROM system_views.settings")) {
                if (SETTINGS.contains(row.getString(0)) && !row.isNull(1)) {
                    settings.put(row.getString(0), row.getString(1));
                }
            }
            // Of a keyspace, which may pass the log by; there is none before the first job.
            for (Row row : session.execute(durableWrites)) {
                settings.put("durable_writes", row.getString(0));
            }
            return settings;
        }));
    }

    private void run(List<String> statements) throws StoreException {
        ask(session -> {
            statements.forEach(session::execute);
            return null;
        });
    }

    @Override
    public void create() throws StoreException {
        if (!keyspaceIsTheirs) {
            run(List.of("CREATE KEYSPACE IF NOT EXISTS " + quoted(keyspace)
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"));
        }
        reset();
        run(creates());
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
    public void reset() throws StoreException {
        run(List.of("DROP TABLE IF EXISTS " + sql.rows, "DROP TABLE IF EXISTS " + sql.counters));
    }

    @Override
    public long count() throws StoreException {
        return number(sql.count());
    }

    @Override
    public long sum() throws StoreException {
        return number("SELECT sum(count) FROM " + sql.counters);
    }

    @Override
    public Lane connect(Phase phase) throws StoreException {
        CqlSession session = shared.take(phase.connections());
        try {
            return new CassandraLane(session, phase);
        } catch (DriverException error) {
            shared.giveBack(true);
            throw failed(error);
        }
    }

    @Override
    public synchronized void close() {
        shared.close();
        if (keeper != null) {
            keeper.close();
            keeper = null;
        }
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
                case LOAD, INSERT -> sql.insert();
                case READ -> sql.read();
                case UPDATE -> sql.update();
                case DELETE -> sql.delete();
                case SCAN -> sql.scan();
                case MULTI_READ -> sql.scan() + " WHERE " + sql.key + " IN ?";
                case SEARCH -> search(job.schema().get(phase.searchField()));
                case INCREMENT -> "UPDATE " + sql.counters + " SET count = count + 1 WHERE id = ?";
                // What is opened has a session of its own.
                case LATEST, OPEN -> null;
            };
        }

        /** Executes a statement, and takes its answer apart, for which the driver may ask for more pages. */
        private <T> T ask(Kind kind, Function<ResultSet, T> take, Object... values) throws StoreException {
            try {
                return take.apply(session.execute(statements.get(kind).bind(values)));
            } catch (DriverException error) {
                throw failed(error);
            }
        }

        /** The values of a write with the key before or behind the fields. */
        private Object[] bound(Object key, int keyAt, Object[] fields) {
            Object[] values = new Object[fields.length + 1];
            values[keyAt] = key;
            for (int at = 0; at < fields.length; at++) {
                values[at + (keyAt == 0 ? 1 : 0)] = fields[at] instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : fields[at];
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

        private void give(Kind kind, Sink sink, Object... values) throws StoreException {
            ask(kind, answer -> {
                answer.forEach(row -> sink.take(key(row), fields(row, 1)));
                return null;
            }, values);
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) throws StoreException {
            Object[] values = switch (kind) {
                case DELETE, INCREMENT -> new Object[] {key};
                case UPDATE -> bound(key, value.length, value);
                default -> bound(key, 0, value);
            };
            ask(kind, answer -> answer, values);
            return Outcome.DONE;
        }

        @Override
        public Object[] read(Object key) throws StoreException {
            return ask(Kind.READ, this::first, key);
        }

        private Object[] first(ResultSet answer) {
            Row row = answer.one();
            return row == null ? null : fields(row, 0);
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) throws StoreException {
            if (kind == Kind.OPEN) {
                return open(keys);
            }
            Map<Object, Object[]> found = new HashMap<>();
            give(kind, found::put, List.of(keys));
            return Stream.of(keys).map(found::get).toArray(Object[][]::new);
        }

        private Object[][] open(Object[] keys) throws StoreException {
            try (CqlSession fresh = Cassandra.this.open(1)) {
                PreparedStatement statement = fresh.prepare(sql.read());
                return Stream.of(keys).map(key -> first(fresh.execute(statement.bind(key)))).toArray(Object[][]::new);
            } catch (DriverException error) {
                throw failed(error);
            }
        }

        @Override
        public void give(Kind kind, long low, long high, Sink sink) throws StoreException {
            give(kind, sink, kind == Kind.SEARCH ? new Object[] {low, high} : new Object[0]);
        }

        @Override
        public void close(boolean lost) {
            shared.giveBack(lost);
        }
    }

    /** No retry is hidden. The driver makes it by its name, and asks these methods by way of newer ones. */
    @SuppressWarnings("deprecation")
    public static final class NoRetries implements RetryPolicy {
        /** As the driver calls it. */
        public NoRetries(DriverContext context, String profile) {}

        @Override
        public RetryDecision onReadTimeout(
                Request request, ConsistencyLevel level, int wanted, int received, boolean hasData, int retries) {
            return RetryDecision.RETHROW;
        }

        @Override
        public RetryDecision onWriteTimeout(
                Request request, ConsistencyLevel level, WriteType type, int wanted, int received, int retries) {
            return RetryDecision.RETHROW;
        }

        @Override
        public RetryDecision onUnavailable(Request request, ConsistencyLevel level, int wanted, int alive, int retries) {
            return RetryDecision.RETHROW;
        }

        @Override
        public RetryDecision onRequestAborted(Request request, Throwable error, int retries) {
            return RetryDecision.RETHROW;
        }

        @Override
        public RetryDecision onErrorResponse(Request request, CoordinatorException error, int retries) {
            return RetryDecision.RETHROW;
        }

        @Override
        public void close() {}
    }
}

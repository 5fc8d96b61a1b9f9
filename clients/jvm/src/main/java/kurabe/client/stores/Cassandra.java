package kurabe.client.stores;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import kurabe.client.Capabilities;
import kurabe.client.Field;
import kurabe.client.Job;
import kurabe.client.Kind;
import kurabe.client.Lane;
import kurabe.client.Layout;
import kurabe.client.Phase;
import kurabe.client.Refused;
import kurabe.client.Secrets;
import kurabe.client.Store;
import kurabe.client.StoreException;

/**
 * Cassandra through its own driver, with prepared statements. As its makers advise there is one session for all
 * connections, with as many as the phase has, and phases with as many have the same one; each worker waits for its answer.
 *
 * <p>Writes are what a program writes that trusts Cassandra: without a look at what is there.
 */
public final class Cassandra implements Store {
    /** Where clients of Cassandra listen by default. */
    private static final int PORT = 9042;
    /** The keyspace that is made where the address names none. */
    private static final String KEYSPACE = "kurabe";
    /** Settings that decide what is kept, what it costs, and how much memory there is. */
    private static final Set<String> SETTINGS = Set.of(
            "commitlog_segment_size", "commitlog_sync", "commitlog_sync_group_window", "commitlog_sync_period",
            "concurrent_writes", "counter_write_request_timeout", "file_cache_size",
            "memtable_allocation_type", "memtable_heap_space", "memtable_offheap_space", "native_transport_timeout", "periodic_commitlog_sync_lag_block",
            "range_request_timeout", "read_request_timeout", "trickle_fsync", "write_request_timeout");
    /** Netty's words about a task that came when a session's last thread had ended: that it ends is what was asked for. */
    private static final Logger LATE_TASKS = Logger.getLogger("io.netty.util.concurrent.DefaultPromise.rejectedExecution");
    private static final String EXPECTED = "expected cassandra://[user:password@]host[:port][/keyspace]";

    static {
        LATE_TASKS.setLevel(Level.OFF);
    }

    final Layout layout;
    final CassandraTable table;
    private final InetSocketAddress node;
    /** User and password, or null. */
    private final String[] login;
    private final boolean keyspaceIsTheirs;
    private final Absent absent = new Absent();
    private final Duration limit;
    /** For calls. */
    private CqlSession keeper;
    /** That of the phases. */
    private final Shared<CqlSession> shared = new Shared<>(this::open, CqlSession::close);

    /** The node at the address of a job. */
    public Cassandra(Job job, Layout layout) throws Refused {
        for (String name : job.settings().keySet()) {
            throw new Refused("cassandra has no setting '" + name + "'; give the server arguments");
        }
        this.layout = layout;
        limit = Duration.ofNanos(job.operationNs());
        URI address = Address.of(job.url(), Cassandra::isUsable, "", EXPECTED);
        String named = keyspace(address);
        keyspaceIsTheirs = !named.isEmpty();
        table = new CassandraTable(keyspaceIsTheirs ? named : KEYSPACE, job.namespace(), layout.schema());
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

    private static String[] login(String info) throws Refused {
        if (info == null || !info.contains(":")) {
            return null;
        }
        String[] parts = info.split(":", 2);
        for (int at = 0; at < parts.length; at++) {
            parts[at] = Address.decoded(parts[at], EXPECTED);
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
        return new StoreException(cause, Secrets.clean(error.getMessage()));
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
        Versions.expect("cassandra", told);
        return Map.of("java-driver-core", told);
    }

    @Override
    public Capabilities capabilities() {
        // Rows are in the order of their keys' hashes: nothing knows the newest.
        EnumSet<Kind> operations = EnumSet.complementOf(EnumSet.of(Kind.LATEST, Kind.SEARCH, Kind.MIX));
        if (layout.schema().stream().skip(1).anyMatch(field -> field.type() == Field.Type.INT64)) {
            operations.add(Kind.SEARCH);
        }
        // A batch of rows of many keys is what Cassandra's manual warns of. A write has at most half a segment of the
        // commit log (16 MiB) and a share of the heap on its way.
        return new Capabilities(
                operations, Capabilities.ALL_KEYS, false, true, List.of("row"), List.of("each"), false, 256, 4 << 20, true);
    }

    @Override
    public boolean raw() {
        return false;
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
        return absent.orUnsupported("settings of the server", () -> ask(session -> {
            Map<String, String> settings = new TreeMap<>();
            for (Row row : session.execute("SELECT name, value FROM system_views.settings")) {
                if (SETTINGS.contains(row.getString(0)) && !row.isNull(1)) {
                    settings.put(row.getString(0), row.getString(1));
                }
            }
            // Of a keyspace, which may pass the log by; there is none before the first job.
            for (Row row : session.execute(table.durableWrites())) {
                settings.put("durable_writes", row.getString(0));
            }
            return settings;
        }));
    }

    @Override
    public List<String> absent() {
        return absent.take();
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
            run(List.of(table.createKeyspace()));
        }
        reset();
        run(table.create());
    }

    @Override
    public void reset() throws StoreException {
        run(table.drop());
    }

    @Override
    public long count() throws StoreException {
        return number(table.count());
    }

    @Override
    public long sum() throws StoreException {
        return number(table.sum());
    }

    @Override
    public Lane connect(Phase phase) throws StoreException {
        CqlSession session = shared.take(phase.connections());
        try {
            return new CassandraLane(this, session, phase, shared::giveBack);
        } catch (DriverException error) {
            shared.giveBack(true);
            throw failed(error);
        }
    }

    @Override
    public Object[] openAndRead(Phase phase, Object key) throws StoreException {
        CqlSession session = open(1);
        try (Lane lane = new CassandraLane(this, session, phase, lost -> session.close())) {
            return lane.read(key);
        } catch (DriverException error) {
            session.close();
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
}

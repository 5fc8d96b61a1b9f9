package kurabe.client.stores;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import kurabe.client.Capabilities;
import kurabe.client.Eviction;
import kurabe.client.Job;
import kurabe.client.Kind;
import kurabe.client.Lane;
import kurabe.client.Layout;
import kurabe.client.Phase;
import kurabe.client.Refused;
import kurabe.client.Secrets;
import kurabe.client.Store;
import kurabe.client.StoreException;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * Redis through Jedis, which blocks. A row is a string under {@code namespace:key}, its value the raw encoding; a
 * counter is {@code namespace+number}: as in the Rust client.
 */
public final class Redis implements Store {
    /** Keys in one command of a call. */
    private static final int CALL_KEYS = 1000;
    private static final int PORT = 6379;
    /** Settings that tell what can be lost, and what happens when memory ends. */
    private static final List<String> SETTINGS =
            List.of("appendonly", "appendfsync", "io-threads", "no-appendfsync-on-rewrite", "save", "maxmemory", "maxmemory-policy");
    private static final List<String> ABOUT = List.of("server_name", "valkey_version", "redis_mode", "server_mode", "role", "multiplexing_api");
    private static final String EXPECTED =
            "expected redis://[user:password@]host:port[/database]; Jedis takes no unix socket";

    private final Layout layout;
    private final KnownRows known;
    private final String rows;
    private final String counters;
    private final Absent absent = new Absent();
    private final HostAndPort address;
    private final DefaultJedisClientConfig config;

    /** The server at the address of a job. */
    public Redis(Job job, Layout layout) throws Refused {
        this.layout = layout;
        known = KnownRows.of(job);
        rows = job.namespace() + ":";
        counters = job.namespace() + "+";
        for (String name : job.settings().keySet()) {
            throw new Refused("redis has no setting '" + name + "'; give the server arguments");
        }
        URI url = Address.of(job.url(), Redis::isUsable, " by Jedis", EXPECTED);
        address = new HostAndPort(url.getHost(), url.getPort() < 0 ? PORT : url.getPort());
        config = config(url, (int) Math.min(Math.max(job.operationNs() / 1_000_000, 1), Integer.MAX_VALUE));
    }

    private static boolean isUsable(URI address) {
        return "redis".equals(address.getScheme()) && address.getHost() != null && address.getQuery() == null
                && address.getPort() <= 65_535;
    }

    private static DefaultJedisClientConfig config(URI url, int limitMs) throws Refused {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .connectionTimeoutMillis(limitMs).socketTimeoutMillis(limitMs).clientName(null);
        String login = url.getRawUserInfo();
        if (login != null) {
            int colon = login.indexOf(':');
            String user = colon < 0 ? "" : Address.decoded(login.substring(0, colon), EXPECTED);
            config.user(user.isEmpty() ? null : user).password(Address.decoded(login.substring(colon + 1), EXPECTED));
        }
        String path = url.getRawPath() == null ? "" : url.getRawPath().replaceAll("^/|/$", "");
        if (!path.matches("[0-9]{0,6}")) {
            throw Address.unreadable(EXPECTED);
        }
        return config.database(path.isEmpty() ? 0 : Integer.parseInt(path)).build();
    }

    @Override
    public Map<String, String> libraries() throws StoreException {
        String told = Versions.value("/redis/clients/jedis/pom.properties", "version");
        Versions.expect("redis", told);
        return Map.of("jedis", told);
    }

    @Override
    public Capabilities capabilities() {
        EnumSet<Kind> operations = EnumSet.of(
                Kind.LOAD, Kind.INSERT, Kind.READ, Kind.UPDATE, Kind.DELETE, Kind.MULTI_READ, Kind.INCREMENT, Kind.OPEN);
        // Values: https://redis.io/docs/latest/develop/data-types/strings/
        return new Capabilities(operations, Capabilities.ALL_KEYS, true, List.of("row"), List.of("each"), false, 1000,
                512 << 20, true);
    }

    @Override
    public boolean raw() {
        return true;
    }

    /** A new connection. */
    Jedis open() throws StoreException {
        try {
            return new Jedis(address, config);
        } catch (JedisException error) {
            throw failed(error);
        }
    }

    /** Name of a row by its key. */
    byte[] rowName(Object key) {
        return (rows + key).getBytes(StandardCharsets.UTF_8);
    }

    /** Name of a counter by its number. */
    byte[] counterName(long number) {
        return (counters + number).getBytes(StandardCharsets.UTF_8);
    }

    /** An error in the store's own words. */
    static StoreException failed(JedisException error) {
        // A refused sign-in is an answer of the server too.
        boolean gone = error instanceof JedisConnectionException
                && !(error.getCause() instanceof JedisDataException);
        StoreException.Cause kind = gone ? StoreException.Cause.DISCONNECTED
                : String.valueOf(error.getMessage()).startsWith("NOPERM") ? StoreException.Cause.DENIED
                : StoreException.Cause.FAILED;
        Throwable cause = gone && error.getCause() != null ? error.getCause() : error;
        String words = cause == error ? error.getMessage() : error.getMessage() + ": " + cause.getMessage();
        return new StoreException(kind, Secrets.clean(words));
    }

    /** Asks on a connection for one call. */
    private <T> T ask(Function<Jedis, T> question) throws StoreException {
        try (Jedis connection = open()) {
            return question.apply(connection);
        } catch (JedisException error) {
            throw failed(error);
        }
    }

    /** A server that refuses the command to this user answers too. */
    @Override
    public void ping() throws StoreException {
        try {
            ask(Jedis::ping);
        } catch (StoreException error) {
            if (error.kind != StoreException.Cause.DENIED) {
                throw error;
            }
        }
    }

    /** The value of a name in an INFO text, or null. */
    private static String field(String info, String name) {
        return info.lines().filter(line -> line.startsWith(name + ":")).findFirst()
                .map(line -> line.substring(name.length() + 1)).orElse(null);
    }

    /** By INFO, or by HELLO where the user may not ask for that; in both a server tells which product it is. */
    @Override
    public Map<String, String> info() throws StoreException {
        Map<String, String> info = new LinkedHashMap<>();
        String server = absent.unlessDenied(
                "what the server tells about itself", null,
                () -> askToKnow(connection -> connection.info("server") + connection.info("replication")));
        if (server == null) {
            info.putAll(absent.unlessDenied("version of the server", Map.of(), this::hello));
        } else {
            String version = field(server, "redis_version");
            if (version == null) {
                throw StoreException.failed("INFO tells no version");
            }
            info.put("version", version);
            // Servers that speak Redis' protocol tell their own name and version beside the one they are compatible with.
            for (String name : ABOUT) {
                String value = field(server, name);
                if (value != null) {
                    info.put(name, value);
                }
            }
        }
        if (info.containsKey("valkey_version") || "valkey".equals(info.get("server_name"))) {
            throw StoreException.failed("the server is Valkey, not Redis; for it there is the store 'valkey'");
        }
        info.put("driver", "Jedis " + Versions.of("redis"));
        return info;
    }

    /** Name and version of the server as HELLO tells them, which comes with every connection; nothing before Redis 6. */
    private Map<String, String> hello() throws StoreException {
        Object answer = askToKnow(connection -> connection.sendCommand(Protocol.Command.HELLO));
        Map<String, String> told = new LinkedHashMap<>();
        Map<String, String> names =
                Map.of("server", "server_name", "version", "version", "mode", "redis_mode", "role", "role");
        List<?> parts = answer instanceof List<?> list ? list : List.of();
        for (int at = 0; at + 1 < parts.size(); at += 2) {
            String name = parts.get(at) instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
            if (parts.get(at + 1) instanceof byte[] value && names.containsKey(name)) {
                told.put(names.get(name), new String(value, StandardCharsets.UTF_8));
            }
        }
        return told;
    }

    /** Asks for what a server may not know: that is a refusal too. */
    private <T> T askToKnow(Function<Jedis, T> question) throws StoreException {
        try (Jedis connection = open()) {
            return question.apply(connection);
        } catch (JedisDataException refused) {
            throw new StoreException(StoreException.Cause.DENIED, Secrets.clean(refused.getMessage()));
        } catch (JedisException error) {
            throw failed(error);
        }
    }

    /** Some may not ask for them, and hosted servers do not know the command. */
    @Override
    public Map<String, String> settings() throws StoreException {
        return absent.orUnsupported("settings of the server", () -> askToKnow(connection -> {
            Map<String, String> settings = new TreeMap<>();
            // One name a command: servers before version 7 take no more.
            SETTINGS.forEach(name -> settings.putAll(connection.configGet(name)));
            return settings;
        }));
    }

    /** Told by INFO, which hosted servers know too. */
    @Override
    public Eviction evicts() throws StoreException {
        String info = absent.orUnsupported(
                "whether the server throws keys away", () -> askToKnow(connection -> connection.info("memory")));
        String limit = field(info, "maxmemory");
        String policy = field(info, "maxmemory_policy");
        boolean none = limit == null || limit.equals("0") || policy == null || policy.equals("noeviction");
        return new Eviction(none ? null : "maxmemory " + limit + ", maxmemory-policy " + policy);
    }

    @Override
    public List<String> absent() {
        return absent.take();
    }

    @Override
    public void create() throws StoreException {
        reset();
    }

    /** Deletes the keys of the job by name. DEL, not UNLINK: nothing is left to do in the background. */
    @Override
    public void reset() throws StoreException {
        try (Jedis connection = open()) {
            List<byte[]> names = new ArrayList<>(CALL_KEYS);
            known.eachRow(row -> add(connection, names, rowName(layout.key(row))));
            for (long number = 0; number < known.counters(); number++) {
                add(connection, names, counterName(number));
            }
            delete(connection, names);
            if (!known.complete()) {
                eachName(connection, found -> delete(connection, found));
            }
        } catch (JedisException error) {
            throw failed(error);
        }
    }

    private static void add(Jedis connection, List<byte[]> names, byte[] name) {
        names.add(name);
        if (names.size() == CALL_KEYS) {
            delete(connection, names);
        }
    }

    private static void delete(Jedis connection, List<byte[]> names) {
        if (!names.isEmpty()) {
            connection.del(names.toArray(byte[][]::new));
            names.clear();
        }
    }

    /** Gives the names of all rows of the namespace, some at a time; SCAN may give one twice. */
    private void eachName(Jedis connection, Consumer<List<byte[]>> take) {
        // A namespace has no character that means something in a pattern.
        ScanParams params = new ScanParams().match(rows + "*").count(CALL_KEYS);
        byte[] cursor = ScanParams.SCAN_POINTER_START_BINARY;
        do {
            ScanResult<byte[]> found = connection.scan(cursor, params);
            take.accept(new ArrayList<>(found.getResult()));
            cursor = found.getCursorAsBytes();
        } while (!new String(cursor, StandardCharsets.US_ASCII).equals(ScanParams.SCAN_POINTER_START));
    }

    /** Rows by SCAN: each counts once. */
    @Override
    public long count() throws StoreException {
        Set<Long> seen = new HashSet<>();
        ask(connection -> {
            eachName(connection, found -> found.forEach(name -> seen.add(row(name))));
            return null;
        });
        seen.remove(-1L);
        return seen.size();
    }

    /** The row of a name, or -1 where it is none of ours. */
    private long row(byte[] name) {
        String key = new String(name, StandardCharsets.UTF_8).substring(rows.length());
        if (layout.textKey()) {
            return layout.rowOf(key);
        }
        return key.matches("[0-9]{1,18}") ? layout.rowOf(Long.valueOf(key)) : -1;
    }

    @Override
    public long sum() throws StoreException {
        return ask(connection -> {
            long sum = 0;
            for (long first = 0; first < known.counters(); first += CALL_KEYS) {
                List<byte[]> names = new ArrayList<>();
                for (long number = first; number < Math.min(first + CALL_KEYS, known.counters()); number++) {
                    names.add(counterName(number));
                }
                for (byte[] value : connection.mget(names.toArray(byte[][]::new))) {
                    sum += value == null ? 0 : Long.parseLong(new String(value, StandardCharsets.US_ASCII));
                }
            }
            return sum;
        });
    }

    /** Memory in use by the whole server: Redis knows no size of a part of its keys. */
    @Override
    public long sizeBytes() throws StoreException {
        String used = field(absent.orUnsupported("memory of the server", () -> askToKnow(connection -> connection.info("memory"))),
                "used_memory");
        if (used == null) {
            throw StoreException.failed("INFO tells no used_memory");
        }
        return Long.parseLong(used);
    }

    @Override
    public Lane connect(Phase phase) throws StoreException {
        return new RedisLane(this, open());
    }

    /** There is no connection between calls. */
    @Override
    public void close() {}
}

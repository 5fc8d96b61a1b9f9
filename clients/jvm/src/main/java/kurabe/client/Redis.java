package kurabe.client;

import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kurabe.client.Job.*;
import redis.clients.jedis.*;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * Redis through Jedis, which blocks. A row is a string under {@code namespace:key}, its value the raw encoding; a
 * counter is {@code namespace+number}: as in the Rust client. Calls find them by SCAN.
 */
final class Redis extends Store {
    /** Keys in one command of a call. */
    private static final int CALL_KEYS = 1000;
    /** Settings that tell what can be lost, and what happens when memory ends. */
    private static final List<String> SETTINGS =
            List.of("appendonly", "appendfsync", "io-threads", "no-appendfsync-on-rewrite", "save", "maxmemory",
            "maxmemory-policy");
    /** What a server tells about itself beside versions. */
    private static final List<String> ABOUT =
            List.of("server_name", "redis_mode", "server_mode", "role", "multiplexing_api");
    /** Versions that are not a product's own where it has another name. */
    private static final List<String> FOREIGN = List.of("redis_version", "gcc_version");
    private static final String EXPECTED =
            "expected redis://[user:password@]host:port[/database]; Jedis takes no unix socket";

    private final Field key;
    private final String rows;
    private final String counters;
    private final HostAndPort address;
    private final DefaultJedisClientConfig config;

    /** The server at the address of a job. */
    Redis(Job job) throws StoreException {
        super(job, false, Set.of());
        libraries.put("jedis", expect("redis", property("/redis/clients/jedis/pom.properties", "version")));
        operations.removeAll(Set.of(Kind.SCAN, Kind.LATEST, Kind.SEARCH));
        // Values: https://redis.io/docs/latest/develop/data-types/strings/
        capabilities.putAll(Map.of("max_connections", 1000, "max_value_bytes", 512 << 20));
        key = job.schema().get(0);
        rows = job.namespace() + ":";
        counters = job.namespace() + "+";
        // A database is a number; a password may come alone.
        Address server = address(job.url(),
                url -> "redis".equals(url.scheme()) && url.path().matches("[0-9]{0,6}"), " by Jedis", EXPECTED);
        address = new HostAndPort(server.host(), server.port(6379));
        int limitMs = (int) Math.min(Math.max(job.operationNs() / 1_000_000, 1), Integer.MAX_VALUE);
        boolean hasUser = server.password() != null && !server.user().isEmpty();
        config = DefaultJedisClientConfig.builder()
                .connectionTimeoutMillis(limitMs).socketTimeoutMillis(limitMs).clientName(null)
                .user(hasUser ? server.user() : null)
                .password(server.password() == null ? server.user() : server.password())
                .database(server.path().isEmpty() ? 0 : Integer.parseInt(server.path())).build();
    }

    /** A new connection. */
    private Jedis open() {
        return new Jedis(address, config);
    }

    private static byte[] name(String prefix, Object key) {
        return prefix.concat(key.toString()).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] rowName(Object key) {
        return name(rows, key);
    }

    @Override
    StoreException translate(Exception thrown) {
        if (!(thrown instanceof JedisException error)) {
            return null;
        }
        // A refused sign-in is an answer of the server too.
        boolean gone = error instanceof JedisConnectionException && !(error.getCause() instanceof JedisDataException);
        boolean hasReason = gone && error.getCause() != null;
        return new StoreException(StoreException.cause(gone, String.valueOf(error.getMessage()).startsWith("NOPERM")),
                hasReason ? error.getMessage() + ": " + error.getCause().getMessage() : error.getMessage());
    }

    /** Asks on a connection for one call. */
    private <T> T ask(Function<Jedis, T> question) {
        try (Jedis connection = open()) {
            return question.apply(connection);
        }
    }

    /** As above for what a server may not know: that is a refusal too. */
    private <T> T askToKnow(Function<Jedis, T> question) throws StoreException {
        try (Jedis connection = open()) {
            try {
                return question.apply(connection);
            } catch (JedisDataException refused) {
                throw new StoreException(StoreException.Cause.DENIED, refused.getMessage());
            }
        }
    }

    /** A server that refuses the command to this user answers too. */
    @Override
    void ping() throws StoreException {
        try {
            told(() -> ask(Jedis::ping));
        } catch (StoreException error) {
            if (error.kind != StoreException.Cause.DENIED) {
                throw error;
            }
        }
    }

    /** The fields of an INFO text. */
    private static Map<String, String> fields(String info) {
        return info.lines().map(line -> line.split(":", 2)).filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> field[0], field -> field[1], (one, other) -> one, TreeMap::new));
    }

    /** By INFO, or by HELLO where the user may not ask for that; in both a server tells which product it is. */
    @Override
    Map<String, String> info() throws StoreException {
        Map<String, String> info = new TreeMap<>();
        Map<String, String> server = unlessDenied("what the server tells about itself", null,
                () -> askToKnow(connection -> fields(connection.info("server") + connection.info("replication"))));
        if (server == null) {
            info.putAll(unlessDenied("version of the server", Map.of(), this::hello));
        } else {
            server.keySet().removeIf(name -> !name.endsWith("_version") && !ABOUT.contains(name));
            info.putAll(server);
            info.put("version", version(server));
        }
        info.put("driver", "Jedis " + version("redis"));
        return info;
    }

    /**
     * A product's own version. Others than Redis tell it under their name, beside the version that they are compatible
     * with.
     */
    private static String version(Map<String, String> server) throws StoreException {
        String named = server.get(server.get("server_name") + "_version");
        List<String> own = server.keySet().stream()
                .filter(name -> name.endsWith("_version") && !FOREIGN.contains(name)).toList();
        String version = named != null ? named : server.get(own.size() == 1 ? own.get(0) : "redis_version");
        if (version == null) {
            throw StoreException.failed("INFO tells no version");
        }
        return version;
    }

    /**
     * Name and version of the server as HELLO tells them, which comes with every connection; nothing before Redis 6.
     */
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

    /** Some may not ask for them, and hosted servers do not know the command. */
    @Override
    Map<String, String> settings() throws StoreException {
        return orUnsupported("settings of the server", () -> askToKnow(connection -> {
            Map<String, String> settings = new TreeMap<>();
            // One name a command: servers before version 7 take no more.
            SETTINGS.forEach(name -> settings.putAll(connection.configGet(name)));
            return settings;
        }));
    }

    private Map<String, String> memory() throws StoreException {
        return askToKnow(connection -> fields(connection.info("memory")));
    }

    /** Told by INFO, which hosted servers know too. */
    @Override
    Map<String, String> evicts() throws StoreException {
        Map<String, String> info = orUnsupported("whether the server throws keys away", this::memory);
        String limit = info.get("maxmemory");
        String policy = info.get("maxmemory_policy");
        boolean none = limit == null || limit.equals("0") || policy == null || policy.equals("noeviction");
        return none ? Map.of() : Map.of("policy", "maxmemory " + limit + ", maxmemory-policy " + policy);
    }

    @Override
    void create() {
        reset();
    }

    /** DEL, not UNLINK: nothing is left to do in the background. */
    @Override
    void reset() {
        for (String prefix : List.of(rows, counters)) {
            each(prefix, (connection, names) -> connection.del(names.toArray(byte[][]::new)));
        }
    }

    /** Gives the names that begin with a prefix, some at a time; SCAN may give one twice. */
    private void each(String prefix, BiConsumer<Jedis, List<byte[]>> take) {
        // A namespace has no character that means something in a pattern.
        ScanParams params = new ScanParams().match(prefix + "*").count(CALL_KEYS);
        ask(connection -> {
            byte[] cursor = ScanParams.SCAN_POINTER_START_BINARY;
            do {
                ScanResult<byte[]> found = connection.scan(cursor, params);
                if (!found.getResult().isEmpty()) {
                    take.accept(connection, found.getResult());
                }
                cursor = found.getCursorAsBytes();
            } while (!Arrays.equals(cursor, ScanParams.SCAN_POINTER_START_BINARY));
            return null;
        });
    }

    /** As above, each name once, and none that does not end with a number in so many digits; 0 for any. */
    private void eachNumbered(String prefix, int digits, BiConsumer<Jedis, List<byte[]>> take) {
        // A bit a number: one object each would take more heap than the rows that are counted.
        Map<Long, BitSet> seen = new HashMap<>();
        each(prefix, (connection, names) -> {
            List<byte[]> fresh = new ArrayList<>(names.size());
            for (byte[] name : names) {
                String text = new String(name, StandardCharsets.ISO_8859_1);
                String number = text.substring(digits > 0 ? Math.max(text.length() - digits, 0) : prefix.length());
                if (number.matches("[0-9]{1,18}")) {
                    long row = Long.parseLong(number);
                    BitSet some = seen.computeIfAbsent(row >>> 20, million -> new BitSet());
                    int at = (int) row & (1 << 20) - 1;
                    if (!some.get(at)) {
                        some.set(at);
                        fresh.add(name);
                    }
                }
            }
            if (!fresh.isEmpty()) {
                take.accept(connection, fresh);
            }
        });
    }

    @Override
    long count() {
        AtomicLong count = new AtomicLong();
        int digits = key.type() == Type.TEXT ? key.digits() : 0;
        eachNumbered(rows, digits, (connection, names) -> count.addAndGet(names.size()));
        return count.get();
    }

    @Override
    long sum() {
        AtomicLong sum = new AtomicLong();
        eachNumbered(counters, 0, (connection, names) -> connection.mget(names.toArray(byte[][]::new)).forEach(
                value -> sum.addAndGet(value == null ? 0
                : Long.parseLong(new String(value, StandardCharsets.US_ASCII)))));
        return sum.get();
    }

    /** Memory in use by the whole server: Redis knows no size of a part of its keys. */
    @Override
    long sizeBytes() throws StoreException {
        String used = orUnsupported("memory of the server", this::memory).get("used_memory");
        if (used == null) {
            throw StoreException.failed("INFO tells no used_memory");
        }
        return Long.parseLong(used);
    }

    @Override
    Lane connect(Phase phase) {
        return new RedisLane();
    }

    /** One connection of Jedis. */
    private final class RedisLane implements Lane {
        private static final SetParams IF_NEW = SetParams.setParams().nx();
        private static final SetParams IF_THERE = SetParams.setParams().xx();

        private final Jedis connection = open();

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) {
            return switch (kind) {
                case INSERT -> set(key, value, IF_NEW) ? Outcome.DONE : Outcome.EXISTS;
                case UPDATE -> set(key, value, IF_THERE) ? Outcome.DONE : Outcome.MISSING;
                case DELETE -> connection.del(rowName(key)) > 0 ? Outcome.DONE : Outcome.MISSING;
                case INCREMENT -> {
                    connection.incr(name(counters, key));
                    yield Outcome.DONE;
                }
                default -> {
                    connection.set(rowName(key), (byte[]) value[0]);
                    yield Outcome.DONE;
                }
            };
        }

        private boolean set(Object key, Object[] value, SetParams only) {
            return connection.set(rowName(key), (byte[]) value[0], only) != null;
        }

        @Override
        public Object[] read(Object key) {
            return value(connection.get(rowName(key)));
        }

        private static Object[] value(byte[] came) {
            return came == null ? null : new Object[] {came};
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) throws StoreException {
            Stream<byte[]> names = Stream.of(keys).map(Redis.this::rowName);
            if (kind == Kind.OPEN) {
                return ask(fresh -> names.map(name -> value(fresh.get(name))).toArray(Object[][]::new));
            }
            List<byte[]> values = connection.mget(names.toArray(byte[][]::new));
            if (values.size() != keys.length) {
                throw StoreException.failed("MGET of " + keys.length + " keys gave " + values.size() + " values");
            }
            return values.stream().map(RedisLane::value).toArray(Object[][]::new);
        }

        @Override
        public void close(boolean lost) {
            try {
                connection.close();
            } catch (JedisException error) {
                // It was gone before: that has been told.
                if (!lost) {
                    throw error;
                }
            }
        }
    }
}

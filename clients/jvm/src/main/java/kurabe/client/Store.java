package kurabe.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import kurabe.client.Job.*;

/**
 * A store as this client drives it: what is asked between phases, and connections. Drivers' errors may leave every
 * method: {@link #failure} puts them into words, at one place for calls ({@link #told}) and at one for operations
 * ({@link Worker}).
 */
abstract class Store implements AutoCloseable {
    /** The job that it was opened for. */
    final Job job;
    /** Whether it keeps columns, rather than one value in raw encoding or another one. */
    final boolean keepsColumns;
    /** Libraries in use and their versions, as they tell them. */
    final Map<String, String> libraries = new TreeMap<>();
    /** What it can do, by the keys of the protocol; here what every store can, but where it says otherwise. */
    final Map<String, Object> capabilities = new TreeMap<>(Map.of(
            "key_types", List.of("int64", "text"), "insert", "exists", "load_paths", List.of("row"), "read_scopes",
            List.of("each"),
            "empty_values", true, "own_data", false, "open_rows", true, "passes", false));
    /** What can be done with the rows of the job; all, until something is taken away. */
    final Set<Kind> operations = EnumSet.allOf(Kind.class);
    private final List<String> absent = new ArrayList<>();

    /** A function whose errors may be of any kind. */
    interface Step<I, O> {
        O of(I from) throws Exception;
    }

    /** Opens that of a job, with its settings. */
    private interface Factory {
        Store open(Job job) throws StoreException;
    }

    /** By the wire that they speak. */
    private static final Map<String, Factory> ALL = new TreeMap<>(Map.ofEntries(
            Map.entry("cassandra", Cassandra::new), Map.entry("derby", Databases::derby),
            Map.entry("echo", Echo::new), Map.entry("ehcache", Ehcache::new),
            Map.entry("h2", Databases::h2), Map.entry("hsqldb", Databases::hsqldb),
            Map.entry("mongodb", Mongodb::new), Map.entry("mysql", Mysql::new),
            Map.entry("postgres", Databases::postgres),
            Map.entry("redis", Redis::new), Map.entry("sqlite", Databases::sqlite)));

    /** Opens the store of a job. */
    static Store open(Job job) throws StoreException {
        if (!ALL.containsKey(job.wire())) {
            throw StoreException.failed("store '" + job.store() + "' has the wire '" + job.wire()
                    + "', which the JVM client does not speak; it speaks " + String.join(", ", ALL.keySet()));
        }
        return ALL.get(job.wire()).open(job);
    }

    /** Refuses every setting of the job that is not among those that the store knows. */
    Store(Job job, boolean keepsColumns, Set<String> settings) throws StoreException {
        this.job = job;
        this.keepsColumns = keepsColumns;
        job.refuseOtherSettings(settings);
        if (job.columns().stream().noneMatch(field -> field.type() == Type.INT64)) {
            operations.remove(Kind.SEARCH);
        }
    }

    // What a store is asked.

    /** Connects for a phase, with everything prepared that can be prepared. */
    abstract Lane connect(Phase phase) throws Exception;

    /** Answers if the store does. */
    abstract void ping() throws Exception;

    /** Makes the namespace, empty. */
    abstract void create() throws Exception;

    /** Removes the namespace and nothing else. */
    abstract void reset() throws Exception;

    /** What the store tells about itself, its version at least. */
    Map<String, String> info() throws Exception {
        throw StoreException.unsupported();
    }

    /** Settings as the live store reports them. */
    Map<String, String> settings() throws Exception {
        throw StoreException.unsupported();
    }

    /**
     * The {@code policy} by which the server throws rows away where its memory ends, in its own words; nothing where it
     * does not.
     */
    Map<String, String> evicts() throws Exception {
        throw StoreException.unsupported();
    }

    /** Number of rows. */
    long count() throws Exception {
        throw StoreException.unsupported();
    }

    /** Size in bytes as the store reports it. */
    long sizeBytes() throws Exception {
        throw StoreException.unsupported();
    }

    /** Sum of all counters. */
    long sum() throws Exception {
        throw StoreException.unsupported();
    }

    /** What the store's own check says against it; empty where it is sound. */
    String check() throws Exception {
        throw StoreException.unsupported();
    }

    /** Ends everything cleanly. */
    void shutdown() throws Exception {}

    /** An error of the store's driver in the store's own words; null where it is none of the driver's. */
    StoreException translate(Exception error) {
        return null;
    }

    // What all stores have in common.

    /** Any error in words; one that is a fault of this client is thrown on. */
    final StoreException failure(Exception error) {
        StoreException told = error instanceof StoreException own ? own : translate(error);
        if (told == null) {
            throw error instanceof RuntimeException fault ? fault : new IllegalStateException(error);
        }
        return told;
    }

    /** The answer, or the error in words. */
    final <T> T told(Callable<T> question) throws StoreException {
        try {
            return question.call();
        } catch (Exception error) {
            throw failure(error);
        }
    }

    /** Closes everything cleanly. */
    @Override
    public final void close() throws StoreException {
        told(() -> {
            shutdown();
            return null;
        });
    }

    /**
     * The answer; {@code otherwise} where the user may not have it, and then it is noted that {@code what} is absent.
     */
    final <T> T unlessDenied(String what, T otherwise, Callable<T> question) throws StoreException {
        try {
            return told(question);
        } catch (StoreException error) {
            if (error.kind != StoreException.Cause.DENIED) {
                throw error;
            }
            absent.add(what + ": " + error.getMessage());
            return otherwise;
        }
    }

    /** As above for the whole answer of a call. */
    final <T> T orUnsupported(String what, Callable<T> question) throws StoreException {
        T answer = unlessDenied(what, null, question);
        if (answer == null) {
            throw StoreException.unsupported();
        }
        return answer;
    }

    /** What calls left out since this was asked last, since the user of the address may not read it, in words. */
    final List<String> takeAbsent() {
        List<String> taken = List.copyOf(absent);
        absent.clear();
        return taken;
    }

    /** Removes a folder with all that is in it. */
    static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** The version of a library by the name of its store or encoding. */
    static String version(String library) throws StoreException {
        return property("/kurabe/client/versions.properties", library);
    }

    /** A value of a file of properties in the jar; empty where there is none of the name. */
    static String property(String file, String name) throws StoreException {
        Properties properties = new Properties();
        try (InputStream from = Store.class.getResourceAsStream(file)) {
            properties.load(from);
        } catch (IOException | NullPointerException error) {
            throw StoreException.failed("the client's " + file.substring(file.lastIndexOf('/') + 1)
                    + " cannot be read; build the client anew");
        }
        return properties.getProperty(name, "");
    }

    /** Refuses a library of another version than the one that the client was built with; gives the version back. */
    static String expect(String library, String told) throws StoreException {
        String built = version(library);
        // Drivers add a build number or a name.
        if (!told.contains(built)) {
            throw StoreException.failed("the library of " + library + " tells version '" + told
                    + "', but this client was "
                    + "built with " + built + "; remove the client's folder from the cache, so that it is built anew");
        }
        return told;
    }

    /**
     * The parts of a server's address as they are meant; null for what it does not name.
     *
     * @param port 0 where it names none
     * @param path without the slashes around it
     */
    record Address(String scheme, String user, String password, String host, int port, String path) {
        int port(int usual) {
            return port == 0 ? usual : port;
        }
    }

    /**
     * The address of a job; {@code by} ends "cannot be used" where it is none for the driver. The words about a bad one
     * never quote it, nor the driver's own words: it may hold a password.
     */
    static Address address(String url, Predicate<Address> usable, String by, String expected) throws StoreException {
        try {
            URI uri = new URI(url == null ? "" : url);
            String[] login = uri.getRawUserInfo() == null ? new String[0] : uri.getRawUserInfo().split(":", 2);
            Address address = new Address(uri.getScheme(), login.length > 0 ? decoded(login[0]) : null,
                    login.length > 1 ? decoded(login[1]) : null, uri.getHost(), Math.max(uri.getPort(), 0),
                    String.valueOf(uri.getRawPath()).replaceAll("^/|/$", ""));
            if (address.host != null && uri.getRawQuery() == null && address.port <= 65_535 && usable.test(address)) {
                return address;
            }
        } catch (URISyntaxException error) {
            throw StoreException.failed("the address of the server cannot be read: " + expected);
        }
        throw StoreException.failed("the address of the server cannot be used" + by + ": " + expected);
    }

    static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** What could not be done, in the store's own words; whoever tells it takes secrets out ({@link Secrets}). */
    static final class StoreException extends Exception {
        private static final long serialVersionUID = 1;

        /** What follows from it. */
        enum Cause {
            /** This operation failed, or the job cannot be done here. */
            FAILED,
            /** The store has no such thing. */
            UNSUPPORTED,
            /** The connection is gone: nothing more is tried on it. */
            DISCONNECTED,
            /** The user of the address may not do this; a call leaves the figure out instead. */
            DENIED
        }

        /** What follows. */
        final Cause kind;

        StoreException(Cause kind, String message) {
            super(message);
            this.kind = kind;
        }

        /** An operation that failed, or a job that is refused. */
        static StoreException failed(String message) {
            return new StoreException(Cause.FAILED, message);
        }

        /** Something that the store does not have. */
        static StoreException unsupported() {
            return new StoreException(Cause.UNSUPPORTED, "unsupported");
        }

        /** What a driver's error is. */
        static Cause cause(boolean gone, boolean denied) {
            return gone ? Cause.DISCONNECTED : denied ? Cause.DENIED : Cause.FAILED;
        }
    }

    /** What came of an operation, in the order of the codes of a tape. */
    enum Outcome {
        /** Done. */
        DONE,
        /** Not inserted: the key exists. */
        EXISTS,
        /** Not updated or deleted: no such key. */
        MISSING,
        /** It failed; its fate is unknown. */
        FAILED,
        /** A write was taken, the commit behind it failed. */
        COMMIT_FAILED,
        /** No operation: what was left was committed. */
        REST_COMMITTED,
        /** No operation: that failed. */
        REST_NOT_COMMITTED,
        /** No operation: what follows is measured. */
        BEGINS,
        /** No operation: a planned start was taken. */
        TAKEN
    }

    /**
     * One connection of a store; it belongs to one thread. Each method is one blocking request to the driver. Keys and
     * values are those of {@link Values}; what a read gives is in this client's own memory. It is asked for no kind
     * that its store does not name.
     *
     * <p>Writes between two commits are one transaction where the store has transactions.
     */
    interface Lane {
        /** Takes the rows of an answer, one after the other. */
        interface Sink {
            /** Takes a row with its key as the store gave it. */
            void take(Object key, Object[] value);
        }

        /**
         * Loads a row, which may overwrite; inserts a new one; updates a whole row that must exist; deletes one; or
         * increments a counter, whose number is the key, and which is 0 where it does not exist.
         */
        Outcome write(Kind kind, Object key, Object[] value) throws Exception;

        /** Loads several rows in one request. */
        default void loadMany(Object[] keys, Object[][] values) throws Exception {
            throw StoreException.unsupported();
        }

        /** Makes the writes so far durable as the job's durability setting says. */
        default void commit() throws Exception {}

        /** The value of a row, null where there is none. */
        Object[] read(Object key) throws Exception;

        /**
         * Reads several rows: for each key its value, or null. A multi-read is one request; what is opened is a store
         * as a program opens it that starts, which reads one row after the other and closes everything again.
         */
        Object[][] readMany(Kind kind, Object[] keys) throws Exception;

        /**
         * Gives every row (scan), the {@code high} rows with the highest keys from the highest on (latest), or those
         * whose value in the field of the phase is between {@code low} and {@code high}, both included (search).
         */
        default void give(Kind kind, long low, long high, Sink sink) throws Exception {
            throw StoreException.unsupported();
        }

        /** Attempts that were repeated inside operations so far. */
        default long retries() {
            return 0;
        }

        /** Closes the connection, which may be {@code lost}; what was not committed is given up. */
        default void close(boolean lost) throws Exception {}
    }

    /**
     * A driver that all connections of a phase share, as drivers with a pool are meant to be used. The next phase has
     * it too, as the next part of a program would, if it has as many connections and none was lost.
     *
     * @param <D> the driver
     */
    static final class Shared<D> {
        private final IntFunction<D> maker;
        private final Consumer<D> closer;
        private D driver;
        private D keeper;
        private int connections;
        private boolean isSpoilt;
        private int users;

        /** With what makes a driver of so many connections, or of as few as possible for 0. */
        Shared(IntFunction<D> maker, Consumer<D> closer) {
            this.maker = maker;
            this.closer = closer;
        }

        /** One for calls, beside that of the phases. */
        synchronized D keeper() {
            keeper = keeper == null ? maker.apply(0) : keeper;
            return keeper;
        }

        /** The driver of a phase with so many connections. */
        synchronized D take(int wanted) {
            if (driver != null && users == 0 && (isSpoilt || wanted != connections)) {
                closer.accept(driver);
                driver = null;
            }
            if (driver == null) {
                driver = maker.apply(wanted);
                connections = wanted;
                isSpoilt = false;
            }
            users++;
            return driver;
        }

        /** One of those who took it does not need it any more; {@code lost} tells whether its connection was gone. */
        synchronized void giveBack(boolean lost) {
            users--;
            isSpoilt |= lost;
        }

        /** Closes them, when nobody has one. */
        synchronized void close() {
            Stream.of(driver, keeper).filter(Objects::nonNull).forEach(closer);
            driver = keeper = null;
        }
    }

    /**
     * No store: it answers what is expected, and keeps what was written since the load in a map, whose lanes are all
     * one. What is left is the language, the loop, values and tapes.
     */
    private static final class Echo extends Store implements Lane {
        /** Stands for a row that was deleted. */
        private static final Object[] DELETED = {};

        private final Values values;
        private final long rows;
        private final Map<Long, Object[]> written = new ConcurrentHashMap<>();
        private final AtomicLong end = new AtomicLong();
        private final LongAdder increments = new LongAdder();

        Echo(Job job) throws StoreException {
            super(job, false, Set.of());
            values = Values.of(job, true);
            rows = job.rows();
            operations.removeAll(Set.of(Kind.SEARCH, Kind.OPEN));
            capabilities.putAll(Map.of("key_types", List.of("int64"), "encodings", List.of("raw"), "empty_values",
                    false));
            reset();
        }

        @Override
        Lane connect(Phase phase) {
            return this;
        }

        @Override
        void ping() {}

        @Override
        void create() {
            reset();
        }

        @Override
        void reset() {
            written.clear();
            end.set(rows);
            increments.reset();
        }

        @Override
        long sum() {
            return increments.sum();
        }

        /** A row that nobody wrote since the load is made anew. */
        @Override
        public Object[] read(Object key) {
            Object[] value = written.get(key);
            return value == DELETED ? null : value == null && (Long) key < rows ? values.value((Long) key, 0) : value;
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) {
            if (kind == Kind.INCREMENT) {
                increments.increment();
            } else if (kind != Kind.LOAD) {
                boolean mustExist = kind != Kind.INSERT;
                boolean[] isDone = {false};
                written.compute((Long) key, (row, old) -> {
                    isDone[0] = mustExist == (old == null ? row < rows : old != DELETED);
                    return !isDone[0] ? old : value == null ? DELETED : value;
                });
                end.accumulateAndGet((Long) key + 1, Math::max);
                return isDone[0] ? Outcome.DONE : mustExist ? Outcome.MISSING : Outcome.EXISTS;
            }
            return Outcome.DONE;
        }

        /** Scans are in any order: they go down from the newest row too. */
        @Override
        public void give(Kind kind, long low, long high, Sink sink) {
            long most = kind == Kind.SCAN ? Long.MAX_VALUE : high;
            for (long row = end.get() - 1; row >= 0 && most > 0; row--) {
                Object[] value = read(row);
                if (value != null) {
                    sink.take(row, value);
                    most--;
                }
            }
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) {
            return Stream.of(keys).map(this::read).toArray(Object[][]::new);
        }
    }
}

package kurabe.client;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import com.mongodb.connection.ConnectionPoolSettings;
import com.mongodb.connection.ServerMonitoringMode;
import com.mongodb.event.ConnectionPoolListener;
import com.mongodb.event.ConnectionReadyEvent;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kurabe.client.Job.*;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.Binary;

/**
 * MongoDB through its own blocking driver; a row is a document, counters are in a second collection. As its makers
 * advise there is one driver for all connections of a phase, whose pool holds as many as the phase has, all open before
 * it starts.
 */
final class Mongodb extends Store {
    /**
     * Where the key is: in {@code _id}, or in a field of its own, whose unique index is made before the load or behind
     * it.
     */
    private static final List<String> VARIANTS = List.of("id", "indexed-before", "indexed-after");
    private static final String WRITE_CONCERN = "write_concern";
    /** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
    private static final int UNAUTHORIZED = 13;
    /** Name of the index on a key that has a field of its own. */
    private static final String KEY_INDEX = "kurabe_key";
    /** Database where the address names none: that of MongoDB's own shell. */
    private static final String DATABASE = "test";
    /** So long a server is looked for: the driver asks again every half a second. */
    private static final long LOOK_MS = 5000;
    private static final String EXPECTED =
            "expected mongodb://[user:password@]host[:port][/database]; this driver takes no unix socket";

    /** Name of the field that holds the key. */
    private final String key;
    private final String variant;
    private final ConnectionString address;
    private final WriteConcern concern;
    /** Rows that were loaded, for the index that is built after the last. */
    private final AtomicLong loaded = new AtomicLong();
    private final Shared<MongoClient> shared = new Shared<>(this::driverOfMany, MongoClient::close);
    /** Builds the index after the load, which takes as long as it takes: no operation's limit is meant for it. */
    private MongoClient builder;

    /** The server at the address of a job. */
    Mongodb(Job job) throws StoreException {
        super(job, true, Set.of(WRITE_CONCERN));
        libraries.put("mongodb-driver-sync", version("mongodb"));
        // A lone server has no transactions. A document has at most 16 MiB, names and key included:
        // https://www.mongodb.com/docs/manual/reference/limits/
        capabilities.putAll(Map.of("load_paths", List.of("row", "batch"), "max_connections", 256,
                "max_value_bytes", (16 << 20) - (16 << 10)));
        // Where nothing is said, that of the server holds.
        concern = !job.settings().containsKey(WRITE_CONCERN) ? null
                : WriteConcern.W1.withJournal(
                        job.word(WRITE_CONCERN, "", Set.of("journaled", "w1")).equals("journaled"));
        variant = job.variant("id", VARIANTS);
        key = variant.equals("id") ? "_id" : job.schema().get(0).name();
        address = address(job.url());
    }

    /** The driver's own words about a bad address could quote its password. */
    private static ConnectionString address(String url) throws StoreException {
        try {
            if (url != null && !url.startsWith("mongodb:///")) {
                return new ConnectionString(url);
            }
        } catch (IllegalArgumentException | MongoConfigurationException error) {
            throw StoreException.failed("the address of the server cannot be read: " + EXPECTED);
        }
        throw StoreException.failed("there is no address of a server that this driver can use: " + EXPECTED);
    }

    /** A driver with one connection, which connects with its first operation; 0 for no limit of an operation. */
    private MongoClient driver(long limitNs) {
        return driver(limitNs, pool -> pool.maxSize(1).minSize(0));
    }

    private MongoClient driver(long limitNs, Block<ConnectionPoolSettings.Builder> connections) {
        int limitMs = (int) Math.min(Math.max(limitNs / 1_000_000, limitNs == 0 ? 0 : 1), Integer.MAX_VALUE);
        MongoClientSettings.Builder settings = MongoClientSettings.builder()
                .applyConnectionString(address)
                .applicationName("kurabe")
                // No retry is hidden.
                .retryReads(false)
                .retryWrites(false)
                .applyToConnectionPoolSettings(connections)
                .applyToSocketSettings(socket -> socket
                        .readTimeout(limitMs, TimeUnit.MILLISECONDS).connectTimeout(limitMs, TimeUnit.MILLISECONDS))
                .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(
                        limitMs == 0 ? LOOK_MS : Math.min(limitMs, LOOK_MS), TimeUnit.MILLISECONDS))
                .applyToServerSettings(server -> server.serverMonitoringMode(ServerMonitoringMode.POLL));
        if (concern != null) {
            settings.writeConcern(concern);
        }
        return MongoClients.create(settings.build());
    }

    /** The driver after its server has answered; where it does not, the driver is closed. */
    private MongoClient answered(MongoClient driver) {
        try {
            database(driver).runCommand(new Document("ping", 1));
            return driver;
        } catch (MongoException error) {
            driver.close();
            throw error;
        }
    }

    /** A driver with so many connections, all of them open; for none one that connects when it is first asked. */
    private MongoClient driverOfMany(int connections) {
        if (connections == 0) {
            return driver(job.operationNs());
        }
        CountDownLatch open = new CountDownLatch(connections);
        ConnectionPoolListener counter = new ConnectionPoolListener() {
            @Override
            public void connectionReady(ConnectionReadyEvent event) {
                open.countDown();
            }
        };
        // Where the server cannot be reached, a question says why.
        MongoClient driver = answered(driver(job.operationNs(),
                pool -> pool.maxSize(connections).minSize(connections).addConnectionPoolListener(counter)));
        try {
            if (open.await(job.operationNs(), TimeUnit.NANOSECONDS)) {
                return driver;
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        driver.close();
        long came = connections - open.getCount();
        throw new MongoException("only " + came + " of " + connections + " connections came");
    }

    private MongoDatabase database(MongoClient driver) {
        return driver.getDatabase(address.getDatabase() == null ? DATABASE : address.getDatabase());
    }

    /** The collection of the rows. */
    private MongoCollection<Document> rows(MongoClient driver) {
        return database(driver).getCollection(job.namespace());
    }

    /** The collection of the counters. */
    private MongoCollection<Document> counters(MongoClient driver) {
        return database(driver).getCollection(job.namespace() + "_counters");
    }

    @Override
    StoreException translate(Exception error) {
        if (!(error instanceof MongoException) && !(error instanceof IllegalArgumentException)) {
            return null;
        }
        boolean late = error instanceof MongoSocketReadTimeoutException;
        boolean gone = !late && (error instanceof MongoSocketException || error instanceof MongoTimeoutException
                || error instanceof MongoServerUnavailableException || error instanceof MongoNotPrimaryException
                || error instanceof MongoNodeIsRecoveringException);
        if (error instanceof MongoCommandException refused && !gone) {
            return new StoreException(StoreException.cause(false, refused.getErrorCode() == UNAUTHORIZED),
                    refused.getErrorMessage() + " (code " + refused.getErrorCode() + ")");
        }
        return new StoreException(StoreException.cause(gone, false), error.getMessage());
    }

    private Document command(Document command) {
        return database(shared.keeper()).runCommand(command);
    }

    private Document admin(Document command) {
        return shared.keeper().getDatabase("admin").runCommand(command);
    }

    @Override
    void ping() {
        command(new Document("ping", 1));
    }

    @Override
    Map<String, String> info() throws StoreException {
        Document build = command(new Document("buildInfo", 1));
        Map<String, String> info = new LinkedHashMap<>();
        info.put("driver", "mongodb-driver-sync " + version("mongodb"));
        tell(info, "version", build, "version");
        tell(info, "commit", build, "gitVersion");
        tell(info, "allocator", build, "allocator");
        return info;
    }

    @Override
    Map<String, String> settings() throws StoreException {
        Document status = readable("engine and cache", new Document("serverStatus", 1));
        Document options = readable("options of the server", new Document("getCmdLineOpts", 1));
        Document parameters = readable("intervals of journal and checkpoint",
                new Document("getParameter", 1).append("journalCommitInterval", 1).append("syncdelay", 1));
        Map<String, String> settings = new TreeMap<>();
        tell(settings, "storage_engine", status, "storageEngine", "name");
        tell(settings, "cache_bytes", status, "wiredTiger", "cache", "maximum bytes configured");
        tell(settings, "engine_config", options, "parsed", "storage", "wiredTiger", "engineConfig", "configString");
        tell(settings, "journal_commit_interval_ms", parameters, "journalCommitInterval");
        tell(settings, "checkpoint_every_s", parameters, "syncdelay");
        settings.put(WRITE_CONCERN, writeConcern());
        Boolean index = unlessDenied("indexes", null, this::hasKeyIndex);
        if (index != null) {
            settings.put("key_index", index ? "unique" : "none");
        }
        return settings;
    }

    /** What a command of the database {@code admin} tells; nothing where the user may not ask for it. */
    private Document readable(String what, Document command) throws StoreException {
        return unlessDenied(what, new Document(), () -> admin(command));
    }

    private static void tell(Map<String, String> texts, String name, Document from, String... path) {
        Object value = from.getEmbedded(List.of(path), Object.class);
        if (value instanceof Double number && number == Math.rint(number)) {
            value = number.longValue();
        }
        if (value != null) {
            texts.put(name, String.valueOf(value));
        }
    }

    /**
     * What every write asks for; where nothing is said, what a server does then. No server keeps it: it travels with
     * each write.
     */
    private String writeConcern() {
        WriteConcern said = rows(shared.keeper()).getWriteConcern();
        if (said.isServerDefault()) {
            Document hello = command(new Document("hello", 1));
            // The implicit majority of one lone server syncs nothing.
            return hello.containsKey("setName") ? "of the replica set" : "w1";
        }
        Object nodes = said.getWObject();
        if (nodes != null && !nodes.equals(1)) {
            return said.toString();
        }
        return Boolean.TRUE.equals(said.getJournal()) ? "journaled" : "w1";
    }

    /** Whether the live collection has an index on the key beside that of {@code _id}. */
    private boolean hasKeyIndex() {
        List<String> names = rows(shared.keeper()).listIndexes().map(index -> index.getString("name"))
                .into(new ArrayList<>());
        return names.contains(KEY_INDEX);
    }

    @Override
    void create() {
        reset();
        loaded.set(0);
        MongoDatabase database = database(shared.keeper());
        database.createCollection(job.namespace());
        database.createCollection(job.namespace() + "_counters");
        if (variant.equals("indexed-before")) {
            buildKeyIndex(shared.keeper());
        }
        job.columns().stream().filter(Job.Field::indexed)
                .forEach(field -> rows(shared.keeper()).createIndex(Indexes.ascending(field.name())));
    }

    private void buildKeyIndex(MongoClient driver) {
        rows(driver).createIndex(Indexes.ascending(key), new IndexOptions().unique(true).name(KEY_INDEX));
    }

    /** To drop what is not there is no error. */
    @Override
    void reset() {
        rows(shared.keeper()).drop();
        counters(shared.keeper()).drop();
    }

    @Override
    long count() {
        return rows(shared.keeper()).countDocuments();
    }

    @Override
    long sum() {
        Document sum = counters(shared.keeper()).aggregate(
                List.of(Aggregates.group(null, Accumulators.sum("sum", "$count")))).first();
        // No counter at all is no group at all.
        return sum == null ? 0 : sum.get("sum", Number.class).longValue();
    }

    /**
     * The collection's file with those of its indexes after a checkpoint: before one, next to nothing of what was
     * written is in them, so without the right to ask for one there is no size.
     */
    @Override
    long sizeBytes() throws StoreException {
        orUnsupported("size of the collection, which only a checkpoint makes known",
                () -> admin(new Document("fsync", 1)));
        Object size = orUnsupported("size of the collection",
                () -> command(new Document("collStats", job.namespace()))).get("totalSize");
        if (!(size instanceof Number number)) {
            throw StoreException.failed("the server tells no size of the collection");
        }
        return number.longValue();
    }

    @Override
    String check() {
        Document answer = command(new Document("validate", job.namespace()).append("full", true));
        return answer.getBoolean("valid", false) ? "" : "not valid: " + answer.get("errors");
    }

    /** Counts rows that were loaded; with the last one the index is built. */
    private void countLoaded(long rows) {
        if (variant.equals("indexed-after") && loaded.addAndGet(rows) == job.rows()) {
            buildKeyIndex(builder);
        }
    }

    @Override
    Lane connect(Phase phase) {
        if (variant.equals("indexed-after") && phase.does(Kind.LOAD)) {
            connectBuilder();
        }
        // What is opened in each operation needs none here.
        boolean opens = phase.kinds().equals(EnumSet.of(Kind.OPEN));
        return new MongodbLane(shared.take(opens ? 0 : phase.connections()), phase);
    }

    private synchronized void connectBuilder() {
        if (builder == null) {
            builder = answered(driver(0));
        }
    }

    @Override
    synchronized void shutdown() {
        shared.close();
        if (builder != null) {
            builder.close();
        }
    }

    /** One worker's way to the server: a connection of its driver's pool, taken anew for each operation. */
    private final class MongodbLane implements Lane {
        private static final Bson ONE_MORE = Updates.inc("count", 1L);
        private static final UpdateOptions UPSERT = new UpdateOptions().upsert(true);

        private final MongoCollection<Document> rows;
        private final MongoCollection<Document> counters;
        private final String[] names = job.columns().stream().map(Job.Field::name).toArray(String[]::new);
        private final String searched;

        MongodbLane(MongoClient driver, Phase phase) {
            rows = rows(driver);
            counters = counters(driver);
            searched = phase.searchField() < 0 ? null : job.schema().get(phase.searchField()).name();
        }

        private Document document(Object of, Object[] value) {
            Document document = new Document(key, of);
            for (int at = 0; at < names.length; at++) {
                document.append(names[at], value[at] instanceof byte[] bytes ? new Binary(bytes) : value[at]);
            }
            return document;
        }

        private Object[] fields(Document document) {
            if (document == null) {
                return null;
            }
            Object[] fields = new Object[names.length];
            for (int at = 0; at < names.length; at++) {
                Object field = document.get(names[at]);
                fields[at] = field instanceof Binary binary ? binary.getData() : field;
            }
            return fields;
        }

        private void give(FindIterable<Document> query, Sink sink) {
            try (MongoCursor<Document> cursor = query.iterator()) {
                cursor.forEachRemaining(document -> sink.take(document.get(key), fields(document)));
            }
        }

        @Override
        public Outcome write(Kind kind, Object of, Object[] value) {
            switch (kind) {
                case LOAD -> {
                    try {
                        rows.insertOne(document(of, value));
                    } finally {
                        countLoaded(1);
                    }
                }
                case INSERT -> {
                    return insert(document(of, value));
                }
                case UPDATE -> {
                    return doneIf(rows.replaceOne(Filters.eq(key, of), document(of, value)).getMatchedCount());
                }
                case DELETE -> {
                    return doneIf(rows.deleteOne(Filters.eq(key, of)).getDeletedCount());
                }
                default -> counters.updateOne(Filters.eq(of), ONE_MORE, UPSERT);
            }
            return Outcome.DONE;
        }

        private static Outcome doneIf(long found) {
            return found == 0 ? Outcome.MISSING : Outcome.DONE;
        }

        private Outcome insert(Document document) {
            try {
                rows.insertOne(document);
                return Outcome.DONE;
            } catch (MongoWriteException error) {
                if (error.getError().getCategory() == ErrorCategory.DUPLICATE_KEY) {
                    return Outcome.EXISTS;
                }
                throw error;
            }
        }

        @Override
        public void loadMany(Object[] keys, Object[][] values) {
            try {
                rows.insertMany(IntStream.range(0, keys.length).mapToObj(at -> document(keys[at], values[at]))
                        .toList());
            } finally {
                countLoaded(keys.length);
            }
        }

        @Override
        public Object[] read(Object of) {
            return read(rows, of);
        }

        private Object[] read(MongoCollection<Document> from, Object of) {
            return fields(from.find(Filters.eq(key, of)).first());
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) {
            if (kind == Kind.OPEN) {
                try (MongoClient fresh = driver(job.operationNs())) {
                    MongoCollection<Document> from = Mongodb.this.rows(fresh);
                    return Stream.of(keys).map(of -> read(from, of)).toArray(Object[][]::new);
                }
            }
            Map<Object, Object[]> found = new HashMap<>();
            give(rows.find(Filters.in(key, keys)), found::put);
            return Stream.of(keys).map(found::get).toArray(Object[][]::new);
        }

        @Override
        public void give(Kind kind, long low, long high, Sink sink) {
            give(switch (kind) {
                case LATEST -> rows.find().sort(Sorts.descending(key)).limit((int) high);
                case SEARCH -> rows.find(Filters.and(Filters.gte(searched, low), Filters.lte(searched, high)));
                default -> rows.find();
            }, sink);
        }

        @Override
        public void close(boolean lost) {
            shared.giveBack(lost);
        }
    }
}

package kurabe.client;

import static org.junit.jupiter.api.Assertions.*;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ServerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.*;
import java.util.*;
import java.util.stream.Stream;
import kurabe.client.Job.*;
import kurabe.client.Store.*;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteErrorCode;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * What the conformance suite of Kurabe does not see of a store: how it waits, what it reckons, what it refuses and
 * forgets.
 */
final class StoresTest {
    /** A key and a value of bytes. */
    static final List<Field> PLAIN =
            List.of(new Field("id", Type.INT64, 0, false), new Field("value", Type.BYTES, 100, false));
    /** A key of text and columns of every type. */
    static final List<Field> COLUMNS = List.of(new Field("key", Type.TEXT, 0, false),
            new Field("order", Type.INT64, 0, true), new Field("note", Type.TEXT, 30, false),
            new Field("body", Type.BYTES, 30, false));
    private static final int ROWS = 500;

    /** A job over ten rows, of an embedded store or of a server. */
    static Job job(String store, Path folder, String url, Map<String, String> settings, List<Field> schema) {
        return new Job(store, store, null, schema, 10, "ns", folder, url, new TreeMap<>(settings), pool(), "raw",
                1_000_000_000, 1_000_000_000);
    }

    /** A file with the pool of the vectors. */
    static Path pool() {
        try {
            byte[] pool = new byte[1 << 20];
            for (int at = 0; at < pool.length; at++) {
                pool[at] = (byte) (33 + at * 7919L % 94);
            }
            Path file = Files.createTempFile("kurabe-pool", "");
            file.toFile().deleteOnExit();
            return Files.write(file, pool);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Store embedded(String store, Path folder, Map<String, String> settings, List<Field> schema)
            throws Exception {
        return Store.open(job(store, Files.createDirectories(folder), null, settings, schema));
    }

    private static Store server(String store, String url) throws StoreException {
        return Store.open(job(store, null, url, Map.of(), COLUMNS));
    }

    private static String refused(String store, Path folder, String url, Map<String, String> settings) {
        return assertThrows(StoreException.class, () -> Store.open(job(store, folder, url, settings, PLAIN)))
                .getMessage();
    }

    @Test
    void severalConnectionsOfSqliteHaveASnapshotEach(@TempDir Path folder) throws Exception {
        try (Store store = embedded("sqlite", folder, Map.of("journal_mode", "wal"), COLUMNS)) {
            Values values = Values.of(store.job, false);
            store.create();
            Lane writer = store.connect(phase(EnumSet.of(Kind.LOAD, Kind.UPDATE), false));
            writer.write(Kind.LOAD, values.key(1), values.value(1, 0));
            List<Lane> readers = new ArrayList<>();
            for (int at = 0; at < 2; at++) {
                readers.add(store.connect(phase(EnumSet.of(Kind.READ), true)));
                assertArrayEquals(values.value(1, 0), readers.get(at).read(values.key(1)));
            }
            writer.write(Kind.UPDATE, values.key(1), values.value(1, 1));
            for (Lane reader : readers) {
                assertArrayEquals(values.value(1, 0), reader.read(values.key(1)), "what was there at the first read");
                reader.close(false);
            }
            writer.close(false);
        }
    }

    private static Phase phase(EnumSet<Kind> kinds, boolean snapshot) {
        return new Phase("p", kinds, 1, snapshot, false, false, -1, -1, -1, List.of());
    }

    @Test
    void aConnectionOfSqliteGivesUpInTimeAndCountsItsSleeps(@TempDir Path folder) throws SQLException {
        String url = "jdbc:sqlite:" + folder.resolve("data.sqlite");
        Databases.Waits waits = new Databases.Waits(20_000_000);
        try (Connection holder = DriverManager.getConnection(url); Connection waiter = DriverManager.getConnection(url);
                Statement held = holder.createStatement(); Statement write = waiter.createStatement()) {
            BusyHandler.setHandler(waiter, waits);
            held.execute("CREATE TABLE t (n INTEGER)");
            assertEquals(1, write.executeUpdate("INSERT INTO t VALUES (1)"));
            assertEquals(0, waits.count());
            held.execute("BEGIN IMMEDIATE");
            SQLException busy = assertThrows(SQLException.class, () -> write.executeUpdate("INSERT INTO t VALUES (2)"));
            assertEquals(SQLiteErrorCode.SQLITE_BUSY.code, busy.getErrorCode());
            assertTrue(waits.count() > 1, "slept " + waits.count() + " times");
            held.execute("COMMIT");
            assertEquals(1, write.executeUpdate("INSERT INTO t VALUES (2)"));
        }
    }

    @Test
    void derbyReckonsItsCacheInPagesOfTheSizeThatItsTableHas(@TempDir Path folder) throws Exception {
        for (String columns : List.of("text 100", "text 2043", "text 2044", "bytes 9000", "bytes 32672", "bytes 40000",
                "text 1500, text 700", "text 1000, bytes 16000", "text 1000, bytes 20000", "text 33000")) {
            List<Field> schema = new ArrayList<>(List.of(new Field("id", Type.INT64, 0, false)));
            for (String column : columns.split(", ")) {
                String[] parts = column.split(" ");
                schema.add(new Field("f" + schema.size(), parts[0].equals("text") ? Type.TEXT : Type.BYTES,
                        Integer.parseInt(parts[1]), false));
            }
            Path place = folder.resolve(columns.replaceAll("[^a-z0-9]", ""));
            try (Store store = embedded("derby", place, Map.of(), schema)) {
                store.create();
                long pageBytes = Databases.derbyPageBytes(schema);
                try (Connection connection = DriverManager.getConnection("jdbc:derby:" + place + "/data")) {
                    String query = "SELECT MAX(PAGESIZE) FROM TABLE(SYSCS_DIAG.SPACE_TABLE('APP', 'ns')) T";
                    assertEquals(Jdbc.number(connection, query), pageBytes, columns);
                }
                // Of a thousand pages, where nothing is set.
                assertEquals("" + 1000 * pageBytes, store.settings().get("cache_bytes"));
            } finally {
                // The whole engine, which has one log for all databases.
                assertThrows(SQLException.class,
                        () -> DriverManager.getConnection("jdbc:derby:;shutdown=true;deregister=false").close());
            }
        }
    }

    private static Store ehcache(Path folder) throws Exception {
        return embedded("ehcache", folder, Map.of("disk_mb", "64"), PLAIN);
    }

    private static void load(Store store, int lenBytes) throws Exception {
        store.create();
        Lane lane = store.connect(null);
        for (long row = 0; row < ROWS; row++) {
            byte[] value = new byte[lenBytes];
            value[0] = (byte) row;
            lane.write(Kind.LOAD, row, new Object[] {value});
        }
    }

    @Test
    void whatEhcacheClosedIsThereAgainAndWhatItDidNotIsEmpty(@TempDir Path folder) throws Exception {
        Path closed = folder.resolve("closed");
        Path killed = folder.resolve("killed");
        try (Store store = ehcache(closed)) {
            load(store, 100);
            assertEquals(ROWS, store.count());
            // All that a process that is killed leaves behind.
            try (Stream<Path> files = Files.walk(closed)) {
                for (Path file : files.toList()) {
                    Files.copy(file, killed.resolve(closed.relativize(file)));
                }
            }
        }
        try (Store store = ehcache(closed)) {
            assertEquals(ROWS, store.count());
            assertEquals((byte) 77, ((byte[]) store.connect(null).read(77L)[0])[0]);
        }
        try (Store store = ehcache(killed)) {
            assertEquals(0, store.count());
        }
    }

    @Test
    void whatEhcacheThrowsAwayFailsTheCount(@TempDir Path folder) throws Exception {
        try (Store store = ehcache(folder)) {
            load(store, 200 << 10);
            String told = assertThrows(StoreException.class, store::count).getMessage();
            assertTrue(told.startsWith("Ehcache threw ") && told.contains("disk_mb"), told);
            store.create();
            assertEquals(0, store.count(), "what was thrown away before is forgotten with the cache");
        }
    }

    @Test
    void theLongestValueThatEhcacheNamesIsKept(@TempDir Path folder) throws Exception {
        try (Store store = ehcache(folder)) {
            Lane lane = store.connect(null);
            int longest = ((Number) store.capabilities.get("max_value_bytes")).intValue();
            lane.write(Kind.LOAD, 1L, new Object[] {new byte[longest]});
            // The heap tier has room for 1000 rows; after these only the disk tier has the first.
            for (long row = 2; row < 3000; row++) {
                lane.write(Kind.LOAD, row, new Object[] {new byte[] {1}});
                lane.read(row);
            }
            assertNotNull(lane.read(1L), "a value of " + longest + " bytes");
        }
    }

    @Test
    void aSettingThatIsNotKnownOrNoneIsRefusedByName(@TempDir Path folder) {
        for (String size : List.of("0", "63", "many")) {
            assertTrue(refused("ehcache", folder, null, Map.of("disk_mb", size)).contains("disk_mb"));
        }
        String url = "mongodb://127.0.0.1:1";
        assertTrue(refused("mongodb", null, url, Map.of("writeconcern", "w1")).contains("'writeconcern'"));
        String told = refused("mongodb", null, url, Map.of("write_concern", "w2"));
        assertTrue(told.contains("'w2'") && told.contains("journaled"), told);
    }

    @Test
    void aBadAddressIsRefusedWithoutItsPasswordAndAServerThatIsNotThereIsALostConnection() throws Exception {
        for (String store : List.of("cassandra", "mongodb", "redis")) {
            for (String rest : List.of("://me:s3cret@host:notaport/", "://me:s3cret@host:99999/")) {
                String told = refused(store, null, store + rest, Map.of());
                assertTrue(!told.contains("s3cret") && told.contains("expected " + store + "://"), told);
            }
            refused(store, null, null, Map.of());
            try (Store none = server(store, store + "://127.0.0.1:1")) {
                StoreException error = assertThrows(StoreException.class, () -> none.told(() -> {
                    none.ping();
                    return null;
                }));
                assertEquals(StoreException.Cause.DISCONNECTED, error.kind, store + ": " + error.getMessage());
            }
        }
    }

    private static StoreException.Cause cause(String store, String url, Exception error) throws StoreException {
        try (Store opened = server(store, url)) {
            return opened.failure(error).kind;
        }
    }

    /** Such a figure is left out; any other error ends the job. */
    @Test
    void whatAUserMayNotDoIsToldApartFromOtherErrors() throws Exception {
        String mysql = "mysql://u@127.0.0.1:1/db";
        String redis = "redis://127.0.0.1:1";
        assertEquals(StoreException.Cause.DENIED,
                cause("mysql", mysql, new SQLException("you need PROCESS", "42000", 1227)));
        assertEquals(StoreException.Cause.FAILED,
                cause("mysql", mysql, new SQLException("no such table", "42S02", 1146)));
        assertEquals(StoreException.Cause.DENIED, cause("redis", redis, new JedisDataException("NOPERM no info")));
        assertEquals(StoreException.Cause.FAILED, cause("redis", redis, new JedisDataException("OOM no memory")));
        assertEquals(StoreException.Cause.DENIED,
                cause("cassandra", "cassandra://127.0.0.1:1", new UnauthorizedException(null, "no SELECT")));
        for (int code : new int[] {13, 26}) {
            BsonDocument answer = BsonDocument.parse("{ok: 0, errmsg: 'not authorized', code: " + code + "}");
            assertEquals(code == 13 ? StoreException.Cause.DENIED : StoreException.Cause.FAILED,
                    cause("mongodb", "mongodb://127.0.0.1:1", new MongoCommandException(answer, new ServerAddress())));
        }
    }

    @Test
    void aFaultOfTheClientIsNoErrorOfAServer() throws Exception {
        try (Store store = server("redis", "redis://127.0.0.1:1")) {
            assertThrows(ClassCastException.class, () -> store.failure(new ClassCastException("a fault")));
        }
    }

    @Test
    void namesAreQuotedWhateverTheyHold() throws StoreException {
        Cassandra store = (Cassandra) server("cassandra", "cassandra://127.0.0.1:1/k%22s");
        assertEquals("CREATE INDEX ON \"k\"\"s\".\"ns\" (\"order\") USING 'sai'", store.creates().get(2));
    }

    private final List<Object> closed = new ArrayList<>();
    private final Shared<Object> shared = new Shared<>(connections -> new Object(), closed::add);

    /** A phase of two workers; the driver that they had. */
    private Object phase(int connections, boolean lost) {
        Object first = shared.take(connections);
        assertSame(first, shared.take(connections));
        shared.giveBack(lost);
        shared.giveBack(false);
        return first;
    }

    @Test
    void aSharedDriverIsThatOfTheNextPhaseUnlessThatHasMoreConnectionsOrItLostOne() {
        Object small = phase(2, false);
        assertSame(small, phase(2, false));
        assertEquals(List.of(), closed);
        Object large = phase(8, true);
        assertNotSame(small, large);
        Object fresh = phase(8, false);
        assertNotSame(large, fresh);
        shared.close();
        shared.close();
        assertEquals(List.of(small, large, fresh), closed);
    }

    @Test
    void whereNoDriverCanBeMadeTheNextOneTriesAgain() {
        List<Integer> tries = new ArrayList<>();
        Shared<Object> none = new Shared<>(connections -> {
            tries.add(connections);
            throw new MongoException("no");
        }, closed::add);
        assertThrows(MongoException.class, () -> none.take(1));
        assertThrows(MongoException.class, () -> none.take(1));
        assertEquals(List.of(1, 1), tries);
    }
}

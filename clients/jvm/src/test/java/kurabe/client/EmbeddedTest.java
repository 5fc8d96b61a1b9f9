package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kurabe.client.Job.Field;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Phase;
import kurabe.client.Job.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteErrorCode;

/** What embedded stores keep, and that they are set as they are told. */
final class EmbeddedTest {
    private static final long BYTES = 64 << 20;
    private static final int ROWS = 500;

    private static Store open(String store, Path folder, Map<String, String> settings, List<Field> schema) throws Exception {
        return Stores.factory(store).open(TestJobs.embedded(store, folder, settings, schema));
    }

    private static Phase phase(EnumSet<Kind> kinds, boolean snapshot, boolean batched) {
        return new Phase("p", kinds, 1, snapshot, batched, -1, -1, -1, List.of());
    }

    /** The whole engine of Derby, which has one log for all databases. */
    private static void endDerby() {
        assertThrows(SQLException.class,
                () -> DriverManager.getConnection("jdbc:derby:;shutdown=true;deregister=false").close());
    }

    @Test
    void rowsOfAGroupAreLoadedInOneTransactionAndReadBack(@TempDir Path folder) throws Exception {
        for (String name : List.of("derby", "ehcache", "h2", "hsqldb", "sqlite")) {
            Job job = TestJobs.embedded(name, folder.resolve(name), Map.of(), TestJobs.COLUMNS);
            try (Store store = Stores.factory(name).open(job)) {
                Values values = Values.of(job, !store.keepsColumns);
                Object[] keys = IntStream.range(0, 300).mapToObj(values::key).toArray();
                Object[][] rows = IntStream.range(0, 300).mapToObj(row -> values.value(row, 0)).toArray(Object[][]::new);
                store.create();
                Lane lane = store.connect(phase(EnumSet.of(Kind.LOAD, Kind.READ), false, true));
                lane.loadMany(keys, rows);
                lane.commit();
                assertArrayEquals(rows[299], lane.read(keys[299]), name);
                assertEquals(300, store.count(), name);
                lane.close(false);
            }
        }
        endDerby();
    }

    @Test
    void severalConnectionsOfSqliteHaveASnapshotEach(@TempDir Path folder) throws Exception {
        Job job = TestJobs.embedded("sqlite", folder, Map.of("journal_mode", "wal"), TestJobs.COLUMNS);
        try (Store store = Stores.factory("sqlite").open(job)) {
            Values values = Values.of(job, false);
            store.create();
            Lane writer = store.connect(phase(EnumSet.of(Kind.LOAD, Kind.UPDATE), false, false));
            writer.write(Kind.LOAD, values.key(1), values.value(1, 0));
            Phase snapshot = phase(EnumSet.of(Kind.READ), true, false);
            List<Lane> readers = List.of(store.connect(snapshot), store.connect(snapshot));
            for (Lane reader : readers) {
                assertArrayEquals(values.value(1, 0), reader.read(values.key(1)));
            }
            writer.write(Kind.UPDATE, values.key(1), values.value(1, 1));
            for (Lane reader : readers) {
                assertArrayEquals(values.value(1, 0), reader.read(values.key(1)), "what was there at the first read");
                reader.close(false);
            }
            writer.close(false);
        }
    }

    @Test
    void aConnectionOfSqliteGivesUpInTimeAndCountsItsSleeps(@TempDir Path folder) throws SQLException {
        String url = "jdbc:sqlite:" + folder.resolve("data.sqlite");
        Sqlite.Waits waits = new Sqlite.Waits(20_000_000);
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

    private static Map<String, String> settings(String name, Path folder, Map<String, String> set) throws Exception {
        try (Store store = open(name, folder, set, TestJobs.COLUMNS)) {
            store.create();
            return store.settings();
        }
    }

    @Test
    void databasesHaveTheCacheThatTheyAreGiven(@TempDir Path folder) throws Exception {
        Map<String, String> set = Map.of("cache_bytes", "" + BYTES);
        for (String name : List.of("h2", "hsqldb", "derby")) {
            assertEquals("" + BYTES, settings(name, folder.resolve(name), set).get("cache_bytes"), name);
        }
        System.clearProperty("derby.storage.pageCacheSize");
        endDerby();
        assertNotEquals("" + BYTES, settings("hsqldb", folder.resolve("usual"), Map.of()).get("cache_bytes"));
    }

    @Test
    void derbyReckonsItsCacheInPagesOfTheSizeThatItsTableHas(@TempDir Path folder) throws Exception {
        List<List<String>> rows = List.of(List.of("text 100"), List.of("text 2043"), List.of("text 2044"),
                List.of("bytes 9000"), List.of("bytes 32672"), List.of("bytes 40000"), List.of("text 1500", "text 700"),
                List.of("text 1000", "bytes 16000"), List.of("text 1000", "bytes 20000"), List.of("text 33000"));
        for (List<String> columns : rows) {
            List<Field> schema = new ArrayList<>(List.of(new Field("id", Type.INT64, 0, false)));
            for (String column : columns) {
                String[] parts = column.split(" ");
                schema.add(new Field("f" + schema.size(), parts[0].equals("text") ? Type.TEXT : Type.BYTES,
                        Integer.parseInt(parts[1]), false));
            }
            Path place = folder.resolve("derby" + rows.indexOf(columns));
            try (Store store = open("derby", place, Map.of(), schema)) {
                store.create();
                try (Connection connection = DriverManager.getConnection("jdbc:derby:" + place + "/data")) {
                    String query = "SELECT MAX(PAGESIZE) FROM TABLE(SYSCS_DIAG.SPACE_TABLE('APP', 'ns')) T";
                    assertEquals(Jdbc.cell(connection, query), "" + Derby.pageBytes(schema), columns::toString);
                }
                // Of a thousand pages, where nothing is set.
                assertEquals("" + 1000 * Derby.pageBytes(schema), store.settings().get("cache_bytes"));
            } finally {
                endDerby();
            }
        }
    }

    private static Store ehcache(Path folder, String diskMb) throws Exception {
        return open("ehcache", folder, Map.of("disk_mb", diskMb), TestJobs.PLAIN);
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

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    @Test
    void whatEhcacheClosedIsThereAgainAndWhatItDidNotIsEmpty(@TempDir Path folder) throws Exception {
        Path killed = folder.resolve("killed");
        try (Store store = ehcache(folder.resolve("closed"), "64")) {
            load(store, 100);
            assertEquals(ROWS, store.count());
            // All that a process that is killed leaves behind.
            copy(folder.resolve("closed"), killed);
        }
        try (Store store = ehcache(folder.resolve("closed"), "64")) {
            assertEquals(ROWS, store.count());
            assertEquals((byte) 77, ((byte[]) store.connect(null).read(77L)[0])[0]);
        }
        try (Store store = ehcache(killed, "64")) {
            assertEquals(0, store.count());
        }
    }

    @Test
    void whatEhcacheThrowsAwayFailsTheCount(@TempDir Path folder) throws Exception {
        try (Store store = ehcache(folder, "64")) {
            load(store, 200 << 10);
            String told = assertThrows(StoreException.class, store::count).getMessage();
            assertTrue(told.startsWith("Ehcache threw ") && told.contains("disk_mb"), told);
            store.create();
            assertEquals(0, store.count(), "what was thrown away before is forgotten with the cache");
        }
    }

    @Test
    void theLongestValueThatEhcacheNamesIsKept(@TempDir Path folder) throws Exception {
        try (Store store = ehcache(folder, "64")) {
            Lane lane = store.connect(null);
            int longest = ((Number) store.capabilities().get("max_value_bytes")).intValue();
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
    void aSettingThatIsNoneIsRefused(@TempDir Path folder) {
        for (String size : List.of("0", "63", "many")) {
            String told = assertThrows(StoreException.class, () -> ehcache(folder, size)).getMessage();
            assertTrue(told.contains("disk_mb"), told);
        }
    }
}

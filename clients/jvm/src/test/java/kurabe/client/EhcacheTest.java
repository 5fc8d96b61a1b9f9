package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import kurabe.client.stores.Ehcache;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Ehcache keeps, and that what it throws away is told. */
final class EhcacheTest {
    private static final int ROWS = 500;

    private static Ehcache open(Path folder, int lenBytes, String diskMb) throws Exception {
        Files.createDirectories(folder);
        JsonObject job = JsonParser.parseString("""
                {"candidate": {"store": "ehcache"}, "rows": %d, "namespace": "ns", "dir": "%s", "pool": "", "phases": [],
                 "settings": {"disk_mb": "%s"}, "schema": {"fields": [{"name": "id", "type": "int64"},
                 {"name": "value", "type": "bytes", "len_bytes": %d}]}}""".formatted(ROWS, folder, diskMb, lenBytes))
                .getAsJsonObject();
        JsonObject line = new JsonObject();
        line.addProperty("kurabe", 1);
        line.add("job", job);
        Job parsed = Job.parse(line);
        return new Ehcache(parsed, new Layout(parsed.schema(), new byte[1 << 20]));
    }

    private static void load(Ehcache store, int lenBytes) throws Exception {
        store.create();
        try (Lane lane = store.connect(null)) {
            for (long row = 0; row < ROWS; row++) {
                byte[] value = new byte[lenBytes];
                value[0] = (byte) row;
                lane.load(new Row(row, row, null, value));
            }
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
    void whatWasClosedIsThereAgainAndWhatWasNotIsEmpty(@TempDir Path folder) throws Exception {
        Path killed = folder.resolve("killed");
        try (Ehcache store = open(folder.resolve("closed"), 100, "64")) {
            load(store, 100);
            assertEquals(ROWS, store.count());
            // All that a process that is killed leaves behind.
            copy(folder.resolve("closed"), killed);
        }
        try (Ehcache store = open(folder.resolve("closed"), 100, "64"); Lane lane = store.connect(null)) {
            assertEquals(ROWS, store.count());
            assertEquals((byte) 77, ((byte[]) lane.read(77L)[0])[0]);
        }
        try (Ehcache store = open(killed, 100, "64")) {
            assertEquals(0, store.count());
        }
    }

    @Test
    void whatIsThrownAwayFailsTheCount(@TempDir Path folder) throws Exception {
        int large = 200 << 10;
        try (Ehcache store = open(folder, large, "64")) {
            load(store, large);
            String told = assertThrows(StoreException.class, store::count).getMessage();
            assertTrue(told.startsWith("Ehcache threw ") && told.contains("disk_mb"), told);
            store.create();
            assertEquals(0, store.count(), "what was thrown away before is forgotten with the cache");
        }
    }

    @Test
    void theLongestValueThatItNamesIsKept(@TempDir Path folder) throws Exception {
        try (Ehcache store = open(folder, 100, "64"); Lane lane = store.connect(null)) {
            long longest = store.capabilities().told().get("max_value_bytes").getAsLong();
            lane.load(new Row(1L, 1, null, new byte[(int) longest]));
            // The heap tier has room for 1000 rows; after these only the disk tier has the first.
            for (long row = 2; row < 3000; row++) {
                lane.load(new Row(row, row, null, new byte[] {1}));
                lane.read(row);
            }
            assertNotNull(lane.read(1L), "a value of " + longest + " bytes");
        }
    }

    @Test
    void aSettingThatIsNoneIsRefused(@TempDir Path folder) {
        for (String size : List.of("0", "63", "many")) {
            assertTrue(assertThrows(Refused.class, () -> open(folder, 100, size)).getMessage().contains("disk_mb"));
        }
    }
}

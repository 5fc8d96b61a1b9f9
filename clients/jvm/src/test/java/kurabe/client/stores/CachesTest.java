package kurabe.client.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import kurabe.client.Job;
import kurabe.client.Layout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory that a database is given is what the live one says it has. */
final class CachesTest {
    private static final long BYTES = 64 << 20;

    /** A database over rows with such fields; each is a type with its length. */
    private interface Made {
        Dialect by(Job job) throws Exception;
    }

    private static Job job(Path folder, String store, String settings, List<String> fields) throws Exception {
        Files.createDirectories(folder);
        StringBuilder columns = new StringBuilder("{\"name\": \"id\", \"type\": \"int64\"}");
        for (int at = 0; at < fields.size(); at++) {
            String[] parts = fields.get(at).split(" ");
            columns.append(", {\"name\": \"f").append(at).append("\", \"type\": \"").append(parts[0])
                    .append("\", \"len_bytes\": ").append(parts[1]).append("}");
        }
        JsonObject line = new JsonObject();
        line.addProperty("kurabe", 1);
        line.add("job", JsonParser.parseString("""
                {"candidate": {"store": "%s"}, "rows": 1, "namespace": "ns", "dir": "%s", "pool": "", "phases": [],
                 "settings": {%s}, "schema": {"fields": [%s]}}""".formatted(store, folder, settings, columns)));
        return Job.parse(line);
    }

    private static Map<String, String> settings(Path folder, String store, String set, List<String> fields, Made made)
            throws Exception {
        Job job = job(folder, store, set, fields);
        try (JdbcStore opened = new JdbcStore(job, new Layout(job.schema(), new byte[1 << 20]), made.by(job))) {
            opened.create();
            return opened.settings();
        }
    }

    private static void isGiven(Path folder, String store, Made made) throws Exception {
        String set = "\"cache_bytes\": \"" + BYTES + "\"";
        List<String> fields = List.of("text 100");
        assertEquals("" + BYTES, settings(folder.resolve("set"), store, set, fields, made).get("cache_bytes"), store);
    }

    @Test
    void h2AndHsqldbHaveTheCacheThatTheyAreGiven(@TempDir Path folder) throws Exception {
        isGiven(folder.resolve("h2"), "h2", H2::new);
        isGiven(folder.resolve("hsqldb"), "hsqldb", Hsqldb::new);
        String usual = settings(folder.resolve("usual"), "hsqldb", "", List.of("text 100"), Hsqldb::new).get("cache_bytes");
        assertNotEquals("" + BYTES, usual);
    }

    @Test
    void derbyReckonsItsCacheInPagesOfTheSizeThatItsTableHas(@TempDir Path folder) throws Exception {
        List<List<String>> rows = List.of(List.of("text 100"), List.of("text 2043"), List.of("text 2044"),
                List.of("bytes 9000"), List.of("bytes 32672"), List.of("bytes 40000"), List.of("text 1500", "text 700"),
                List.of("text 1000", "bytes 16000"), List.of("text 1000", "bytes 20000"), List.of("text 33000"));
        int number = 0;
        for (List<String> fields : rows) {
            Path place = folder.resolve("derby" + number++);
            Job job = job(place, "derby", "", fields);
            try (JdbcStore store = new JdbcStore(job, new Layout(job.schema(), new byte[1 << 20]), new Derby(job))) {
                store.create();
                try (Connection connection = DriverManager.getConnection("jdbc:derby:" + place + "/data")) {
                    String query = "SELECT MAX(PAGESIZE) FROM TABLE(SYSCS_DIAG.SPACE_TABLE('APP', 'ns')) T";
                    String made = Dialect.query(connection, query).get(0).get(0);
                    assertEquals(made, "" + Derby.pageBytes(job.schema()), fields::toString);
                }
                // Of a thousand pages, where nothing is set.
                assertEquals("" + 1000 * Derby.pageBytes(job.schema()), store.settings().get("cache_bytes"));
            } finally {
                endDerby();
            }
        }
        isGiven(folder.resolve("derby"), "derby", Derby::new);
        System.clearProperty("derby.storage.pageCacheSize");
        endDerby();
    }

    /** The whole engine, which has one log for all databases. */
    private static void endDerby() {
        assertThrows(SQLException.class,
                () -> DriverManager.getConnection("jdbc:derby:;shutdown=true;deregister=false").close());
    }
}

package kurabe.client;

import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import kurabe.client.Job.Kind;
import kurabe.client.Main.Lines;
import kurabe.client.Store.StoreException;
import kurabe.client.Worker.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the lines of a job are answered with. */
final class SessionTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private static JsonObject line(String text) {
        return JsonParser.parseString(text).getAsJsonObject();
    }

    /** The first line of a job over ten rows. */
    private static String first(String version, String store, String more) {
        return "{\"kurabe\": " + version + ", \"job\": {\"candidate\": {\"store\": \"" + store + "\", \"wire\": \""
                + store + "\"}, \"rows\": 10, " + "\"namespace\": \"ns\", \"pool\": \"" + StoresTest.pool()
                + "\", \"schema\": {\"fields\": [{\"name\": \"id\", "
                + "\"type\": \"int64\"}, {\"name\": \"value\", \"type\": \"text\", \"len_bytes\": 40}]}" + more + "}}";
    }

    private Session open(String first) throws Exception {
        byte[] rest = "{\"stop\": true}".getBytes(StandardCharsets.UTF_8);
        return new Session(new Lines(new ByteArrayInputStream(rest), said), line(first));
    }

    private List<JsonObject> said() {
        return said.toString(StandardCharsets.UTF_8).lines().map(SessionTest::line).toList();
    }

    private static Path script(Path file, int... numbers) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int number : numbers) {
            bytes.putInt(number);
        }
        return Files.write(file, bytes.array());
    }

    @Test
    void aPhaseOfSeveralWorkersIsDoneWithATapeForEach(@TempDir Path folder) throws Exception {
        Session session = open(first("2", "echo", ", \"settings\": {\"jvm_warmup_ms\": \"20\", \"jvm_heap\": \"1g\"}"));
        StringBuilder workers = new StringBuilder();
        for (int worker = 0; worker < 2; worker++) {
            Path script = script(folder.resolve("script" + worker), Kind.UPDATE.ordinal() + Script.COMMIT, worker, 1,
                    Kind.READ.ordinal(), worker, 0, Kind.READ.ordinal(), 2, 0);
            workers.append(worker == 0 ? "" : ", ").append("{\"worker\": " + worker + ", \"script\": \"" + script
                    + "\", \"tape\": \"" + folder.resolve("tape" + worker) + "\", \"warmup\": 1, \"count\": 2}");
        }
        assertTrue(session.hear(line("{\"prepare\": {\"phase\": \"p\", \"operations\": [\"read\", \"update\"], "
                + "\"workers\": [" + workers + "]}}")));
        assertTrue(session.hear(line("{\"go\": \"p\"}")));
        assertTrue(session.hear(line("{\"call\": \"sum\", \"id\": 7}")));
        assertTrue(session.hear(line("{\"call\": \"backup\", \"id\": 8}")));
        assertFalse(session.hear(line("{\"stop\": true}")));
        List<JsonObject> lines = said();
        assertEquals("jvm", lines.get(0).getAsJsonObject("hello").get("client").getAsString());
        assertEquals("p", lines.get(1).get("ready").getAsString());
        JsonObject result = lines.get(2);
        assertEquals("p", result.get("result").getAsString());
        assertTrue(result.getAsJsonObject("runtime").get("compiler_warmup_ns").getAsLong() > 20_000_000);
        assertFalse(result.has("encoding_ns"));
        assertEquals(line("{\"reply\": 7, \"ok\": {\"sum\": 0}}"), lines.get(3));
        assertEquals(line("{\"reply\": 8, \"unsupported\": true}"), lines.get(4));
        assertEquals(line("{\"end\": true}"), lines.get(5));
        for (int worker = 0; worker < 2; worker++) {
            // An update, the mark of the beginning, and two reads of a row.
            assertEquals(24 + 24 + 2 * (24 + 8), Files.size(folder.resolve("tape" + worker)));
        }
    }

    @Test
    void otherProfilesAndUnknownStoresAreRefused() {
        for (String version : List.of("1", "3", "\"2\"")) {
            String told = assertThrows(StoreException.class, () -> open(first(version, "echo", ""))).getMessage();
            assertTrue(told.contains("version " + version), told);
        }
        assertTrue(assertThrows(StoreException.class, () -> open(first("2", "ekho", ""))).getMessage()
                .contains("'ekho'"));
        assertThrows(StoreException.class, () -> open("{\"kurabe\": 1, \"job\": {}}"));
        assertThrows(StoreException.class, () -> open("{\"kurabe\": 2, \"job\": {}}"));
    }

    @Test
    void whatTheUserMayNotReadIsLeftOutAndToldOnce() throws StoreException {
        try (Store store = Store.open(
                StoresTest.job("redis", null, "redis://127.0.0.1:1", Map.of(), StoresTest.PLAIN))) {
            Callable<Long> denied = () -> {
                throw new StoreException(StoreException.Cause.DENIED, "you need PROCESS");
            };
            assertEquals(7L, store.unlessDenied("rows", 7L, denied));
            StoreException refused = assertThrows(StoreException.class, () -> store.orUnsupported("size", denied));
            assertEquals(StoreException.Cause.UNSUPPORTED, refused.kind);
            StoreException other = assertThrows(StoreException.class, () -> store.orUnsupported("sum", () -> {
                throw StoreException.failed("no such table");
            }));
            assertEquals(StoreException.Cause.FAILED, other.kind);
            assertEquals(List.of("rows: you need PROCESS", "size: you need PROCESS"), store.takeAbsent());
            assertEquals(List.of(), store.takeAbsent());
        }
    }
}

package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** {@code vectors/oracle.json}: a history, an answer, a verdict. */
final class OracleVectorsTest {
    private static final int ROWS_AT_MOST = 16;

    private final JsonObject vectors;
    private final Layout layout;

    OracleVectorsTest() throws IOException, Refused {
        vectors = JsonParser.parseString(Files.readString(Path.of("../../vectors/oracle.json"))).getAsJsonObject();
        layout = new Layout(List.of(
                new Field("id", Field.Type.INT64, 0, false, "k"),
                new Field("value", Field.Type.TEXT, vectors.get("len_bytes").getAsInt(), false, "k")), VectorsTest.pool());
    }

    private Worker worker() throws Refused, IOException {
        JsonObject told = JsonParser.parseString("{\"name\": \"one\", \"operation\": \"mix\", \"count\": 1, \"connections\": 1, \"kinds_stream\": \"none\", \"mix\": ["
                + "{\"operation\": \"read\", \"share\": 1}, {\"operation\": \"insert\", \"share\": 1}, "
                + "{\"operation\": \"update\", \"share\": 1}, {\"operation\": \"delete\", \"share\": 1}]}").getAsJsonObject();
        Ledger ledger = new Ledger(vectors.get("loaded_rows").getAsLong(), ROWS_AT_MOST);
        return new Worker(new PhaseContext(Phase.parse(told), layout, ledger, new Choice.Streams(null, null),
                new OracleTest.Liar(OracleTest.Lie.NONE), true, () -> false), 0);
    }

    private static void write(Worker worker, JsonElement step, long row) {
        Worker.Op op = worker.write(kind(step, "write"), row);
        if (step.getAsJsonObject().get("fate").getAsString().equals("acknowledged")) {
            worker.settleWrite(op, Written.DONE);
            worker.acknowledge();
        } else {
            worker.fail(op.kind(), StoreException.failed("of unknown fate"), 1, 2);
        }
    }

    private static Kind kind(JsonElement of, String key) {
        return Kind.valueOf(of.getAsJsonObject().get(key).getAsString().toUpperCase(Locale.ROOT));
    }

    private Object[] answer(long row, JsonObject answer) {
        if (answer.has("absent")) {
            return null;
        }
        long of = answer.has("of_row") ? answer.get("of_row").getAsLong() : row;
        String text = (String) layout.fields(of, answer.get("version").getAsLong())[0];
        String start = text.substring(0, text.length() - 1);
        if (answer.has("altered")) {
            text = start + (text.endsWith("a") ? "b" : "a");
        }
        return new Object[] {answer.has("short") ? start : text};
    }

    @Test
    void everyVerdictIsThatOfTheVectors() throws Exception {
        int met = 0;
        for (JsonElement element : vectors.getAsJsonArray("cases")) {
            JsonObject one = element.getAsJsonObject();
            String name = one.get("name").getAsString();
            long row = one.get("row").getAsLong();
            Worker worker = worker();
            one.getAsJsonArray("history").forEach(step -> write(worker, step, row));
            assertEquals(0, found(worker, null), name + ": its history is no fault");
            Kind kind = kind(one, "operation");
            JsonObject answer = one.getAsJsonObject("answer");
            if (kind == Kind.READ) {
                Worker.Op op = new Worker.Op(kind, new Row(layout.key(row), row, null, null),
                        worker.context.ledger.acknowledged(row), Ledger.NEVER);
                if (one.has("during")) {
                    one.getAsJsonArray("during").forEach(step -> write(worker, step, row));
                }
                worker.settleRead(op, answer(row, answer));
            } else {
                worker.settleWrite(worker.write(kind, row), Written.valueOf(
                        answer.get("written").getAsString().toUpperCase(Locale.ROOT)));
            }
            String verdict = one.get("verdict").getAsString();
            boolean right = verdict.equals("right");
            assertEquals(right ? 0 : 1, found(worker, null), name);
            assertTrue(right || found(worker, verdict) == 1, name + ": " + worker.findings.told());
            met++;
        }
        assertTrue(met > 60);
    }

    /** Findings of this kind, or of all. */
    private static long found(Worker worker, String kind) {
        JsonObject told = worker.findings.told();
        List<String> kinds = kind == null ? List.of("wrong", "stale", "lost", "phantom", "miscounted") : List.of(kind);
        return kinds.stream().mapToLong(one -> told.get(one).getAsLong()).sum();
    }
}

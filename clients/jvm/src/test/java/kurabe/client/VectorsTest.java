package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cases that every client must pass. */
final class VectorsTest {
    private static final Path VECTORS = Path.of("../../vectors");

    private static JsonObject vector(String name) throws IOException {
        return JsonParser.parseString(Files.readString(VECTORS.resolve(name))).getAsJsonObject();
    }

    /** The pool of the vectors. */
    static byte[] pool() {
        byte[] pool = new byte[1 << 20];
        for (int at = 0; at < pool.length; at++) {
            pool[at] = (byte) (33 + at * 7919L % 94);
        }
        return pool;
    }

    private static long number(JsonElement from, String key) {
        return from.getAsJsonObject().get(key).getAsLong();
    }

    @Test
    void latenciesFallIntoTheBucketsOfTheVectors() throws IOException {
        JsonArray cases = vector("histogram.json").getAsJsonArray("cases");
        assertTrue(cases.size() > 100);
        for (JsonElement one : cases) {
            long latency = one.getAsJsonArray().get(0).getAsLong();
            long bound = one.getAsJsonArray().get(1).getAsLong();
            if (latency < 1L << 50) {
                assertEquals(bound, Latencies.bucket(latency), "latency " + latency);
                Latencies alone = new Latencies();
                alone.record(latency, 2);
                JsonObject told = alone.told(Kind.READ);
                assertEquals("[[" + bound + ",2]]", told.get("buckets").toString());
                assertEquals(2 * latency, told.get("sum_ns").getAsLong());
                assertEquals(latency, told.get("max_ns").getAsLong());
            }
        }
    }

    @Test
    void rowsAreOwnedAndStreamsBeginAsInTheVectors() throws IOException {
        JsonObject cases = vector("numbering.json");
        for (JsonElement one : cases.getAsJsonArray("owned")) {
            assertEquals(number(one, "owned"), Choice.owned(number(one, "row"), number(one, "worker"), number(one, "workers")));
        }
        for (JsonElement one : cases.getAsJsonArray("stream_start")) {
            assertEquals(number(one, "start"),
                    Choice.streamStart(number(one, "worker"), number(one, "workers"), number(one, "len")));
        }
        assertTrue(cases.getAsJsonArray("back_from_newest").size() > 10);
        for (JsonElement one : cases.getAsJsonArray("back_from_newest")) {
            assertEquals(number(one, "row"), Choice.backFromNewest(
                    number(one, "distance"), number(one, "rows"), number(one, "first_row"), number(one, "worker"),
                    number(one, "workers"), number(one, "inserted")), one.toString());
        }
    }

    @Test
    void keysAndValuesAreThoseOfTheVectors() throws IOException, Refused {
        JsonArray cases = vector("values.json").getAsJsonArray("cases");
        assertTrue(cases.size() > 20);
        for (JsonElement one : cases) {
            Layout layout = new Layout(schema(one.getAsJsonObject().getAsJsonObject("schema")), pool());
            long row = number(one, "row");
            long version = number(one, "version");
            byte[] expected = HexFormat.of().parseHex(one.getAsJsonObject().get("raw_hex").getAsString());
            Object[] fields = layout.fields(row, version);
            assertArrayEquals(expected, layout.raw(fields), one.toString());
            assertNull(layout.check(row, fields, version, version), one.toString());
            assertNull(layout.check(row, layout.unpack(expected), version, version + 3), one.toString());
            String key = one.getAsJsonObject().get("text_key").getAsString();
            Layout texts = new Layout(textKey(layout.schema()), pool());
            assertEquals(key, texts.key(row));
            assertEquals(row, texts.rowOf(key));
            assertEquals(-1, texts.rowOf(key + "0"));
        }
    }

    private static List<Field> schema(JsonObject schema) {
        List<Field> fields = new ArrayList<>();
        for (JsonElement element : schema.getAsJsonArray("fields")) {
            JsonObject field = element.getAsJsonObject();
            int length = field.has("len_bytes") ? field.get("len_bytes").getAsInt() : 0;
            Field.Type type = Field.Type.valueOf(field.get("type").getAsString().toUpperCase(java.util.Locale.ROOT));
            String prefix = field.has("prefix") ? field.get("prefix").getAsString() : "k";
            int digits = field.has("digits") ? field.get("digits").getAsInt() : Field.DIGITS;
            long distinct = field.has("distinct") ? field.get("distinct").getAsLong() : 0;
            boolean constant = field.has("constant");
            fields.add(new Field(field.get("name").getAsString(), type, length, false, prefix, digits, distinct, constant));
        }
        return fields;
    }

    private static List<Field> textKey(List<Field> schema) {
        List<Field> fields = new ArrayList<>(schema);
        Field key = schema.get(0);
        fields.set(0, new Field("id", Field.Type.TEXT, 0, false, key.prefix(), key.digits(), 0, false));
        return fields;
    }

    @Test
    void aCheckTellsWhatIsWrongWithAValue() throws Refused {
        Layout layout = new Layout(List.of(new Field("id", Field.Type.INT64, 0, false, "k"),
                new Field("value", Field.Type.TEXT, 60, false, "k")), pool());
        String right = (String) layout.fields(7, 2)[0];
        assertEquals(Layout.Fault.VERSION, layout.check(7, new Object[] {right}, 0, 1).fault());
        assertEquals(2, layout.check(7, new Object[] {right}, 3, 4).version());
        assertEquals(Layout.Fault.ROW, layout.check(8, new Object[] {right}, 2, 2).fault());
        assertEquals(Layout.Fault.LENGTH, layout.check(7, new Object[] {right + "x"}, 2, 2).fault());
        assertEquals(Layout.Fault.CONTENT, layout.check(7, new Object[] {right.substring(0, 59) + "\u00e9"}, 2, 2).fault());
        assertEquals(Layout.Fault.LENGTH, layout.check(7, new Object[] {null}, 2, 2).fault());
    }

    @Test
    void aSeriesKeepsEveryOperationInFewSlots() {
        Series series = new Series(0);
        for (long end = 0; end < 10_000_000_000L; end += 1_000_000) {
            series.add(end, 1);
        }
        assertEquals(10_000, series.total());
        JsonObject told = Series.merged(List.of(series, new Series(5)));
        assertEquals(32_000_000, told.get("slot_ns").getAsLong());
        assertTrue(told.getAsJsonArray("operations").size() <= 512);
    }
}

package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import kurabe.client.Job.Field;
import kurabe.client.Job.Type;
import org.junit.jupiter.api.Test;

/** Keys, values and their digests, by the cases that every client must pass. */
final class ValuesTest {
    private static final Path POOL = TestJobs.pool();

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    private static Values values(List<Field> schema, boolean raw) throws StoreException {
        return Values.of(new Job("echo", null, schema, 1, "ns", null, null, Map.of(), POOL, "raw", 1, 1), raw);
    }

    private static long digests(long key, long value) {
        return value << 32 | key;
    }

    @Test
    void keysValuesAndDigestsAreThoseOfTheVectors() throws Exception {
        JsonArray cases = JsonParser.parseString(Files.readString(Path.of("../../vectors/values.json"))).getAsJsonObject()
                .getAsJsonArray("cases");
        assertTrue(cases.size() > 20);
        for (JsonElement one : cases) {
            JsonObject said = one.getAsJsonObject();
            List<Field> schema = new ArrayList<>();
            said.getAsJsonObject("schema").getAsJsonArray("fields").forEach(field -> schema.add(Field.of(field.getAsJsonObject())));
            long row = said.get("row").getAsLong();
            long version = said.get("version").getAsLong();
            byte[] raw = HexFormat.of().parseHex(said.get("raw_hex").getAsString());
            assertEquals(raw.length, Values.rawBytes(schema), one.toString());
            assertArrayEquals(raw, (byte[]) values(schema, true).value(row, version)[0], one.toString());

            Field key = schema.get(0);
            schema.set(0, new Field("id", Type.TEXT, 0, false, key.prefix(), key.digits(), 0, false));
            Values texts = values(schema, false);
            String text = said.get("text_key").getAsString();
            assertEquals(text, texts.key(row));
            long expected = digests(crc(text.getBytes(StandardCharsets.UTF_8)), crc(raw));
            assertEquals(expected, texts.digests(text, texts.value(row, version)), one.toString());
            assertEquals(expected, values(schema, true).digests(text, new Object[] {raw}), one.toString());
        }
    }

    @Test
    void aNumberIsDigestedInEightBytesAndNoRowAsNothing() throws Exception {
        Values values = values(TestJobs.PLAIN, true);
        byte[] key = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(7).array();
        assertEquals(digests(crc(key), 0), values.digests(values.key(7), new Object[] {new byte[0]}));
        assertEquals(0, values.digests(values.key(7), null));
    }

    @Test
    void whatCannotBeOfTheSchemaHasTheDigestOfNoValue() throws Exception {
        Values values = values(TestJobs.COLUMNS, false);
        Object[] right = values.value(3, 1);
        long key = values.digests("k0000000003", right) & 0xFFFF_FFFFL;
        for (Object[] wrong : List.of(new Object[0], new Object[] {null, right[1], right[2]}, new Object[] {right[0], right[1]},
                new Object[] {right[0], right[2], right[1]}, new Object[] {"3", right[1], right[2]})) {
            assertEquals(digests(key, 1), values.digests("k0000000003", wrong));
        }
        assertEquals(1, values.digests(3L, right) & 0xFFFF_FFFFL, "a key of another type");
        Object[] altered = {right[0], right[1] + "x", right[2]};
        assertNotEquals(values.digests("k0000000003", right), values.digests("k0000000003", altered));
    }
}

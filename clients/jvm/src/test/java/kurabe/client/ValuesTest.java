package kurabe.client;

import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import kurabe.client.Job.*;
import kurabe.client.Store.StoreException;
import kurabe.client.Values.Encoding;
import kurabe.client.Values.Encoding.Codec;
import org.junit.jupiter.api.Test;

/**
 * Keys, values and their digests, by the cases that every client must pass. Rows come back from every encoding as what
 * the schema says, and what is no row matches none.
 */
final class ValuesTest {

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    private static Values values(List<Field> schema, boolean raw) throws StoreException {
        return Values.of(StoresTest.job("echo", null, null, Map.of(), schema), raw);
    }

    private static long digests(long key, long value) {
        return value << 32 | key;
    }

    @Test
    void keysValuesAndDigestsAreThoseOfTheVectors() throws Exception {
        JsonArray cases = JsonParser.parseString(Files.readString(Path.of("../../vectors/values.json")))
                .getAsJsonObject()
                .getAsJsonArray("cases");
        assertTrue(cases.size() > 20);
        for (JsonElement one : cases) {
            JsonObject said = one.getAsJsonObject();
            List<Field> schema = new ArrayList<>();
            said.getAsJsonObject("schema").getAsJsonArray("fields")
                    .forEach(field -> schema.add(Field.of(field.getAsJsonObject())));
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
    void whatCannotBeOfTheSchemaHasTheDigestOfNoValue() throws Exception {
        Values values = values(StoresTest.COLUMNS, false);
        Object[] right = values.value(3, 1);
        long key = values.digests("k0000000003", right) & 0xFFFF_FFFFL;
        for (Object[] wrong : List.of(
                new Object[0], new Object[] {null, right[1], right[2]}, new Object[] {right[0], right[1]},
                new Object[] {right[0], right[2], right[1]}, new Object[] {"3", right[1], right[2]})) {
            assertEquals(digests(key, 1), values.digests("k0000000003", wrong));
        }
        assertEquals(1, values.digests(3L, right) & 0xFFFF_FFFFL, "a key of another type");
        Object[] altered = {right[0], right[1] + "x", right[2]};
        assertNotEquals(values.digests("k0000000003", right), values.digests("k0000000003", altered));
    }

    private static final List<Field> COLUMNS = List.of(new Field("no", Type.TEXT, 10, false),
            new Field("visits", Type.INT64, 0, false), new Field("blob", Type.BYTES, 10, false));
    private static final List<String> ENCODINGS = List.of("json", "messagepack", "yaml");

    private static Codec codec(String encoding, List<Field> columns) throws StoreException {
        return Encoding.of(encoding, columns).codec();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void everyTextAndNumberComesBackAsItWas() throws Exception {
        // SnakeYAML 2.5 reads U+0085, which it writes as it is, back as a line feed: such a text is not here.
        List<String> odd = List.of("", "no", "1e3", "012", "~", "null", " a ", "a: b", "- x", "'\"", "比べ", "a\nb", "\t",
                "\ud83d\ude00", "2026-11-23", "0x1f", "#", "\\", "=", "<<", "x".repeat(3000));
        for (String encoding : ENCODINGS) {
            Codec codec = codec(encoding, COLUMNS);
            for (String text : odd) {
                for (long number : new long[] {0, -1, 1L << 31, 1L << 53, Long.MIN_VALUE, Long.MAX_VALUE}) {
                    Object[] row = {text, number, bytes(text)};
                    assertArrayEquals(row, codec.decode(codec.encode(row)), encoding + " of '" + text + "'");
                }
            }
        }
    }

    @Test
    void theFormIsThatOfTheProtocol() throws Exception {
        Object[] row = {"a", 5L, new byte[] {-1}};
        assertEquals("{\"no\":\"a\",\"visits\":5,\"blob\":\"/w==\"}",
                new String(codec("json", COLUMNS).encode(row), StandardCharsets.UTF_8));
        byte[] expected = {(byte) 0x83, (byte) 0xa2, 'n', 'o', (byte) 0xa1, 'a', (byte) 0xa6, 'v', 'i', 's', 'i', 't',
                's', 5,
            (byte) 0xa4, 'b', 'l', 'o', 'b', (byte) 0xc4, 1, (byte) 0xff};
        assertArrayEquals(expected, codec("messagepack", COLUMNS).encode(row));
    }

    /** The digest of the value that a reader of the encoding finds in these bytes. */
    private static long found(String encoding, byte[] kept) throws StoreException {
        List<Field> schema = Stream.concat(Stream.of(new Field("id", Type.INT64, 0, false)), COLUMNS.stream()).toList();
        return values(schema, false).digests(
                1L, Encoding.decoded(codec(encoding, COLUMNS), new Object[] {kept})) >>> 32;
    }

    @Test
    void whatIsNoRowOfTheSchemaMatchesNothing() throws Exception {
        for (String encoding : ENCODINGS) {
            byte[] whole = codec(encoding, COLUMNS).encode(new Object[] {"a", 5L, bytes("b")});
            assertNotEquals(1, found(encoding, whole), encoding);
            assertEquals(1, found(encoding, Arrays.copyOf(whole, whole.length / 2)), encoding + ", cut");
            byte[] fewer = codec(encoding, COLUMNS.subList(0, 2)).encode(new Object[] {"a", 5L});
            assertEquals(1, found(encoding, fewer), encoding + ", a column less");
            assertEquals(1, found(encoding, new byte[0]), encoding + ", empty");
            List<Field> others = List.of(COLUMNS.get(0), new Field("visits", Type.TEXT, 1, false), COLUMNS.get(2));
            byte[] text = codec(encoding, others).encode(new Object[] {"a", "5", bytes("b")});
            assertEquals(1, found(encoding, text), encoding + ", a text for a number");
        }
        for (String value : List.of("null", "[]", "5", "{\"no\":\"a\",\"visits\":5,\"blob\":\"b\"}",
                "{\"no\":null,\"visits\":5,\"blob\":\"\"}", "{\"no\":\"a\",\"visits\":5,\"blob\":\"\"} x",
                "{\"no\":\"a\",\"no\":\"a\",\"visits\":5,\"blob\":\"\"}")) {
            assertEquals(1, found("json", bytes(value)), value);
        }
    }

    @Test
    void anEncodingThatIsNoneIsRefused() {
        StoreException refused = assertThrows(StoreException.class, () -> Encoding.of("xml", COLUMNS));
        assertTrue(refused.getMessage().contains("'xml'") && refused.getMessage().contains("messagepack"));
        assertEquals(List.of("raw", "json", "messagepack", "yaml"), Encoding.known());
    }
}

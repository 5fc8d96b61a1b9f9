package kurabe.client.encoding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import kurabe.client.Field;
import kurabe.client.Refused;
import org.junit.jupiter.api.Test;

/** Rows come back from every encoding as what the schema says, and what is no row is none. */
final class EncodingTest {
    private static final List<Field> FIELDS = List.of(
            new Field("no", Field.Type.TEXT, 10, false, "k"),
            new Field("visits", Field.Type.INT64, 0, false, "k"),
            new Field("blob", Field.Type.BYTES, 10, false, "k"));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void everyTextAndNumberComesBackAsItWas() throws Exception {
        // SnakeYAML 2.5 reads U+0085, which it writes as it is, back as a line feed: such a text is not here.
        List<String> odd = List.of("", "no", "1e3", "012", "~", "null", " a ", "a: b", "- x", "'\"", "比べ", "a\nb", "\t",
                "\ud83d\ude00", "2026-11-23", "0x1f", "#", "\\", "=", "<<", "x".repeat(3000));
        for (String encoding : Codec.ALL.keySet()) {
            Codec codec = Codec.factory(encoding).of(FIELDS);
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
        Codec json = Codec.factory("json").of(FIELDS);
        assertEquals("{\"no\":\"a\",\"visits\":5,\"blob\":\"/w==\"}", new String(json.encode(row), StandardCharsets.UTF_8));
        Codec pack = Codec.factory("messagepack").of(FIELDS);
        byte[] expected = {(byte) 0x83, (byte) 0xa2, 'n', 'o', (byte) 0xa1, 'a', (byte) 0xa6, 'v', 'i', 's', 'i', 't', 's', 5,
            (byte) 0xa4, 'b', 'l', 'o', 'b', (byte) 0xc4, 1, (byte) 0xff};
        assertArrayEquals(expected, pack.encode(row));
    }

    @Test
    void whatIsNoRowOfTheSchemaMatchesNothing() throws Exception {
        for (String encoding : Codec.ALL.keySet()) {
            Codec codec = Codec.factory(encoding).of(FIELDS);
            byte[] whole = codec.encode(new Object[] {"a", 5L, bytes("b")});
            assertEquals(3, EncodedLane.decoded(codec, new Object[] {whole}).length);
            byte[] cut = java.util.Arrays.copyOf(whole, whole.length / 2);
            assertEquals(0, EncodedLane.decoded(codec, new Object[] {cut}).length, encoding + ", cut");
            byte[] fewer = Codec.factory(encoding).of(FIELDS.subList(0, 2)).encode(new Object[] {"a", 5L});
            assertEquals(0, EncodedLane.decoded(codec, new Object[] {fewer}).length, encoding + ", a column less");
            assertEquals(0, EncodedLane.decoded(codec, new Object[] {new byte[0]}).length, encoding + ", empty");
            List<Field> others = List.of(FIELDS.get(0), new Field("visits", Field.Type.TEXT, 1, false, "k"), FIELDS.get(2));
            byte[] text = Codec.factory(encoding).of(others).encode(new Object[] {"a", "5", bytes("b")});
            assertEquals(0, EncodedLane.decoded(codec, new Object[] {text}).length, encoding + ", a text for a number");
        }
        Codec json = Codec.factory("json").of(FIELDS);
        for (String value : List.of("null", "[]", "5", "{\"no\":\"a\",\"visits\":5,\"blob\":\"b\"}", "{\"no\":null,\"visits\":5,\"blob\":\"\"}",
                "{\"no\":\"a\",\"visits\":5,\"blob\":\"\"} x", "{\"no\":\"a\",\"no\":\"a\",\"visits\":5,\"blob\":\"\"}")) {
            assertEquals(0, EncodedLane.decoded(json, new Object[] {bytes(value)}).length, value);
        }
    }

    @Test
    void anEncodingThatIsNoneIsRefused() {
        assertTrue(assertThrows(Refused.class, () -> Codec.factory("xml")).getMessage().contains("'xml'"));
        assertEquals(List.of("json", "messagepack", "raw", "yaml"), Encoded.known());
    }
}

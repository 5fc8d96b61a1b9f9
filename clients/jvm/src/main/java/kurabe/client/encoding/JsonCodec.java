package kurabe.client.encoding;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import java.util.Map;
import kurabe.client.Field;

/** JSON by Jackson, as a program without classes of its own for its rows uses it. */
final class JsonCodec extends MapCodec {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    JsonCodec(List<Field> fields) {
        super(fields);
    }

    @Override
    byte[] write(Map<String, Object> row) throws Exception {
        return MAPPER.writeValueAsBytes(row);
    }

    @Override
    Map<?, ?> parse(byte[] kept) throws Exception {
        return MAPPER.readValue(kept, Map.class);
    }
}

package kurabe.client.encoding;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kurabe.client.Field;
import kurabe.client.StoreException;

/** A codec whose library takes and gives maps, and knows no bytes: they are texts in base64, as programs keep them there. */
abstract class MapCodec implements Codec {
    private final List<Field> fields;

    MapCodec(List<Field> fields) {
        this.fields = fields;
    }

    /** The map as a value. */
    abstract byte[] write(Map<String, Object> row) throws Exception;

    /** The map of a value. */
    abstract Map<?, ?> parse(byte[] kept) throws Exception;

    @Override
    public byte[] encode(Object[] values) throws StoreException {
        Map<String, Object> row = new LinkedHashMap<>(2 * values.length);
        for (int at = 0; at < values.length; at++) {
            Object value = values[at];
            row.put(fields.get(at).name(), value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value);
        }
        try {
            return write(row);
        } catch (Exception error) {
            throw StoreException.failed("cannot encode a row: " + error.getMessage());
        }
    }

    @Override
    public Object[] decode(byte[] kept) throws Exception {
        Map<?, ?> row = parse(kept);
        if (row.size() != fields.size()) {
            throw new IllegalArgumentException("a column is missing or too many");
        }
        Object[] values = new Object[fields.size()];
        for (int at = 0; at < values.length; at++) {
            Field field = fields.get(at);
            Object value = row.get(field.name());
            values[at] = switch (field.type()) {
                case INT64 -> value instanceof Integer small ? (Long) (long) small : (Long) value;
                case TEXT -> (String) value;
                case BYTES -> Base64.getDecoder().decode((String) value);
            };
            // A text that is null would be met as a missing value, not as a wrong one.
            if (values[at] == null) {
                throw new IllegalArgumentException("no column '" + field.name() + "'");
            }
        }
        return values;
    }
}

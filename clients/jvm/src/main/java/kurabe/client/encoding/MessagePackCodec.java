package kurabe.client.encoding;

import java.io.IOException;
import java.util.List;
import kurabe.client.Field;
import kurabe.client.StoreException;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/** MessagePack by msgpack-core, which has bytes of its own. */
final class MessagePackCodec implements Codec {
    private final List<Field> fields;
    private final MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();

    MessagePackCodec(List<Field> fields) {
        this.fields = fields;
    }

    @Override
    public byte[] encode(Object[] values) throws StoreException {
        try {
            packer.clear();
            packer.packMapHeader(values.length);
            for (int at = 0; at < values.length; at++) {
                packer.packString(fields.get(at).name());
                if (values[at] instanceof Long number) {
                    packer.packLong(number);
                } else if (values[at] instanceof String text) {
                    packer.packString(text);
                } else {
                    byte[] bytes = (byte[]) values[at];
                    packer.packBinaryHeader(bytes.length).writePayload(bytes);
                }
            }
            return packer.toByteArray();
        } catch (IOException error) {
            throw StoreException.failed("cannot encode a row: " + error.getMessage());
        }
    }

    @Override
    public Object[] decode(byte[] kept) throws IOException {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(kept)) {
            Object[] values = new Object[fields.size()];
            boolean same = unpacker.unpackMapHeader() == values.length;
            for (int at = 0; same && at < values.length; at++) {
                Field field = fields.get(at);
                same = unpacker.unpackString().equals(field.name());
                values[at] = switch (field.type()) {
                    case INT64 -> unpacker.unpackLong();
                    case TEXT -> unpacker.unpackString();
                    case BYTES -> unpacker.readPayload(unpacker.unpackBinaryHeader());
                };
            }
            if (!same || unpacker.hasNext()) {
                throw new IllegalArgumentException("no row of this schema");
            }
            return values;
        }
    }
}

package kurabe.client.encoding;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import kurabe.client.Lane;
import kurabe.client.Row;
import kurabe.client.RowSink;
import kurabe.client.StoreException;
import kurabe.client.Written;

/** A connection whose values are encoded. */
final class EncodedLane implements Lane {
    private final Lane lane;
    private final Codec codec;
    private final LongAdder spentNs;

    EncodedLane(Lane lane, Codec codec, LongAdder spentNs) {
        this.lane = lane;
        this.codec = codec;
        this.spentNs = spentNs;
    }

    /** The fields of what was kept. A value that is no row gives fields that match nothing. */
    static Object[] decoded(Codec codec, Object[] kept) {
        if (kept == null) {
            return null;
        }
        try {
            return codec.decode((byte[]) kept[0]);
        } catch (Exception error) {
            // The libraries have errors of many kinds, and the language adds its own: a cast, an index.
            return new Object[0];
        }
    }

    private Row encoded(Row row) throws StoreException {
        long start = System.nanoTime();
        byte[] kept = codec.encode(row.fields());
        spentNs.add(System.nanoTime() - start);
        return new Row(row.key(), row.number(), row.fields(), kept);
    }

    private Object[] decoded(Object[] kept) {
        long start = System.nanoTime();
        Object[] fields = decoded(codec, kept);
        spentNs.add(System.nanoTime() - start);
        return fields;
    }

    /** Decodes what comes, on its way to the check. */
    private RowSink decoding(RowSink sink) {
        return sink.decoding(this::decoded);
    }

    @Override
    public void load(Row row) throws StoreException {
        lane.load(encoded(row));
    }

    @Override
    public Written insert(Row row) throws StoreException {
        return lane.insert(encoded(row));
    }

    @Override
    public Object[] read(Object key) throws StoreException {
        return decoded(lane.read(key));
    }

    @Override
    public Written update(Row row) throws StoreException {
        return lane.update(encoded(row));
    }

    @Override
    public Written delete(Object key) throws StoreException {
        return lane.delete(key);
    }

    @Override
    public void commit() throws StoreException {
        lane.commit();
    }

    @Override
    public void scan(RowSink sink) throws StoreException {
        lane.scan(decoding(sink));
    }

    @Override
    public void latest(int rows, RowSink sink) throws StoreException {
        lane.latest(rows, decoding(sink));
    }

    @Override
    public Object[][] multiRead(List<Object> keys) throws StoreException {
        Object[][] answers = lane.multiRead(keys);
        for (int at = 0; at < answers.length; at++) {
            answers[at] = decoded(answers[at]);
        }
        return answers;
    }

    @Override
    public void increment(long counter) throws StoreException {
        lane.increment(counter);
    }

    @Override
    public void loadMany(List<Row> rows) throws StoreException {
        List<Row> encoded = new ArrayList<>(rows.size());
        for (Row row : rows) {
            encoded.add(encoded(row));
        }
        lane.loadMany(encoded);
    }

    @Override
    public long retries() {
        return lane.retries();
    }

    @Override
    public void close() throws StoreException {
        lane.close();
    }
}

package kurabe.client.stores;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import kurabe.client.Job;
import kurabe.client.Job.Phase;
import kurabe.client.Lane;
import kurabe.client.Store;
import kurabe.client.StoreException;
import kurabe.client.Tape.Outcome;
import kurabe.client.Values;

/**
 * No store: it answers what is expected, and keeps what was written since the load in a map, whose lanes are all one. What is
 * left is the language, the loop, values and tapes.
 */
final class Echo implements Store, Lane {
    /** Stands for a row that was deleted. */
    private static final Object[] DELETED = {};

    private final Values values;
    private final long rows;
    private final Map<Long, Object[]> written = new ConcurrentHashMap<>();
    private final AtomicLong end = new AtomicLong();
    private final LongAdder increments = new LongAdder();

    Echo(Job job) throws StoreException {
        job.refuseOtherSettings(Set.of());
        values = Values.of(job, true);
        rows = job.rows();
        reset();
    }

    @Override
    public Map<String, String> libraries() {
        return Map.of();
    }

    @Override
    public Map<String, Object> capabilities() {
        return Map.of("operations", List.of("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment"),
                "key_types", List.of("int64"), "empty_values", false);
    }

    @Override
    public boolean raw() {
        return true;
    }

    @Override
    public Lane connect(Phase phase) {
        return this;
    }

    @Override
    public void ping() {}

    @Override
    public Map<String, String> info() throws StoreException {
        throw StoreException.unsupported();
    }

    @Override
    public Map<String, String> settings() throws StoreException {
        throw StoreException.unsupported();
    }

    @Override
    public void create() {
        reset();
    }

    @Override
    public void reset() {
        written.clear();
        end.set(rows);
        increments.reset();
    }

    @Override
    public long sum() {
        return increments.sum();
    }

    @Override
    public void load(Object key, Object[] value) {}

    /** A row that nobody wrote since the load is made anew. */
    @Override
    public Object[] read(Object key) {
        Object[] value = written.get(key);
        return value == DELETED ? null : value == null && (Long) key < rows ? values.value((Long) key, 0) : value;
    }

    private Outcome write(Object key, Object[] value, boolean mustExist, Outcome otherwise) {
        Outcome[] outcome = {otherwise};
        written.compute((Long) key, (row, old) -> {
            boolean exists = old == null ? row < rows : old != DELETED;
            outcome[0] = exists == mustExist ? Outcome.DONE : otherwise;
            return exists == mustExist ? value : old;
        });
        end.accumulateAndGet((Long) key + 1, Math::max);
        return outcome[0];
    }

    @Override
    public Outcome insert(Object key, Object[] value) {
        return write(key, value, false, Outcome.EXISTS);
    }

    @Override
    public Outcome update(Object key, Object[] value) {
        return write(key, value, true, Outcome.MISSING);
    }

    @Override
    public Outcome delete(Object key) {
        return write(key, DELETED, true, Outcome.MISSING);
    }

    @Override
    public void scan(Sink sink) {
        latest(Integer.MAX_VALUE, sink);
    }

    @Override
    public void latest(int most, Sink sink) {
        int given = 0;
        for (long row = end.get() - 1; row >= 0 && given < most; row--) {
            Object[] value = read(row);
            if (value != null) {
                sink.take(row, value);
                given++;
            }
        }
    }

    @Override
    public Object[][] multiRead(Object[] keys) {
        Object[][] answers = new Object[keys.length][];
        for (int at = 0; at < keys.length; at++) {
            answers[at] = read(keys[at]);
        }
        return answers;
    }

    @Override
    public void increment(long counter) {
        increments.increment();
    }

    @Override
    public void close(boolean lost) {}

    @Override
    public void close() {}
}

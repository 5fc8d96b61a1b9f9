package kurabe.client;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Phase;
import kurabe.client.Tape.Outcome;

/**
 * No store: it answers what is expected, and keeps what was written since the load in a map, whose lanes are all one. What is
 * left is the language, the loop, values and tapes.
 */
final class Echo extends Store implements Lane {
    /** Stands for a row that was deleted. */
    private static final Object[] DELETED = {};

    private final Values values;
    private final long rows;
    private final Map<Long, Object[]> written = new ConcurrentHashMap<>();
    private final AtomicLong end = new AtomicLong();
    private final LongAdder increments = new LongAdder();

    Echo(Job job) throws StoreException {
        super(job, false, Set.of());
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
        return Map.of("operations",
                List.of("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment"), "key_types", List.of("int64"), "encodings", List.of("raw"), "empty_values", false);
    }

    @Override
    public Lane connect(Phase phase) {
        return this;
    }

    @Override
    public void ping() {}

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

    /** A row that nobody wrote since the load is made anew. */
    @Override
    public Object[] read(Object key) {
        Object[] value = written.get(key);
        return value == DELETED ? null : value == null && (Long) key < rows ? values.value((Long) key, 0) : value;
    }

    @Override
    public Outcome write(Kind kind, Object key, Object[] value) {
        if (kind == Kind.INCREMENT) {
            increments.increment();
        } else if (kind != Kind.LOAD) {
            boolean mustExist = kind != Kind.INSERT;
            boolean[] isDone = {false};
            written.compute((Long) key, (row, old) -> {
                isDone[0] = mustExist == (old == null ? row < rows : old != DELETED);
                return !isDone[0] ? old : value == null ? DELETED : value;
            });
            end.accumulateAndGet((Long) key + 1, Math::max);
            return isDone[0] ? Outcome.DONE : mustExist ? Outcome.MISSING : Outcome.EXISTS;
        }
        return Outcome.DONE;
    }

    /** Scans are in any order: they go down from the newest row too. */
    @Override
    public void give(Kind kind, long low, long high, Sink sink) {
        long most = kind == Kind.SCAN ? Long.MAX_VALUE : high;
        for (long row = end.get() - 1; row >= 0 && most > 0; row--) {
            Object[] value = read(row);
            if (value != null) {
                sink.take(row, value);
                most--;
            }
        }
    }

    @Override
    public Object[][] readMany(Kind kind, Object[] keys) {
        return Stream.of(keys).map(this::read).toArray(Object[][]::new);
    }

    @Override
    public void close(boolean lost) {}

    @Override
    public void close() {}
}

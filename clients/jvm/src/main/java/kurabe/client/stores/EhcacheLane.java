package kurabe.client.stores;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import kurabe.client.Lane;
import kurabe.client.Row;
import kurabe.client.RowSink;
import kurabe.client.StoreException;
import kurabe.client.Written;
import org.ehcache.Cache;

/** One worker at the caches; they are shared by all. There are no transactions, and a commit is nothing. */
final class EhcacheLane implements Lane {
    private final Cache<Object, byte[]> rows;
    private final Cache<Long, Long> counters;
    private long retries;

    EhcacheLane(Cache<Object, byte[]> rows, Cache<Long, Long> counters) {
        this.rows = rows;
        this.counters = counters;
    }

    /** A call of the library, whose errors are unchecked. */
    private interface Call<T> {
        T call();
    }

    private static <T> T told(Call<T> call) throws StoreException {
        try {
            return call.call();
        } catch (RuntimeException error) {
            throw Ehcache.failed(error);
        }
    }

    /** The heap tier gives out its own array; a program that keeps a value has to copy it. */
    private static Object[] copy(byte[] value) {
        return value == null ? null : new Object[] {value.clone()};
    }

    @Override
    public void load(Row row) throws StoreException {
        told(() -> {
            rows.put(row.key(), row.raw());
            return null;
        });
    }

    @Override
    public Written insert(Row row) throws StoreException {
        return told(() -> rows.putIfAbsent(row.key(), row.raw())) == null ? Written.DONE : Written.EXISTS;
    }

    @Override
    public Object[] read(Object key) throws StoreException {
        return copy(told(() -> rows.get(key)));
    }

    @Override
    public Written update(Row row) throws StoreException {
        return told(() -> rows.replace(row.key(), row.raw())) == null ? Written.MISSING : Written.DONE;
    }

    /** A removal does not tell whether there was something, so it is looked for first. */
    @Override
    public Written delete(Object key) throws StoreException {
        return told(() -> {
            if (!rows.containsKey(key)) {
                return Written.MISSING;
            }
            rows.remove(key);
            return Written.DONE;
        });
    }

    @Override
    public void commit() {}

    @Override
    public void scan(RowSink sink) throws StoreException {
        told(() -> {
            for (Cache.Entry<Object, byte[]> entry : rows) {
                sink.take(entry.getKey(), copy(entry.getValue()));
            }
            return null;
        });
    }

    @Override
    public Object[][] multiRead(List<Object> keys) throws StoreException {
        Map<Object, byte[]> found = told(() -> rows.getAll(new HashSet<>(keys)));
        return keys.stream().map(key -> copy(found.get(key))).toArray(Object[][]::new);
    }

    /** By compare and set; one that another connection was faster than is tried again. */
    @Override
    public void increment(long counter) throws StoreException {
        while (!told(() -> incremented(counter))) {
            retries++;
        }
    }

    private boolean incremented(long counter) {
        Long before = counters.get(counter);
        return before == null ? counters.putIfAbsent(counter, 1L) == null : counters.replace(counter, before, before + 1);
    }

    @Override
    public void loadMany(List<Row> several) throws StoreException {
        Map<Object, byte[]> all = new HashMap<>(2 * several.size());
        several.forEach(row -> all.put(row.key(), row.raw()));
        told(() -> {
            rows.putAll(all);
            return null;
        });
    }

    @Override
    public long retries() {
        return retries;
    }

    @Override
    public void close() {}
}

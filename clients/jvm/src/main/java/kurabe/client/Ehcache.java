package kurabe.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Phase;
import kurabe.client.Tape.Outcome;
import org.ehcache.Cache;
import org.ehcache.CachePersistenceException;
import org.ehcache.PersistentCacheManager;
import org.ehcache.config.CacheConfiguration;
import org.ehcache.config.ResourceType;
import org.ehcache.config.SizedResourcePool;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.config.units.EntryUnit;
import org.ehcache.config.units.MemoryUnit;
import org.ehcache.core.statistics.CacheStatistics;
import org.ehcache.core.internal.statistics.DefaultStatisticsService;

/** Ehcache with a heap tier, one off the heap where it is set, and a persistent disk tier: a cache of rows and one of counters. */
final class Ehcache extends Store {
    /** Where the library says which one it is. */
    private static final String VERSION = "/META-INF/maven/org.ehcache.modules/ehcache-core/pom.properties";
    private static final String DISK_MB = "disk_mb";
    private static final String HEAP_ENTRIES = "heap_entries";
    private static final String OFF_HEAP_MB = "offheap_mb";
    private static final long COUNTERS_MB = 64;
    /** A value is at most this part of the disk tier, whose 16 segments hold 20 of them each: one more must not push others out. */
    private static final long LARGEST_PART = 320;
    private static final long MOST_VALUE_BYTES = 16 << 20;

    private final long diskMb;
    private final long heapEntries;
    /** 0 for no tier between heap and disk. */
    private final long offHeapMb;
    private final DefaultStatisticsService statistics = new DefaultStatisticsService();
    private final PersistentCacheManager manager;

    /** Opens the folder of a job. */
    Ehcache(Job job) throws StoreException {
        super(job, false, Set.of(DISK_MB, HEAP_ENTRIES, OFF_HEAP_MB));
        // With less a segment has hardly room for the rows of the usual studies.
        diskMb = job.number(DISK_MB, 16_384, 64);
        heapEntries = job.number(HEAP_ENTRIES, 1000, 1);
        offHeapMb = job.number(OFF_HEAP_MB, 0, 0);
        try {
            manager = CacheManagerBuilder.newCacheManagerBuilder().using(statistics)
                    .with(CacheManagerBuilder.persistence(job.folder().resolve("data").toFile())).build(true);
        } catch (RuntimeException error) {
            throw failed(error);
        }
    }

    /** The store's own words. */
    private static StoreException failed(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        if (root == error) {
            return StoreException.failed(error.getMessage() == null ? error.toString() : error.getMessage());
        }
        return StoreException.failed(error.getMessage() + ": " + root.getMessage());
    }

    @Override
    public Map<String, String> libraries() throws StoreException {
        return Map.of("ehcache", Stores.expect("ehcache", Stores.property(VERSION, "version")));
    }

    @Override
    public Map<String, Object> capabilities() {
        return Map.of(
                "operations", List.of("load", "insert", "read", "update", "delete", "scan", "multi-read", "increment"),
                "load_paths", List.of("row", "batch"),
                "max_value_bytes", Math.min(diskMb * (1 << 20) / LARGEST_PART, MOST_VALUE_BYTES));
    }

    @Override
    public void ping() throws StoreException {
        rows();
    }

    @Override
    public Map<String, String> info() throws StoreException {
        return Map.of("version", libraries().get("ehcache"));
    }

    private String countersName() {
        return job.namespace() + "_counters";
    }

    private <K, V> CacheConfiguration<K, V> configuration(Class<K> key, Class<V> value, long diskMb, long offHeapMb) {
        ResourcePoolsBuilder pools = ResourcePoolsBuilder.newResourcePoolsBuilder().heap(heapEntries, EntryUnit.ENTRIES);
        ResourcePoolsBuilder tiers = offHeapMb == 0 ? pools : pools.offheap(offHeapMb, MemoryUnit.MB);
        return CacheConfigurationBuilder.newCacheConfigurationBuilder(key, value, tiers.disk(diskMb, MemoryUnit.MB, true))
                .build();
    }

    private synchronized <K, V> Cache<K, V> cache(String name, Class<K> key, Class<V> value, long diskMb, long offHeapMb)
            throws StoreException {
        try {
            Cache<K, V> cache = manager.getCache(name, key, value);
            return cache != null ? cache : manager.createCache(name, configuration(key, value, diskMb, offHeapMb));
        } catch (RuntimeException error) {
            throw failed(error);
        }
    }

    /** The cache of rows, whose keys are of the one type or the other. */
    @SuppressWarnings("unchecked")
    private Cache<Object, byte[]> rows() throws StoreException {
        Class<?> key = job.hasTextKey() ? String.class : Long.class;
        return (Cache<Object, byte[]>) cache(job.namespace(), key, byte[].class, diskMb, offHeapMb);
    }

    private Cache<Long, Long> counters() throws StoreException {
        return cache(countersName(), Long.class, Long.class, COUNTERS_MB, 0);
    }

    /** What the open caches say about themselves. */
    @Override
    public Map<String, String> settings() throws StoreException {
        var pools = rows().getRuntimeConfiguration().getResourcePools();
        SizedResourcePool disk = pools.getPoolForResource(ResourceType.Core.DISK);
        SizedResourcePool heap = pools.getPoolForResource(ResourceType.Core.HEAP);
        Map<String, String> settings = new TreeMap<>();
        settings.put(DISK_MB, "" + MemoryUnit.MB.convert(disk.getSize(), (MemoryUnit) disk.getUnit()));
        settings.put(HEAP_ENTRIES, "" + heap.getSize());
        SizedResourcePool offHeap = pools.getPoolForResource(ResourceType.Core.OFFHEAP);
        settings.put(OFF_HEAP_MB, "" + (offHeap == null ? 0
                : MemoryUnit.MB.convert(offHeap.getSize(), (MemoryUnit) offHeap.getUnit())));
        settings.put("persistent", "" + disk.isPersistent());
        return settings;
    }

    @Override
    public void create() throws StoreException {
        reset();
        rows();
        counters();
    }

    @Override
    public synchronized void reset() throws StoreException {
        try {
            for (String name : List.of(job.namespace(), countersName())) {
                manager.removeCache(name);
                manager.destroyCache(name);
            }
        } catch (CachePersistenceException | RuntimeException error) {
            throw failed(error);
        }
    }

    private CacheStatistics about(String name) {
        return statistics.getCacheStatistics(name);
    }

    /** By going over all of them. Fails where entries were thrown away, as a store that is full should have done. */
    @Override
    public long count() throws StoreException {
        long rows = 0;
        for (Cache.Entry<Object, byte[]> ignored : rows()) {
            rows++;
        }
        long evicted = about(job.namespace()).getTierStatistics().get("Disk").getEvictions();
        if (evicted > 0) {
            throw StoreException.failed("Ehcache threw " + evicted + " entries away for want of room, and " + rows
                    + " are left; give it more with disk_mb, which is " + diskMb);
        }
        return rows;
    }

    /** What the entries occupy in the disk tier. */
    @Override
    public long sizeBytes() throws StoreException {
        rows();
        return about(job.namespace()).getTierStatistics().get("Disk").getOccupiedByteSize();
    }

    @Override
    public long sum() throws StoreException {
        long sum = 0;
        for (Cache.Entry<Long, Long> counter : counters()) {
            sum += counter.getValue();
        }
        return sum;
    }

    @Override
    public Lane connect(Phase phase) throws StoreException {
        return new EhcacheLane(rows(), counters());
    }

    @Override
    public void close() throws StoreException {
        try {
            manager.close();
        } catch (RuntimeException error) {
            throw failed(error);
        }
    }

    /** Calls the library, whose errors are unchecked. */
    private static <T> T told(Supplier<T> call) throws StoreException {
        try {
            return call.get();
        } catch (RuntimeException error) {
            throw failed(error);
        }
    }

    /** One worker at the caches; they are shared by all. There are no transactions, and a commit is nothing. */
    private static final class EhcacheLane implements Lane {
        private final Cache<Object, byte[]> rows;
        private final Cache<Long, Long> counters;
        private long retries;

        EhcacheLane(Cache<Object, byte[]> rows, Cache<Long, Long> counters) {
            this.rows = rows;
            this.counters = counters;
        }

        /** The heap tier gives out its own array; a program that keeps a value has to copy it. */
        private static Object[] copy(byte[] value) {
            return value == null ? null : new Object[] {value.clone()};
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) throws StoreException {
            byte[] raw = value == null ? null : (byte[]) value[0];
            return told(() -> switch (kind) {
                case INSERT -> rows.putIfAbsent(key, raw) == null ? Outcome.DONE : Outcome.EXISTS;
                case UPDATE -> rows.replace(key, raw) == null ? Outcome.MISSING : Outcome.DONE;
                case DELETE -> delete(key);
                case INCREMENT -> increment((Long) key);
                default -> {
                    rows.put(key, raw);
                    yield Outcome.DONE;
                }
            });
        }

        /** A removal does not tell whether there was something, so it is looked for first. */
        private Outcome delete(Object key) {
            if (!rows.containsKey(key)) {
                return Outcome.MISSING;
            }
            rows.remove(key);
            return Outcome.DONE;
        }

        /** By compare and set; one that another connection was faster than is tried again. */
        private Outcome increment(Long counter) {
            Long before = counters.get(counter);
            while (before == null ? counters.putIfAbsent(counter, 1L) != null : !counters.replace(counter, before, before + 1)) {
                retries++;
                before = counters.get(counter);
            }
            return Outcome.DONE;
        }

        @Override
        public void loadMany(Object[] keys, Object[][] values) throws StoreException {
            Map<Object, byte[]> all = new HashMap<>(2 * keys.length);
            for (int at = 0; at < keys.length; at++) {
                all.put(keys[at], (byte[]) values[at][0]);
            }
            told(() -> {
                rows.putAll(all);
                return null;
            });
        }

        @Override
        public Object[] read(Object key) throws StoreException {
            return copy(told(() -> rows.get(key)));
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) throws StoreException {
            Map<Object, byte[]> found = told(() -> rows.getAll(Set.of(keys)));
            return Stream.of(keys).map(key -> copy(found.get(key))).toArray(Object[][]::new);
        }

        @Override
        public void give(Kind kind, long low, long high, Sink sink) throws StoreException {
            told(() -> {
                rows.forEach(entry -> sink.take(entry.getKey(), copy(entry.getValue())));
                return null;
            });
        }

        @Override
        public long retries() {
            return retries;
        }

        @Override
        public void close(boolean lost) {}
    }
}

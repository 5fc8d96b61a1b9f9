package kurabe.client;

import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import kurabe.client.Job.*;
import org.ehcache.Cache;
import org.ehcache.CachePersistenceException;
import org.ehcache.PersistentCacheManager;
import org.ehcache.config.ResourceType;
import org.ehcache.config.SizedResourcePool;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.config.units.EntryUnit;
import org.ehcache.config.units.MemoryUnit;
import org.ehcache.core.internal.statistics.DefaultStatisticsService;
import org.ehcache.core.statistics.CacheStatistics;

/**
 * Ehcache with a heap tier, one off the heap where it is set, and a persistent disk tier: a cache of rows and one of
 * counters.
 */
final class Ehcache extends Store {
    /** Where the library says which one it is. */
    private static final String VERSION = "/META-INF/maven/org.ehcache.modules/ehcache-core/pom.properties";
    private static final String DISK_MB = "disk_mb";
    private static final String HEAP_ENTRIES = "heap_entries";
    private static final String OFF_HEAP_MB = "offheap_mb";
    private static final long COUNTERS_MB = 64;
    /**
     * A value is at most this part of the disk tier, whose 16 segments hold 20 of them each: one more must not push
     * others out.
     */
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
        libraries.put("ehcache", expect("ehcache", property(VERSION, "version")));
        operations.removeAll(Set.of(Kind.LATEST, Kind.SEARCH, Kind.OPEN));
        capabilities.put("load_paths", List.of("row", "batch"));
        capabilities.put("max_value_bytes", Math.min(diskMb * (1 << 20) / LARGEST_PART, MOST_VALUE_BYTES));
        Path data = job.folder().resolve("data");
        manager = told(() -> CacheManagerBuilder.newCacheManagerBuilder().using(statistics)
                .with(CacheManagerBuilder.persistence(data.toFile())).build(true));
    }

    /** With what is at the bottom of it. */
    @Override
    StoreException translate(Exception error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String words = error.getMessage() == null ? error.toString() : error.getMessage();
        return StoreException.failed(root == error ? words : words + ": " + root.getMessage());
    }

    @Override
    void ping() {
        rows();
    }

    @Override
    Map<String, String> info() {
        return Map.of("version", libraries.get("ehcache"));
    }

    private String countersName() {
        return job.namespace() + "_counters";
    }

    private synchronized <K, V> Cache<K, V> cache(
            String name, Class<K> key, Class<V> value, long diskMb, long offHeapMb) {
        Cache<K, V> cache = manager.getCache(name, key, value);
        if (cache != null) {
            return cache;
        }
        ResourcePoolsBuilder pools = ResourcePoolsBuilder.newResourcePoolsBuilder()
                .heap(heapEntries, EntryUnit.ENTRIES).disk(diskMb, MemoryUnit.MB, true);
        return manager.createCache(name, CacheConfigurationBuilder.newCacheConfigurationBuilder(
                key, value, offHeapMb == 0 ? pools : pools.offheap(offHeapMb, MemoryUnit.MB)));
    }

    /** The cache of rows, whose keys are of the one type or the other. */
    @SuppressWarnings("unchecked")
    private Cache<Object, byte[]> rows() {
        Class<?> key = job.hasTextKey() ? String.class : Long.class;
        return (Cache<Object, byte[]>) cache(job.namespace(), key, byte[].class, diskMb, offHeapMb);
    }

    private Cache<Long, Long> counters() {
        return cache(countersName(), Long.class, Long.class, COUNTERS_MB, 0);
    }

    /** What the open caches say about themselves. */
    @Override
    Map<String, String> settings() {
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
    void create() throws CachePersistenceException {
        reset();
        rows();
        counters();
    }

    @Override
    synchronized void reset() throws CachePersistenceException {
        for (String name : List.of(job.namespace(), countersName())) {
            manager.removeCache(name);
            manager.destroyCache(name);
        }
    }

    private CacheStatistics about(String name) {
        return statistics.getCacheStatistics(name);
    }

    /** By going over all of them. Fails where entries were thrown away, as a store that is full should have done. */
    @Override
    long count() throws StoreException {
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
    long sizeBytes() {
        rows();
        return about(job.namespace()).getTierStatistics().get("Disk").getOccupiedByteSize();
    }

    @Override
    long sum() {
        long sum = 0;
        for (Cache.Entry<Long, Long> counter : counters()) {
            sum += counter.getValue();
        }
        return sum;
    }

    @Override
    Lane connect(Phase phase) {
        return new EhcacheLane(rows(), counters(), new AtomicLong());
    }

    @Override
    void shutdown() {
        manager.close();
    }

    /** One worker at the caches; they are shared by all. There are no transactions, and a commit is nothing. */
    private record EhcacheLane(Cache<Object, byte[]> rows, Cache<Long, Long> counters, AtomicLong repeated)
            implements Lane {
        /** The heap tier gives out its own array; a program that keeps a value has to copy it. */
        private static Object[] copy(byte[] value) {
            return value == null ? null : new Object[] {value.clone()};
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) {
            return switch (kind) {
                case INSERT -> rows.putIfAbsent(key, (byte[]) value[0]) == null ? Outcome.DONE : Outcome.EXISTS;
                case UPDATE -> rows.replace(key, (byte[]) value[0]) == null ? Outcome.MISSING : Outcome.DONE;
                case DELETE -> delete(key);
                case INCREMENT -> increment((Long) key);
                default -> {
                    rows.put(key, (byte[]) value[0]);
                    yield Outcome.DONE;
                }
            };
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
            while (before == null ? counters.putIfAbsent(counter, 1L) != null
                    : !counters.replace(counter, before, before + 1)) {
                repeated.incrementAndGet();
                before = counters.get(counter);
            }
            return Outcome.DONE;
        }

        @Override
        public void loadMany(Object[] keys, Object[][] values) {
            Map<Object, byte[]> all = new HashMap<>(2 * keys.length);
            for (int at = 0; at < keys.length; at++) {
                all.put(keys[at], (byte[]) values[at][0]);
            }
            rows.putAll(all);
        }

        @Override
        public Object[] read(Object key) {
            return copy(rows.get(key));
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) {
            Map<Object, byte[]> found = rows.getAll(Set.of(keys));
            return Stream.of(keys).map(key -> copy(found.get(key))).toArray(Object[][]::new);
        }

        @Override
        public void give(Kind kind, long low, long high, Sink sink) {
            rows.forEach(entry -> sink.take(entry.getKey(), copy(entry.getValue())));
        }

        @Override
        public long retries() {
            return repeated.get();
        }
    }
}

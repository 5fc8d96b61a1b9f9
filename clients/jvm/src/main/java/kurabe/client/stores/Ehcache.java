package kurabe.client.stores;

import java.io.IOException;
import java.io.InputStream;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import kurabe.client.Capabilities;
import kurabe.client.Job;
import kurabe.client.Kind;
import kurabe.client.Lane;
import kurabe.client.Layout;
import kurabe.client.Phase;
import kurabe.client.Refused;
import kurabe.client.Store;
import kurabe.client.StoreException;
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
public final class Ehcache implements Store {
    /** Where the library says which one it is. */
    private static final String VERSION = "/META-INF/maven/org.ehcache.modules/ehcache-core/pom.properties";
    private static final String DISK_MB = "disk_mb";
    private static final String HEAP_ENTRIES = "heap_entries";
    private static final String OFF_HEAP_MB = "offheap_mb";
    private static final long COUNTERS_MB = 64;
    /** A value is at most this part of the disk tier, whose 16 segments hold 20 of them each: one more must not push others out. */
    private static final long LARGEST_PART = 320;
    private static final long MOST_VALUE_BYTES = 16 << 20;

    private final Job job;
    private final Layout layout;
    private final long diskMb;
    private final long heapEntries;
    /** 0 for no tier between heap and disk. */
    private final long offHeapMb;
    private final DefaultStatisticsService statistics = new DefaultStatisticsService();
    private final PersistentCacheManager manager;

    /** Opens the folder of a job. */
    public Ehcache(Job job, Layout layout) throws Refused, StoreException {
        this.job = job;
        this.layout = layout;
        Set<String> known = Set.of(DISK_MB, HEAP_ENTRIES, OFF_HEAP_MB);
        for (String setting : job.settings().keySet()) {
            if (!known.contains(setting)) {
                throw new Refused("setting '" + setting + "' is not known to store 'ehcache' of the JVM client; it takes "
                        + String.join(", ", known.stream().sorted().toList()));
            }
        }
        // With less a segment has hardly room for the rows of the usual studies.
        diskMb = number(DISK_MB, "16384", 64);
        heapEntries = number(HEAP_ENTRIES, "1000", 1);
        offHeapMb = number(OFF_HEAP_MB, "0", 0);
        if (job.dir() == null) {
            throw new Refused("store 'ehcache' needs a folder: the job has no 'dir'");
        }
        try {
            manager = CacheManagerBuilder.newCacheManagerBuilder().using(statistics)
                    .with(CacheManagerBuilder.persistence(job.dir().resolve("data").toFile())).build(true);
        } catch (RuntimeException error) {
            throw failed(error);
        }
    }

    private long number(String setting, String otherwise, long least) throws Refused {
        String value = job.setting(setting, otherwise);
        if (!value.matches("[0-9]{1,9}") || Long.parseLong(value) < least) {
            throw new Refused("setting '" + setting + "' = '" + value + "' is no number from " + least + " to 999999999");
        }
        return Long.parseLong(value);
    }

    /** The store's own words. */
    static StoreException failed(Throwable error) {
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
        Properties told = new Properties();
        try (InputStream file = Ehcache.class.getResourceAsStream(VERSION)) {
            told.load(file);
        } catch (IOException | NullPointerException error) {
            throw StoreException.failed("the library of ehcache does not tell its version; build the client anew");
        }
        Versions.expect("ehcache", told.getProperty("version", ""));
        return Map.of("ehcache", told.getProperty("version"));
    }

    @Override
    public Capabilities capabilities() {
        long largest = Math.min(diskMb * (1 << 20) / LARGEST_PART, MOST_VALUE_BYTES);
        return new Capabilities(
                EnumSet.of(Kind.LOAD, Kind.INSERT, Kind.READ, Kind.UPDATE, Kind.DELETE, Kind.SCAN, Kind.MULTI_READ,
                        Kind.INCREMENT),
                Capabilities.ALL_KEYS, true, List.of("row", "batch"), List.of("each"), false, 1024, largest, true);
    }

    @Override
    public boolean raw() {
        return true;
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
    Cache<Object, byte[]> rows() throws StoreException {
        Class<?> key = layout.textKey() ? String.class : Long.class;
        return (Cache<Object, byte[]>) cache(job.namespace(), key, byte[].class, diskMb, offHeapMb);
    }

    Cache<Long, Long> counters() throws StoreException {
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
}

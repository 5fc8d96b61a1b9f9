package kurabe.client;

import com.google.gson.JsonObject;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.stream.Collectors;

/** What the virtual machine did during a phase: pauses for garbage, heap. */
final class RuntimeMeter {
    private final long pauses;
    private final long pauseNs;

    /** Starts to measure. */
    RuntimeMeter() {
        heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
        pauses = collections();
        pauseNs = collectionNs();
    }

    /** What happened since the start. */
    JsonObject told(long compilerWarmupNs) {
        JsonObject runtime = new JsonObject();
        runtime.addProperty("version", 1);
        runtime.addProperty("name", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        runtime.addProperty("collector", collectors().stream().map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining(", ")));
        runtime.addProperty("gc_pauses", collections() - pauses);
        runtime.addProperty("gc_pause_ns", collectionNs() - pauseNs);
        runtime.addProperty("heap_peak_bytes", heapPools().stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum());
        runtime.addProperty("heap_max_bytes", Runtime.getRuntime().maxMemory());
        runtime.addProperty("compiler_warmup_ns", compilerWarmupNs);
        return runtime;
    }

    private static List<GarbageCollectorMXBean> collectors() {
        return ManagementFactory.getGarbageCollectorMXBeans();
    }

    private static long collections() {
        return collectors().stream().mapToLong(bean -> Math.max(bean.getCollectionCount(), 0)).sum();
    }

    /** The virtual machine tells it in whole ms. */
    private static long collectionNs() {
        return collectors().stream().mapToLong(bean -> Math.max(bean.getCollectionTime(), 0)).sum() * 1_000_000;
    }

    private static List<MemoryPoolMXBean> heapPools() {
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP).toList();
    }
}

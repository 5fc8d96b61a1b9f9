package kurabe.client;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What the process and its virtual machine did during a phase: processor time, pauses for garbage, heap. */
final class RuntimeMeter {
    /** Clock ticks a second of /proc, fixed on Linux. */
    private static final long TICK_NS = 10_000_000;

    private final long userNs;
    private final long systemNs;
    private final long pauses;
    private final long pauseNs;

    /** Starts to measure. */
    RuntimeMeter() {
        long[] cpu = cpu();
        userNs = cpu[0];
        systemNs = cpu[1];
        heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
        pauses = collections();
        pauseNs = collectionNs();
    }

    /** Puts what happened since the start into a result. */
    void tell(JsonObject result, long jitWarmupNs) {
        JsonObject runtime = new JsonObject();
        runtime.addProperty("version", 1);
        runtime.addProperty("name", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        runtime.addProperty("collector", collectors().stream().map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining(", ")));
        runtime.addProperty("gc_pauses", collections() - pauses);
        runtime.addProperty("gc_pause_ns", collectionNs() - pauseNs);
        runtime.addProperty("heap_peak_bytes", heapPools().stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum());
        runtime.addProperty("heap_max_bytes", Runtime.getRuntime().maxMemory());
        runtime.addProperty("compiler_warmup_ns", jitWarmupNs);
        long[] cpu = cpu();
        result.addProperty("cpu_user_ns", cpu[0] - userNs);
        result.addProperty("cpu_system_ns", cpu[1] - systemNs);
        result.add("runtime", runtime);
    }

    /** User and system time of the process, to the tick of 10 ms; fields 14 and 15 of /proc/self/stat. */
    private static long[] cpu() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return new long[] {Long.parseLong(fields[11]) * TICK_NS, Long.parseLong(fields[12]) * TICK_NS};
        } catch (IOException error) {
            return new long[2];
        }
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

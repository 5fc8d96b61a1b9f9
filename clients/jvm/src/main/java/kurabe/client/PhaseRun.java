package kurabe.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One phase: its workers on threads of their own, the gate that starts them together, the merged result. */
final class PhaseRun {
    /** What keeps a phase from taking place. */
    static final class Broken extends Exception {
        private static final long serialVersionUID = 1;

        Broken(String message) {
            super(message);
        }
    }

    private final Store store;
    private final PhaseContext context;
    private final List<Part> parts = new ArrayList<>();
    private final CountDownLatch arrived;
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch finished;
    private volatile boolean takesPlace;

    /** A worker's thread and what came of it. */
    private final class Part extends Thread {
        private final Worker worker;
        private BlockingLoop.StoppedBy stoppedBy = BlockingLoop.StoppedBy.ABORT;
        private Throwable broken;
        private boolean waits = true;

        Part(int index) {
            super("worker-" + index);
            worker = new Worker(context, index);
            setDaemon(true);
        }

        @Override
        public void run() {
            try (Lane lane = store.connect(context.phase)) {
                work(lane);
            } catch (StoreException | RuntimeException | Error error) {
                broken = error;
            }
            if (waits) {
                arrived.countDown();
            }
            finished.countDown();
        }

        private void work(Lane lane) {
            Phase phase = context.phase;
            BlockingLoop loop = new BlockingLoop(store, worker, lane);
            if (phase.warmupCount() >= 0 || phase.warmupNs() >= 0) {
                loop.work(BlockingLoop.Limit.of(0, phase.warmupCount(), phase.warmupNs()));
            }
            worker.beginMeasuring();
            long retries = lane.retries();
            waits = false;
            arrived.countDown();
            await(gate);
            if (takesPlace) {
                worker.series = new Series(System.nanoTime());
                stoppedBy = loop.work(BlockingLoop.Limit.of(worker.base(), phase.count(), phase.durationNs()));
                worker.retries = lane.retries() - retries;
            }
        }
    }

    PhaseRun(Store store, PhaseContext context) {
        this.store = store;
        this.context = context;
        int workers = context.phase.connections();
        arrived = new CountDownLatch(workers);
        finished = new CountDownLatch(workers);
        for (int index = 0; index < workers; index++) {
            parts.add(new Part(index));
        }
    }

    /** Connects, warms up, and waits until all have. */
    void prepare() throws Broken {
        parts.forEach(Thread::start);
        await(arrived);
        for (Part part : parts) {
            if (part.waits) {
                leave();
                throw new Broken(words(part.broken));
            }
        }
    }

    /** Sends all away: the phase does not take place. */
    void leave() {
        gate.countDown();
        await(finished);
    }

    /** Lets all start; {@code pulse} is called twice a second until they are done. */
    JsonObject go(Runnable pulse, long jitWarmupNs) throws Broken {
        RuntimeMeter meter = new RuntimeMeter();
        long encodedBefore = store.encodingNs();
        takesPlace = true;
        gate.countDown();
        try {
            while (!finished.await(500, TimeUnit.MILLISECONDS)) {
                pulse.run();
            }
        } catch (InterruptedException error) {
            throw new Broken("interrupted");
        }
        for (Part part : parts) {
            if (part.broken != null) {
                throw new Broken(words(part.broken));
            }
        }
        JsonObject result = result();
        if (encodedBefore >= 0) {
            result.addProperty("encoding_ns", store.encodingNs() - encodedBefore);
        }
        meter.tell(result, jitWarmupNs);
        return result;
    }

    private static String words(Throwable broken) {
        if (broken instanceof StoreException) {
            return broken.getMessage();
        }
        broken.printStackTrace();
        return "a worker failed: " + broken;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException error) {
            throw new IllegalStateException("interrupted", error);
        }
    }

    private JsonObject result() {
        JsonObject told = new JsonObject();
        told.addProperty("phase", context.phase.name());
        JsonArray workers = new JsonArray();
        Findings findings = new Findings();
        TreeMap<Kind, Latencies> latency = new TreeMap<>();
        BlockingLoop.StoppedBy stoppedBy = BlockingLoop.StoppedBy.COUNT;
        long retries = 0;
        long rowsRead = 0;
        for (Part part : parts) {
            Worker worker = part.worker;
            workers.add(workerTold(worker));
            findings.merge(worker.findings);
            worker.latency.forEach((kind, one) -> latency.computeIfAbsent(kind, k -> new Latencies()).merge(one));
            stoppedBy = part.stoppedBy.compareTo(stoppedBy) > 0 ? part.stoppedBy : stoppedBy;
            retries += worker.retries;
            rowsRead += worker.rowsRead;
        }
        told.add("workers", workers);
        JsonArray latencies = new JsonArray();
        latency.forEach((kind, one) -> latencies.add(one.told(kind)));
        told.add("latency", latencies);
        JsonArray failures = failures();
        told.add("failures", failures);
        told.add("checks", findings.told());
        told.addProperty("retries", retries);
        told.addProperty("rows_read", rowsRead);
        told.add("series", Series.merged(parts.stream().map(part -> part.worker.series).toList()));
        told.addProperty("threads", parts.size());
        told.addProperty("rows_present", context.ledger.surelyPresent());
        told.addProperty("rows_unknown", context.ledger.unknown());
        if (context.phase.does(Kind.INCREMENT)) {
            JsonObject increments = new JsonObject();
            increments.addProperty("acknowledged", parts.stream().mapToLong(p -> p.worker.incrementsAcknowledged).sum());
            increments.addProperty("unknown", parts.stream().mapToLong(p -> p.worker.incrementsUnknown).sum());
            told.add("increments", increments);
        }
        told.addProperty("stopped_by", stoppedBy.name().toLowerCase(java.util.Locale.ROOT));
        if (stoppedBy == BlockingLoop.StoppedBy.FAILURES && !failures.isEmpty()) {
            told.addProperty("message", "gave up: " + failures.get(0).getAsJsonObject().get("message").getAsString());
        }
        return told;
    }

    private static JsonObject workerTold(Worker worker) {
        JsonObject told = new JsonObject();
        told.addProperty("worker", worker.index);
        told.addProperty("operations", worker.operations);
        told.addProperty("failed", worker.failed);
        told.addProperty("first_start_ns", worker.firstStartNs);
        told.addProperty("last_end_ns", worker.lastEndNs);
        return told;
    }

    private JsonArray failures() {
        TreeMap<String, JsonObject> merged = new TreeMap<>();
        for (Part part : parts) {
            part.worker.failures.forEach((failure, count) -> {
                JsonObject told = merged.computeIfAbsent(failure.kind() + failure.message(), key -> new JsonObject());
                long before = told.has("count") ? told.get("count").getAsLong() : 0;
                told.addProperty("operation", failure.kind().word());
                told.addProperty("message", failure.message());
                told.addProperty("count", before + count);
            });
        }
        JsonArray failures = new JsonArray();
        merged.values().forEach(failures::add);
        return failures;
    }
}

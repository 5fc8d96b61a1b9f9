package kurabe.client;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.*;
import java.lang.management.*;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import kurabe.client.Job.*;
import kurabe.client.Main.*;
import kurabe.client.Store.*;
import kurabe.client.Values.Encoding;
import kurabe.client.Worker.*;

/** One job: what its lines say is done. */
final class Session {
    private final Lines lines;
    private final Job job;
    private final Store store;
    private final Encoding encoding;
    private final Values values;
    private final CompilerWarmup warmup;
    private final int rowBytes;
    /** The phase that is prepared, or null. */
    private Crew crew;
    private long warmedNs;

    /** Opens the store of the first line and says hello. */
    Session(Lines lines, JsonObject first) throws Gone, StoreException {
        this.lines = lines;
        String version = String.valueOf(first.get("kurabe"));
        if (!first.has("job") || !version.equals("2")) {
            throw StoreException.failed("version " + version
                    + " of the protocol is not spoken here, only 2; 'kurabe run' starts this client");
        }
        job = Job.of(first.getAsJsonObject("job"));
        Secrets.hide(job.url());
        warmup = new CompilerWarmup(job.number("jvm_warmup_ms", 0, 0) * 1_000_000);
        // They were used when the virtual machine was started; heap_max_bytes of a result tells what came of the heap.
        job.settings().keySet().removeAll(List.of("jvm_heap", "jvm_options", "jvm_warmup_ms"));
        store = Store.open(job);
        encoding = store.keepsColumns ? Encoding.RAW : Encoding.of(job);
        values = Values.of(job, !store.keepsColumns && encoding == Encoding.RAW);
        rowBytes = Values.rawBytes(job.schema());
        lines.say(hello());
    }

    private JsonObject hello() throws StoreException {
        Map<String, String> libraries = new TreeMap<>(store.libraries);
        libraries.put("java", System.getProperty("java.runtime.version"));
        libraries.putAll(encoding.libraries());
        Map<String, Object> capabilities = new TreeMap<>(store.capabilities);
        capabilities.put("operations", Kind.words(store.operations));
        capabilities.put("keeps_columns", store.keepsColumns);
        capabilities.put("schedules", true);
        capabilities.putIfAbsent("encodings", store.keepsColumns ? List.of("raw") : Encoding.known());
        encoding.limit(capabilities, job.schema());
        return Lines.line("hello",
                Map.of("client", "jvm", "version", "0.1.0", "libraries", libraries, "capabilities", capabilities));
    }

    /** Does what a line says; false after {@code stop}. */
    boolean hear(JsonObject line) throws Exception {
        if (line.has("call")) {
            lines.say(answer(line.get("call").getAsString(), line.get("id").getAsLong()));
        } else if (line.has("prepare")) {
            leave();
            prepare(Phase.of(line.getAsJsonObject("prepare")));
        } else if (line.has("go")) {
            go(line.get("go").getAsString());
        } else if (line.has("skip")) {
            leave();
        } else if (line.has("stop")) {
            leave();
            store.close();
            lines.say(Lines.line("end", true));
            return false;
        }
        return true;
    }

    private void prepare(Phase phase) throws Exception {
        warmedNs = warmup.run(phase);
        crew = new Crew(phase);
        crew.prepare();
        // Garbage of what came before must not be collected in the time of this phase.
        System.gc();
        lines.say(Lines.line("ready", phase.name()));
    }

    private void go(String name) throws Exception {
        if (crew == null) {
            throw StoreException.failed("phase '" + name + "' is not prepared");
        }
        RuntimeMeter meter = RuntimeMeter.start();
        long encodedNs = encoding.spentNs();
        long retries = crew.retries();
        crew.go();
        JsonObject result = Lines.line("result", name);
        result.addProperty("retries", crew.retries() - retries);
        if (encoding != Encoding.RAW) {
            result.addProperty("encoding_ns", encoding.spentNs() - encodedNs);
        }
        result.add("runtime", meter.told(warmedNs));
        crew = null;
        if (lines.isGone()) {
            throw new Gone();
        }
        lines.say(result);
    }

    /** Sends the workers of a phase that does not take place away. */
    private void leave() throws InterruptedException {
        if (crew != null) {
            Crew left = crew;
            crew = null;
            left.leave();
        }
    }

    /** Closes the store without a word, where the job ended before its time. */
    void abandon() {
        try {
            leave();
            store.close();
        } catch (StoreException | InterruptedException error) {
            System.err.println("while closing: " + Secrets.clean(error.getMessage()));
        }
    }

    private JsonObject answer(String name, long id) {
        JsonObject reply = Lines.line("reply", id);
        try {
            reply.add("ok", new Gson().toJsonTree(store.told(() -> ask(name))));
        } catch (StoreException error) {
            if (error.kind == StoreException.Cause.UNSUPPORTED) {
                reply.addProperty("unsupported", true);
            } else {
                reply.addProperty("error", Secrets.clean(error.getMessage()));
            }
        }
        List<String> absent = store.takeAbsent().stream().map(Secrets::clean).toList();
        if (!absent.isEmpty()) {
            reply.add("absent", new Gson().toJsonTree(absent));
        }
        return reply;
    }

    private Object ask(String name) throws Exception {
        switch (name) {
            case "ping" -> store.ping();
            case "create" -> store.create();
            case "reset" -> store.reset();
            default -> {
                return figure(name);
            }
        }
        return true;
    }

    private Object figure(String name) throws Exception {
        return switch (name) {
            case "info" -> store.info();
            case "settings" -> store.settings();
            case "count" -> Map.of("rows", store.count());
            case "sum" -> Map.of("sum", store.sum());
            case "size" -> Map.of("bytes", store.sizeBytes());
            case "evicts" -> store.evicts();
            case "check" -> {
                String against = store.check();
                yield Map.of("sound", against.isEmpty(), "detail", against.isEmpty() ? "ok" : against);
            }
            default -> throw StoreException.unsupported();
        };
    }

    /** A worker with a connection of its own to a store. */
    private Worker worker(Store store, Phase phase, Values values, Script script, Tape tape, Starts starts)
            throws StoreException {
        Lane lane = encoding.around(store.told(() -> store.connect(phase)));
        return new Worker(lane, values, script, tape, starts, rowBytes, lines::isGone, store::failure);
    }

    /** The workers of one phase, each in a thread of its own, and the gate that starts them together. */
    private final class Crew {
        private final Phase phase;
        private final List<Member> members;
        private final CountDownLatch arrived;
        private final CountDownLatch gate = new CountDownLatch(1);
        private volatile boolean takesPlace;

        Crew(Phase phase) {
            this.phase = phase;
            members = phase.workers().stream().map(Member::new).toList();
            arrived = new CountDownLatch(members.size());
        }

        /** A worker's thread and what came of it. */
        private final class Member extends Thread {
            private final Phase.Part part;
            private final Values values = Session.this.values.copy();
            private Worker worker;
            private boolean waits = true;
            private Exception broken;

            Member(Phase.Part part) {
                super("worker-" + part.worker());
                this.part = part;
                setDaemon(true);
            }

            @Override
            public void run() {
                try (Script script = new Script(new FileInputStream(part.script().toFile()).getChannel());
                        Tape tape = new Tape(new FileOutputStream(part.tape().toFile()).getChannel());
                        Starts starts = phase.planned() ? new Starts(new FileInputStream(Starts.PATH)) : null;
                        Worker connected = worker(store, phase, values, script, tape, starts)) {
                    worker = connected;
                    work();
                } catch (Exception error) {
                    broken = error;
                } catch (Error error) {
                    broken = new IllegalStateException("a worker failed: " + error, error);
                }
                if (waits) {
                    arrived.countDown();
                }
            }

            private void work() throws IOException, InterruptedException {
                if (part.warmup() >= 0 || phase.warmupNs() >= 0) {
                    worker.work(part.warmup(), phase.warmupNs());
                }
                waits = false;
                arrived.countDown();
                gate.await();
                if (takesPlace) {
                    worker.begin();
                    worker.work(part.count(), phase.durationNs());
                }
            }
        }

        /** Connects, warms up, and waits until all have. */
        void prepare() throws Exception {
            members.forEach(Thread::start);
            arrived.await();
            if (members.stream().anyMatch(member -> member.waits)) {
                leave();
                tell();
            }
        }

        /** Lets all start, and waits until they are done. */
        void go() throws Exception {
            takesPlace = true;
            leave();
            tell();
        }

        /** Opens the gate: where nobody said that it takes place, all go away. Waits for their end. */
        void leave() throws InterruptedException {
            gate.countDown();
            for (Member member : members) {
                member.join();
            }
        }

        /** Attempts that were repeated inside operations so far. */
        long retries() {
            return members.stream().mapToLong(member -> member.worker.retries()).sum();
        }

        private void tell() throws Exception {
            for (Member member : members) {
                if (member.broken != null) {
                    throw member.broken;
                }
            }
        }
    }

    /**
     * Lets the virtual machine compile what a phase will do, before it is measured: the same loop, adapter and driver,
     * by a script of its own on rows of a scratch namespace. An embedded store gets a folder of its own for it, which
     * is removed afterwards; at a server it is the namespace {@code NAME_warmup}. No row that is measured is touched.
     */
    private final class CompilerWarmup {
        private static final long MOST_ROWS = 1000;
        private static final long MOST_BYTES = 4 << 20;
        /** Most rows that are inserted for each that is loaded. */
        private static final long INSERTS = 15;

        private final long nsOfKind;
        private final Set<Kind> warm = EnumSet.noneOf(Kind.class);

        CompilerWarmup(long nsOfKind) {
            this.nsOfKind = nsOfKind;
        }

        /** Warms up every kind of the phase that no earlier phase had; returns how long it took, in ns. */
        long run(Phase phase) throws StoreException, IOException {
            List<Kind> cold = phase.kinds().stream().filter(kind -> !warm.contains(kind)).toList();
            if (cold.isEmpty() || nsOfKind <= 0) {
                return 0;
            }
            long start = System.nanoTime();
            Path folder = job.dir() == null ? null : Files.createDirectories(job.dir().resolve("warmup"));
            long rows = Math.max(8, Math.min(MOST_ROWS, MOST_BYTES / Math.max(rowBytes, 1)));
            try (Store scratch = Store.open(job.scratch(rows, folder))) {
                scratch.told(() -> {
                    for (Kind kind : cold) {
                        warmUp(scratch, phase, kind);
                    }
                    scratch.reset();
                    return warm.addAll(cold);
                });
            }
            if (folder != null) {
                Store.remove(folder);
            }
            return System.nanoTime() - start;
        }

        private void warmUp(Store scratch, Phase phase, Kind kind) throws Exception {
            long until = System.nanoTime() + nsOfKind;
            long rows = scratch.job.rows();
            boolean isAgain = kind == Kind.LOAD || kind == Kind.DELETE;
            do {
                // What a load makes can be loaded once only, and what a delete takes is gone.
                scratch.create();
                if (kind != Kind.LOAD) {
                    // In one commit: a sync for every row could take longer than all the rest.
                    play(scratch, phase, Kind.LOAD, (int) rows, rows, -1);
                }
                long most = isAgain ? rows : kind == Kind.INSERT ? INSERTS * rows : -1;
                play(scratch, phase, kind, phase.commitEvery(), most, Math.max(until - System.nanoTime(), 1));
            } while (isAgain && System.nanoTime() < until);
        }

        /** Runs the loop of the workers. */
        private void play(Store scratch, Phase phase, Kind kind, int commitEvery, long most, long ns)
                throws StoreException, IOException {
            try (Script script = new Script(new Entries(scratch.job, phase, kind, commitEvery, new AtomicLong()));
                    Tape tape = new Tape(Channels.newChannel(OutputStream.nullOutputStream()));
                    Worker worker = worker(scratch, phase.alone(kind, commitEvery), values, script, tape, null)) {
                worker.work(most, ns);
            }
        }
    }

    /** A script without end of one kind of operation, over all rows one after the other. */
    private record Entries(Job job, Phase phase, Kind kind, int commitEvery, AtomicLong next)
            implements ReadableByteChannel {
        private static final int SEVERAL = 10;
        private static final int MANY = 100;

        @Override
        public int read(ByteBuffer to) {
            int before = to.position();
            while (to.remaining() >= Integer.BYTES * (3 + SEVERAL)) {
                put(to, next.getAndIncrement());
            }
            return to.position() - before;
        }

        private void put(ByteBuffer to, long number) {
            int row = (int) (kind == Kind.INSERT ? job.rows() + number : number % job.rows());
            boolean isLast = (number + 1) % MANY == 0 || row == job.rows() - 1;
            boolean commits = kind.writes() && (number + 1) % commitEvery == 0;
            to.putInt(kind.ordinal() | (commits ? Script.COMMIT : 0)
                    | (kind == Kind.LOAD && phase.batched() && !isLast ? Script.WITH_NEXT : 0));
            if (kind == Kind.SEARCH) {
                int low = (int) Values.number(job.schema().get(phase.searchField()), row, 0, phase.searchField());
                to.putInt(low).putInt(low + 31 * MANY);
                return;
            }
            int several = kind == Kind.MULTI_READ ? SEVERAL : kind == Kind.OPEN ? 1 : 0;
            to.putInt(row).putInt(switch (kind) {
                case UPDATE -> (int) (1 + number / job.rows());
                case LATEST -> MANY;
                default -> several;
            });
            for (int at = 0; at < several; at++) {
                to.putInt((int) ((row + at) % job.rows()));
            }
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** What the virtual machine did during a phase: pauses for garbage, heap. */
    private record RuntimeMeter(long pauses, long pauseNs) {
        static RuntimeMeter start() {
            heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
            return new RuntimeMeter(collections(), collectionNs());
        }

        /** What happened since the start. */
        JsonObject told(long compilerWarmupNs) {
            JsonObject runtime = Lines.line("version", 1);
            runtime.addProperty("name", System.getProperty("java.vm.name") + " "
                    + System.getProperty("java.runtime.version"));
            runtime.addProperty("collector", collectors().stream().map(GarbageCollectorMXBean::getName)
                    .collect(Collectors.joining(", ")));
            runtime.addProperty("gc_pauses", collections() - pauses);
            runtime.addProperty("gc_pause_ns", collectionNs() - pauseNs);
            runtime.addProperty("heap_peak_bytes",
                    heapPools().stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum());
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
            return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
                    .toList();
        }
    }
}

package kurabe.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import kurabe.client.encoding.Encoded;

/** The protocol's state machine: one job, its phases and calls. */
final class Session {
    /** Settings of the client itself, which no store knows. */
    static final String WARMUP_SETTING = "jvm_warmup_ms";
    static final String HEAP_SETTING = "jvm_heap";
    static final String OPTIONS_SETTING = "jvm_options";

    /** Most rows that inserts limited by time alone can write: the size of the ledger's address range. */
    private static final long TIMED_INSERTS = 100_000_000;

    private final Wire wire;
    private final Job job;
    private final Layout layout;
    private final Ledger ledger;
    private final Store store;
    private final CompilerWarmup warmup;
    private final boolean jobDeletes;

    /** Opens the store of the first line and sends the receipt. */
    Session(Wire wire) throws Wire.Gone, Refused, PhaseRun.Broken, StoreException {
        this.wire = wire;
        Job whole = Job.parse(wire.next());
        Secrets.hide(whole.url());
        long warmupMs = warmupMs(whole.settings().remove(WARMUP_SETTING));
        // They were used when the virtual machine was started; heap_max_bytes of a result tells what came of the heap.
        whole.settings().keySet().removeAll(List.of(HEAP_SETTING, OPTIONS_SETTING));
        job = whole;
        layout = new Layout(job.schema(), pool());
        ledger = new Ledger(job.rows(), capacity());
        jobDeletes = job.phases().values().stream().anyMatch(phase -> phase.does(Kind.DELETE));
        Stores.Factory factory = Stores.of(job);
        store = factory.open(job, layout);
        warmup = new CompilerWarmup(job, layout, factory, warmupMs * 1_000_000);
        wire.say(hello());
    }

    private static long warmupMs(String setting) throws Refused {
        if (setting == null) {
            return 0;
        }
        if (!setting.matches("[0-9]{1,6}")) {
            throw new Refused("setting '" + WARMUP_SETTING + "' = '" + setting + "' is no number of ms");
        }
        return Long.parseLong(setting);
    }

    private byte[] pool() throws Refused {
        try {
            return Files.readAllBytes(job.pool());
        } catch (IOException error) {
            throw new Refused("cannot read the pool: " + error);
        }
    }

    private long capacity() throws Refused {
        long end = job.rows();
        for (Phase phase : job.phases().values()) {
            if (phase.does(Kind.INSERT)) {
                long warmup = phase.warmupNs() >= 0 ? TIMED_INSERTS : Math.max(phase.warmupCount(), 0);
                long count = phase.count() >= 0 ? phase.count() : TIMED_INSERTS;
                end = Math.max(end, phase.firstRow() + warmup + count + 2L * phase.connections());
            }
        }
        if (end > 0xFFFF_FFFFL) {
            throw new Refused(end + " rows and inserts are more than " + 0xFFFF_FFFFL);
        }
        return end;
    }

    private JsonObject hello() throws StoreException {
        JsonObject libraries = new JsonObject();
        libraries.addProperty("java", System.getProperty("java.runtime.version"));
        store.libraries().forEach(libraries::addProperty);
        JsonObject hello = new JsonObject();
        hello.addProperty("kurabe", Job.PROTOCOL);
        hello.addProperty("client", "jvm");
        hello.addProperty("version", "0.1.0");
        hello.add("libraries", libraries);
        JsonObject capabilities = store.capabilities().told();
        capabilities.addProperty("keeps_columns", store.keepsColumns());
        JsonArray encodings = new JsonArray();
        (store.keepsColumns() ? List.of(Job.RAW) : Encoded.known()).forEach(encodings::add);
        capabilities.add("encodings", encodings);
        hello.add("capabilities", capabilities);
        JsonObject message = new JsonObject();
        message.add("hello", hello);
        return message;
    }

    /** Works off the lines until {@code stop}. */
    void work() throws Wire.Gone, Refused, PhaseRun.Broken, StoreException {
        while (true) {
            JsonObject line = wire.next();
            if (line.has("stop")) {
                break;
            } else if (line.has("call")) {
                wire.say(answer(line.get("call").getAsString(), line.get("id").getAsLong()));
            } else if (line.has("prepare")) {
                if (!run(line.get("prepare").getAsString(), true)) {
                    break;
                }
            } else if (line.has("go")) {
                run(line.get("go").getAsString(), false);
            } else if (!line.has("skip")) {
                throw new Refused("no message of this protocol: '" + line + "'");
            }
        }
        store.close();
        JsonObject end = new JsonObject();
        end.addProperty("end", true);
        wire.say(end);
    }

    /** Closes the store without a word, where the job ended before its time. */
    void abandon() {
        try {
            store.close();
        } catch (StoreException error) {
            System.err.println("while closing: " + error.getMessage());
        }
    }

    /** Prepares a phase, waits for `go` where it is told to, does it and tells the result; false after {@code stop}. */
    private boolean run(String name, boolean waits) throws Wire.Gone, Refused, PhaseRun.Broken, StoreException {
        if (job.ownData()) {
            throw new Refused("this client knows generated rows only, none of a data file");
        }
        Phase phase = phase(name);
        PhaseContext context = new PhaseContext(
                phase, layout, ledger, streams(phase), store, jobDeletes, wire::aborted);
        long warmedNs = warmup.run(phase);
        PhaseRun run = new PhaseRun(store, context);
        run.prepare();
        // Garbage of what came before must not be collected in the time of this phase.
        System.gc();
        wire.say(Wire.message("ready", name));
        if (waits) {
            JsonObject next = wire.next();
            if (next.has("stop") || next.has("skip")) {
                run.leave();
                return !next.has("stop");
            }
            if (!next.has("go") || !next.get("go").getAsString().equals(name)) {
                run.leave();
                throw new Refused("phase '" + name + "' is prepared, but '" + next + "' came");
            }
        }
        JsonObject message = new JsonObject();
        message.add("result", run.go(() -> progress(context), warmedNs));
        if (wire.aborted()) {
            throw new Wire.Gone();
        }
        wire.say(message);
        return true;
    }

    private Phase phase(String name) throws Refused {
        Phase phase = job.phases().get(name);
        if (phase == null) {
            throw new Refused("the job has no phase '" + name + "'; it has " + String.join(", ", job.phases().keySet()));
        }
        if (!job.encoding().equals(Job.RAW) && store.encodingNs() < 0) {
            throw new Refused("phase '" + name + "': encoding '" + job.encoding() + "' does not exist here");
        }
        Capabilities can = store.capabilities();
        for (Kind kind : phase.kinds()) {
            if (!can.operations().contains(kind)) {
                throw new Refused("phase '" + name + "': operation '" + kind.word() + "' does not exist here");
            }
        }
        if (phase.depth() > 1 || phase.batch() > 1) {
            throw new Refused("phase '" + name + "': depth and batch are 1 here");
        }
        if (phase.does(Kind.LOAD) && !can.loadPaths().contains(phase.loadPath())) {
            throw new Refused("phase '" + name + "': load path '" + phase.loadPath() + "' does not exist here");
        }
        if (!can.readScopes().contains(phase.readScope())) {
            throw new Refused("phase '" + name + "': read scope '" + phase.readScope() + "' does not exist here");
        }
        return phase;
    }

    private static Choice.Streams streams(Phase phase) throws Refused {
        try {
            return Choice.Streams.of(phase);
        } catch (IOException error) {
            throw new Refused("phase '" + phase.name() + "': cannot read a stream: " + error);
        }
    }

    private void progress(PhaseContext context) {
        JsonObject progress = Wire.message("progress", context.phase.name());
        progress.addProperty("operations", context.operations());
        try {
            wire.say(progress);
        } catch (Wire.Gone gone) {
            // The workers see it too and stop.
            return;
        }
    }

    private JsonObject answer(String name, long id) {
        JsonObject reply = new JsonObject();
        reply.addProperty("reply", id);
        try {
            ask(name, reply);
        } catch (StoreException error) {
            if (error.kind == StoreException.Cause.UNSUPPORTED) {
                reply.addProperty("unsupported", true);
            } else {
                reply.addProperty("error", error.getMessage());
            }
        }
        List<String> absent = store.absent();
        if (!absent.isEmpty()) {
            JsonArray texts = new JsonArray();
            absent.forEach(texts::add);
            reply.add("absent", texts);
        }
        return reply;
    }

    private void ask(String name, JsonObject reply) throws StoreException {
        switch (name) {
            case "ping" -> store.ping();
            case "info" -> reply.add("ok", texts(store.info()));
            case "settings" -> reply.add("ok", texts(store.settings()));
            case "create" -> store.create();
            case "reset" -> store.reset();
            case "count" -> reply.add("ok", number("rows", store.count()));
            case "size" -> reply.add("ok", number("bytes", store.sizeBytes()));
            case "evicts" -> {
                JsonObject told = new JsonObject();
                String policy = store.evicts().policy();
                if (policy != null) {
                    told.addProperty("policy", policy);
                }
                reply.add("ok", told);
            }
            case "sum" -> reply.add("ok", number("sum", store.sum()));
            case "check" -> {
                String against = store.check();
                JsonObject told = new JsonObject();
                told.addProperty("sound", against.isEmpty());
                told.addProperty("detail", against.isEmpty() ? "ok" : against);
                reply.add("ok", told);
            }
            default -> throw StoreException.unsupported();
        }
        if (!reply.has("ok")) {
            reply.addProperty("ok", true);
        }
    }

    private static JsonObject texts(Map<String, String> texts) {
        JsonObject told = new JsonObject();
        texts.forEach(told::addProperty);
        return told;
    }

    private static JsonObject number(String key, long value) {
        JsonObject told = new JsonObject();
        told.addProperty(key, value);
        return told;
    }
}

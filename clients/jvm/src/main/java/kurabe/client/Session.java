package kurabe.client;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kurabe.client.Job.Phase;

/** One job: what its lines say is done. */
final class Session {
    /** What every store here can do, but where it says otherwise. */
    private static final Map<String, Object> USUAL = Map.of(
            "key_types", List.of("int64", "text"), "insert", "exists", "load_paths", List.of("row"), "read_scopes", List.of("each"),
            "empty_values", true, "own_data", false, "open_rows", true, "passes", false, "parse", false);

    private final Lines lines;
    private final Store store;
    private final Encoding encoding;
    private final Values values;
    private final CompilerWarmup warmup;
    private final int rowBytes;
    /** The phase that is prepared, or null. */
    private Crew crew;
    private long warmedNs;

    /** Opens the store of the first line and says hello. */
    Session(Lines lines, JsonObject first) throws Lines.Gone, StoreException {
        this.lines = lines;
        String version = String.valueOf(first.get("kurabe"));
        if (!first.has("job") || !version.equals("2")) {
            throw StoreException.failed("version " + version + " of the protocol is not spoken here, only 2; 'kurabe run' starts this client");
        }
        Job job = Job.of(first.getAsJsonObject("job"));
        Secrets.hide(job.url());
        warmup = new CompilerWarmup(job, job.number("jvm_warmup_ms", 0, 0) * 1_000_000);
        // They were used when the virtual machine was started; heap_max_bytes of a result tells what came of the heap.
        job.settings().keySet().removeAll(List.of("jvm_heap", "jvm_options", "jvm_warmup_ms"));
        store = Stores.factory(job.store()).open(job);
        encoding = store.keepsColumns ? Encoding.RAW : Encoding.of(job);
        values = Values.of(job, !store.keepsColumns && encoding == Encoding.RAW);
        rowBytes = Values.rawBytes(job.schema());
        lines.say(hello(job));
    }

    private JsonObject hello(Job job) throws StoreException {
        Map<String, String> libraries = new TreeMap<>(store.libraries());
        libraries.put("java", System.getProperty("java.runtime.version"));
        libraries.putAll(encoding.libraries());
        Map<String, Object> capabilities = new LinkedHashMap<>(USUAL);
        capabilities.putAll(store.capabilities());
        capabilities.put("keeps_columns", store.keepsColumns);
        capabilities.putIfAbsent("encodings", store.keepsColumns ? List.of("raw") : Encoding.known());
        encoding.limit(capabilities, job.schema());
        Map<String, Object> hello = new LinkedHashMap<>();
        hello.put("client", "jvm");
        hello.put("version", "0.1.0");
        hello.put("libraries", libraries);
        hello.put("capabilities", capabilities);
        return object("hello", hello);
    }

    private static JsonObject object(String key, Object value) {
        JsonObject object = new JsonObject();
        object.add(key, new Gson().toJsonTree(value));
        return object;
    }

    /** Does what a line says; false after {@code stop}. */
    boolean hear(JsonObject line) throws Lines.Gone, StoreException, IOException {
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
            lines.say(object("end", true));
            return false;
        }
        return true;
    }

    private void prepare(Phase phase) throws Lines.Gone, StoreException, IOException {
        warmedNs = warmup.run(phase, encoding, values);
        crew = new Crew(phase, values, rowBytes, () -> encoding.around(store.connect(phase)), lines::isGone);
        crew.prepare();
        // Garbage of what came before must not be collected in the time of this phase.
        System.gc();
        lines.say(Lines.line("ready", phase.name()));
    }

    private void go(String name) throws Lines.Gone, StoreException, IOException {
        if (crew == null) {
            throw StoreException.failed("phase '" + name + "' is not prepared");
        }
        RuntimeMeter meter = new RuntimeMeter();
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
            throw new Lines.Gone();
        }
        lines.say(result);
    }

    /** Sends the workers of a phase that does not take place away. */
    private void leave() {
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
        } catch (StoreException error) {
            System.err.println("while closing: " + Secrets.clean(error.getMessage()));
        }
    }

    private JsonObject answer(String name, long id) {
        JsonObject reply = object("reply", id);
        try {
            reply.add("ok", new Gson().toJsonTree(ask(name)));
        } catch (StoreException error) {
            if (error.kind == StoreException.Cause.UNSUPPORTED) {
                reply.addProperty("unsupported", true);
            } else {
                reply.addProperty("error", Secrets.clean(error.getMessage()));
            }
        }
        List<String> absent = store.takeAbsent().stream().map(Secrets::clean).toList();
        if (!absent.isEmpty()) {
            JsonElement texts = new Gson().toJsonTree(absent);
            reply.add("absent", texts);
        }
        return reply;
    }

    private Object ask(String name) throws StoreException {
        switch (name) {
            case "ping" -> store.ping();
            case "create" -> store.create();
            case "reset" -> store.reset();
            case "info" -> {
                return store.info();
            }
            case "settings" -> {
                return store.settings();
            }
            case "count" -> {
                return Map.of("rows", store.count());
            }
            case "sum" -> {
                return Map.of("sum", store.sum());
            }
            case "size" -> {
                return Map.of("bytes", store.sizeBytes());
            }
            case "evicts" -> {
                String policy = store.evicts();
                return policy == null ? Map.of() : Map.of("policy", policy);
            }
            case "check" -> {
                String against = store.check();
                return Map.of("sound", against.isEmpty(), "detail", against.isEmpty() ? "ok" : against);
            }
            default -> throw StoreException.unsupported();
        }
        return true;
    }
}

package kurabe.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.*;
import kurabe.client.Store.StoreException;

/**
 * A job as this process receives it.
 *
 * @param store name of the store, for messages only
 * @param wire whose protocol it speaks, which chooses its adapter; the name of an embedded store
 * @param variant variant of the store, or null
 * @param schema the fields, the key first
 * @param dir folder for an embedded store's files, or null
 * @param url address of a server, or null; it may hold a password
 * @param encoding how a row is encoded in the value of a store that keeps no columns
 * @param callNs limit of one call in ns
 * @param operationNs limit of one operation in ns
 */
record Job(
        String store, String wire, String variant, List<Field> schema, long rows, String namespace, Path dir,
        String url, Map<String, String> settings, Path pool, String encoding, long callNs, long operationNs) {

    /** Types of fields. */
    enum Type { INT64, TEXT, BYTES }

    /**
     * A field of the schema.
     *
     * @param lenBytes length of a text or bytes field in bytes
     * @param prefix what stands before the digits of a text key
     * @param digits how many digits of the row a text key has
     * @param distinct how many values an int64 field has, 0 where it has as many as there are
     * @param constant whether every row has the same text
     */
    record Field(
            String name, Type type, int lenBytes, boolean indexed, String prefix, int digits, long distinct,
            boolean constant) {

        /** A field where a schema says no more. */
        Field(String name, Type type, int lenBytes, boolean indexed) {
            this(name, type, lenBytes, indexed, "k", 10, 0, false);
        }

        static Field of(JsonObject from) {
            return new Field(from.get("name").getAsString(),
                    Type.valueOf(from.get("type").getAsString().toUpperCase(Locale.ROOT)),
                    (int) number(from, "len_bytes", 0),
                    flag(from, "indexed"), text(from, "prefix", "k"), (int) number(from, "digits", 10),
                    number(from, "distinct", 0), flag(from, "constant"));
        }
    }

    /** Kinds of operation, in the order of their codes in a script. */
    enum Kind {
        LOAD, INSERT, READ, UPDATE, DELETE, SCAN, LATEST, MULTI_READ, INCREMENT, SEARCH, OPEN;

        /** The words of kinds as they travel. */
        static List<String> words(Collection<Kind> kinds) {
            return kinds.stream().map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
        }

        /** Whether a commit can be due behind it. */
        boolean writes() {
            return this == LOAD || this == INSERT || this == UPDATE || this == DELETE || this == INCREMENT;
        }
    }

    /**
     * What is to be prepared. Durations are in ns; {@code -1} stands for what is not given.
     *
     * @param snapshot whether all reads of a connection are one transaction
     * @param batched whether a load comes in groups of rows
     * @param planned whether operations have planned starts
     * @param searchField number of the field that a search looks at; the key is field 0
     */
    record Phase(
            String name, Set<Kind> kinds, int commitEvery, boolean snapshot, boolean batched, boolean planned,
            int searchField, long warmupNs, long durationNs, List<Part> workers) {

        /** What one worker is given: its script, its tape, and how many entries it does before and after {@code go}. */
        record Part(int worker, Path script, Path tape, long warmup, long count) {
            static Part of(JsonObject from) {
                return new Part(from.get("worker").getAsInt(), Path.of(from.get("script").getAsString()),
                        Path.of(from.get("tape").getAsString()), number(from, "warmup", -1), number(from, "count", -1));
            }
        }

        static Phase of(JsonObject from) throws StoreException {
            EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
            for (JsonElement word : from.getAsJsonArray("operations")) {
                kinds.add(Kind.valueOf(word.getAsString().toUpperCase(Locale.ROOT).replace('-', '_')));
            }
            List<Part> workers = new ArrayList<>();
            from.getAsJsonArray("workers").forEach(part -> workers.add(Part.of(part.getAsJsonObject())));
            return new Phase(from.get("phase").getAsString(), kinds, (int) number(from, "commit_every", 1),
                    text(from, "read_scope", "each").equals("snapshot"), text(from, "load_path", "row").equals("batch"),
                    flag(from, "planned"), (int) number(from, "search_field", -1), number(from, "warmup_ns", -1),
                    number(from, "duration_ns", -1), List.copyOf(workers));
        }

        /** One kind of it over one connection without script and tape, for the warm-up of the compiler. */
        Phase alone(Kind kind, int commits) {
            return new Phase("warm-up", EnumSet.of(kind), commits, snapshot && !kind.writes(), batched, false,
                    searchField, -1, -1, List.of(new Part(0, null, null, -1, -1)));
        }

        /** Connections of this process. */
        int connections() {
            return workers.size();
        }

        /** Whether operations of this kind are done. */
        boolean does(Kind kind) {
            return kinds.contains(kind);
        }

        /** Whether anything is written. */
        boolean writes() {
            return kinds.stream().anyMatch(Kind::writes);
        }

        /** Whether anything is written between reads. */
        boolean readsAndWrites() {
            return writes() && !kinds.stream().allMatch(Kind::writes);
        }
    }

    /** Reads the job of a first line; unknown keys are ignored. */
    static Job of(JsonObject job) throws StoreException {
        try {
            JsonObject candidate = job.getAsJsonObject("candidate");
            List<Field> schema = new ArrayList<>();
            job.getAsJsonObject("schema").getAsJsonArray("fields")
                    .forEach(field -> schema.add(Field.of(field.getAsJsonObject())));
            Map<String, String> settings = new TreeMap<>();
            object(job, "settings").entrySet().forEach(e -> settings.put(e.getKey(), e.getValue().getAsString()));
            JsonObject limits = object(job, "limits");
            String dir = text(job, "dir", null);
            Job parsed = new Job(candidate.get("store").getAsString(), candidate.get("wire").getAsString(),
                    text(candidate, "variant", null), List.copyOf(schema),
                    job.get("rows").getAsLong(), job.get("namespace").getAsString(), dir == null ? null : Path.of(dir),
                    text(job, "url", null), settings, Path.of(job.get("pool").getAsString()),
                    text(job, "encoding", "raw"),
                    number(limits, "call_ns", 60_000_000_000L), number(limits, "operation_ns", 30_000_000_000L));
            parsed.validate();
            return parsed;
        } catch (RuntimeException error) {
            // The library has errors of several kinds for what is missing or of another type.
            throw StoreException.failed("unusable job: " + error.getMessage());
        }
    }

    private void validate() throws StoreException {
        if (!namespace.matches("[a-z0-9_]+")) {
            throw StoreException.failed("namespace '" + namespace + "' does not match [a-z0-9_]+");
        }
        if (schema.size() < 2 || schema.get(0).type() == Type.BYTES) {
            throw StoreException.failed("unusable schema: it needs an int64 or text key and at least one more field");
        }
    }

    /** The same job over fewer rows in a namespace and a folder of its own, for the warm-up of the compiler. */
    Job scratch(long fewer, Path folder) {
        return new Job(store, wire, variant, schema, fewer, namespace + "_warmup", folder, url, settings, pool,
                encoding, callNs, operationNs);
    }

    /** Whether the key is text. */
    boolean hasTextKey() {
        return schema.get(0).type() == Type.TEXT;
    }

    /** The fields after the key. */
    List<Field> columns() {
        return schema.subList(1, schema.size());
    }

    /** The folder of an embedded store. */
    Path folder() throws StoreException {
        if (dir == null) {
            throw StoreException.failed("store '" + store + "' needs a folder: the job has no 'dir'");
        }
        return dir;
    }

    /** Refuses every setting that is not among those that a store knows. */
    void refuseOtherSettings(Set<String> known) throws StoreException {
        for (String setting : settings.keySet()) {
            if (!known.contains(setting)) {
                throw StoreException.failed("setting '" + setting + "' is not known to store '" + store
                        + "' of the JVM client; it takes "
                        + (known.isEmpty() ? "none" : String.join(", ", sorted(known))));
            }
        }
    }

    /** The variant, one of those that there are; {@code otherwise} where none is asked for. */
    String variant(String otherwise, List<String> known) throws StoreException {
        String wanted = variant == null ? otherwise : variant;
        if (!known.contains(wanted)) {
            throw StoreException.failed("no variant '" + wanted + "'; there are " + String.join(", ", known));
        }
        return wanted;
    }

    /** One of the words that a setting may have. */
    String word(String setting, String otherwise, Set<String> allowed) throws StoreException {
        String value = settings.getOrDefault(setting, otherwise);
        if (!allowed.contains(value)) {
            throw StoreException.failed("setting '" + setting + "' = '" + value + "' is none of "
                    + String.join(", ", sorted(allowed)));
        }
        return value;
    }

    /** A whole number from {@code least} on that a setting gives; {@code otherwise} where it is not set. */
    long number(String setting, long otherwise, long least) throws StoreException {
        String value = settings.get(setting);
        if (value == null) {
            return otherwise;
        }
        if (!value.matches("[0-9]{1,12}") || Long.parseLong(value) < least) {
            throw StoreException.failed("setting '" + setting + "' = '" + value + "' is no number from " + least
                    + " on");
        }
        return Long.parseLong(value);
    }

    private static List<String> sorted(Set<String> words) {
        return words.stream().sorted().toList();
    }

    private static boolean isThere(JsonObject from, String key) {
        return from.has(key) && !from.get(key).isJsonNull();
    }

    private static JsonObject object(JsonObject from, String key) {
        return isThere(from, key) ? from.getAsJsonObject(key) : new JsonObject();
    }

    private static boolean flag(JsonObject from, String key) {
        return isThere(from, key) && from.get(key).getAsBoolean();
    }

    private static long number(JsonObject from, String key, long otherwise) {
        return isThere(from, key) ? from.get(key).getAsLong() : otherwise;
    }

    private static String text(JsonObject from, String key, String otherwise) {
        return isThere(from, key) ? from.get(key).getAsString() : otherwise;
    }
}

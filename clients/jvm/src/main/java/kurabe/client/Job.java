package kurabe.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A job as this process receives it.
 *
 * @param variant variant of the store, or null
 * @param dir folder for an embedded store's files, or null
 * @param url address of a server, or null; it may hold a password
 * @param encoding how a row is encoded in the value of a store that keeps no columns
 * @param ownData whether rows of a data file are asked for, which this client does not know
 * @param callNs limit of one call in ns
 * @param operationNs limit of one operation in ns
 * @param phases the phases by name, in order
 */
public record Job(
        String store, String variant, List<Field> schema, long rows, String namespace, Path dir, String url,
        Map<String, String> settings, Path pool, String encoding, boolean ownData, long callNs, long operationNs,
        Map<String, Phase> phases) {

    /** Version of the protocol. */
    static final int PROTOCOL = 1;
    /** The encoding that every store without columns has. */
    public static final String RAW = "raw";

    /** Reads the first line of a client. Unknown keys are ignored, an unknown version is refused. */
    public static Job parse(JsonObject line) throws Refused {
        if (!line.has("job")) {
            throw new Refused("the first line is no job; 'kurabe run' starts a client, 'kurabe wire' feeds one");
        }
        JsonElement version = line.get("kurabe");
        if (version == null || !version.isJsonPrimitive() || !version.getAsString().equals("" + PROTOCOL)) {
            throw new Refused("protocol version " + version + " is not spoken here, only version " + PROTOCOL);
        }
        try {
            return of(line.getAsJsonObject("job"));
        } catch (JsonParseException | ClassCastException | IllegalStateException | NullPointerException
                | NumberFormatException error) {
            throw new Refused("unusable job: " + error.getMessage());
        }
    }

    private static Job of(JsonObject job) throws Refused {
        JsonObject candidate = job.getAsJsonObject("candidate");
        Map<String, Phase> phases = new LinkedHashMap<>();
        for (JsonElement phase : job.getAsJsonArray("phases")) {
            Phase parsed = Phase.parse(phase.getAsJsonObject());
            phases.put(parsed.name(), parsed);
        }
        Map<String, String> settings = new TreeMap<>();
        if (job.has("settings")) {
            job.getAsJsonObject("settings").entrySet().forEach(e -> settings.put(e.getKey(), e.getValue().getAsString()));
        }
        JsonObject limits = job.has("limits") ? job.getAsJsonObject("limits") : new JsonObject();
        long callNs = limits.has("call_ns") ? limits.get("call_ns").getAsLong() : 60_000_000_000L;
        long operationNs = limits.has("operation_ns") ? limits.get("operation_ns").getAsLong() : 30_000_000_000L;
        Job parsed = new Job(
                candidate.get("store").getAsString(), textOf(candidate, "variant"), schema(job), job.get("rows").getAsLong(),
                job.get("namespace").getAsString(), pathOf(job, "dir"), textOf(job, "url"), settings,
                Path.of(job.get("pool").getAsString()), job.has("encoding") ? job.get("encoding").getAsString() : RAW,
                job.has("data") && !job.get("data").isJsonNull(), callNs, operationNs,
                Collections.unmodifiableMap(phases));
        parsed.validate(job);
        return parsed;
    }

    private static List<Field> schema(JsonObject job) throws Refused {
        List<Field> fields = new ArrayList<>();
        for (JsonElement element : job.getAsJsonObject("schema").getAsJsonArray("fields")) {
            JsonObject field = element.getAsJsonObject();
            Field.Type type = switch (field.get("type").getAsString()) {
                case "int64" -> Field.Type.INT64;
                case "text" -> Field.Type.TEXT;
                case "bytes" -> Field.Type.BYTES;
                default -> throw new Refused("unusable schema: unknown type " + field.get("type"));
            };
            int length = field.has("len_bytes") ? field.get("len_bytes").getAsInt() : 0;
            boolean indexed = field.has("indexed") && field.get("indexed").getAsBoolean();
            String prefix = textOf(field, "prefix");
            int digits = field.has("digits") ? field.get("digits").getAsInt() : Field.DIGITS;
            long distinct = field.has("distinct") ? field.get("distinct").getAsLong() : 0;
            fields.add(new Field(field.get("name").getAsString(), type, length, indexed, prefix == null ? "k" : prefix,
                    digits, distinct, field.has("constant") && field.get("constant").getAsBoolean()));
        }
        if (fields.size() < 2 || fields.get(0).type() == Field.Type.BYTES) {
            throw new Refused("unusable schema: it needs an int64 or text key and at least one more field");
        }
        return List.copyOf(fields);
    }

    private void validate(JsonObject job) throws Refused {
        if (!namespace.matches("[a-z0-9_]+")) {
            throw new Refused("namespace '" + namespace + "' does not match [a-z0-9_]+");
        }
        if (job.has("processes") && job.get("processes").getAsInt() > 1) {
            throw new Refused("this client works with threads in one process, not with several processes");
        }
        for (Phase phase : phases.values()) {
            if (rows % phase.connections() != 0) {
                throw new Refused(rows + " rows are no multiple of the " + phase.connections()
                        + " connections of phase '" + phase.name() + "'");
            }
        }
    }

    /**
     * The same job over fewer rows in a namespace and a folder of its own, for the warm-up of the compiler; its phases
     * tell which rows and counters may be written beside those rows.
     */
    Job scratch(long fewer, Path folder, Map<String, Phase> writes) {
        return new Job(store, variant, schema, fewer, namespace + "_warmup", folder, url, settings, pool, encoding,
                ownData, callNs, operationNs, writes);
    }

    /** A setting, or what holds where it is not given. */
    public String setting(String name, String otherwise) {
        return settings.getOrDefault(name, otherwise);
    }

    private static String textOf(JsonObject from, String key) {
        JsonElement value = from.get(key);
        return value == null || value.isJsonNull() ? null : value.getAsString();
    }

    private static Path pathOf(JsonObject from, String key) {
        String text = textOf(from, key);
        return text == null ? null : Path.of(text);
    }
}

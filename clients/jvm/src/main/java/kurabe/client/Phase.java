package kurabe.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.EnumSet;
import java.util.Set;

/**
 * One phase of a job, with the protocol's defaults. Durations are in ns; {@code -1} stands for what is not given.
 */
public record Phase(
        String name, Kind operation, Set<Kind> kinds, long count, long durationNs, long warmupCount, long warmupNs,
        int connections, int depth, int batch, String distribution, String rowsStream, String kindsStream,
        int commitEvery, String loadPath, int batchRows, String readScope, int latestRows, int multiReadRows,
        String searchField, int searchRows, long searchAtLeast, long firstRow) {

    /** Reads a phase; unknown keys are ignored. */
    static Phase parse(JsonObject from) throws Refused {
        Kind operation = Kind.of(text(from, "operation", ""));
        EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
        if (operation != Kind.MIX) {
            kinds.add(operation);
        } else if (from.has("mix")) {
            for (JsonElement part : from.getAsJsonArray("mix")) {
                JsonObject mixed = part.getAsJsonObject();
                if (number(mixed, "share", 0) > 0) {
                    kinds.add(Kind.of(text(mixed, "operation", "")));
                }
            }
        }
        JsonObject warmup = from.has("warmup") ? from.getAsJsonObject("warmup") : new JsonObject();
        JsonObject search = from.has("search") ? from.getAsJsonObject("search") : new JsonObject();
        Phase phase = new Phase(
                text(from, "name", ""), operation, kinds, number(from, "count", -1), number(from, "duration_ns", -1),
                number(warmup, "count", -1), number(warmup, "duration-ns", -1), (int) number(from, "connections", 1),
                (int) number(from, "depth", 1), (int) number(from, "batch", 1),
                text(from, "distribution", "sequential"), text(from, "rows_stream", null),
                text(from, "kinds_stream", null), (int) number(from, "commit_every", 1),
                text(from, "load_path", "row"), (int) number(from, "batch_rows", 1), text(from, "read_scope", "each"),
                (int) number(from, "latest_rows", 0), (int) number(from, "multi_read_rows", 1),
                text(search, "field", null), (int) number(search, "rows", -1),
                number(search, "at_least", -1), number(from, "first_row", 0));
        phase.validate();
        return phase;
    }

    private void validate() throws Refused {
        if (connections < 1 || commitEvery < 1 || batchRows < 1) {
            throw new Refused("phase '" + name + "': connections, commit_every and batch_rows are at least 1");
        }
        if (count < 0 && durationNs < 0) {
            throw new Refused("phase '" + name + "' has neither 'count' nor 'duration_ns'");
        }
        if (does(Kind.SEARCH) && (searchRows > 0) == (searchAtLeast >= 0)) {
            throw new Refused("phase '" + name + "': a search asks either for 'rows' or for 'at_least'");
        }
        if (operation == Kind.MIX && (kinds.isEmpty() || kindsStream == null)) {
            throw new Refused("phase '" + name + "' is a mix without 'mix' or without 'kinds_stream'");
        }
    }

    /** A phase of the warm-up of the compiler: one kind, in sequence, for so many operations or ns, -1 for no limit. */
    Phase scratch(Kind kind, int commitEvery, long count, long durationNs, long firstRow) {
        return new Phase(
                "warm-up", kind, EnumSet.of(kind), count, durationNs, -1, -1, 1, 1, 1, "sequential", null, null,
                commitEvery, loadPath, batchRows, kind.writes() ? "each" : readScope, latestRows, multiReadRows, searchField,
                searchRows, searchAtLeast, firstRow);
    }

    /** Whether operations of this kind are done. */
    public boolean does(Kind kind) {
        return kinds.contains(kind);
    }

    /** Whether anything is written. */
    public boolean writes() {
        return kinds.stream().anyMatch(Kind::writes);
    }

    /** Whether anything is written between reads. */
    public boolean readsAndWrites() {
        return writes() && !kinds.stream().allMatch(Kind::writes);
    }

    private static long number(JsonObject from, String key, long otherwise) {
        JsonElement value = from.get(key);
        return value == null || value.isJsonNull() ? otherwise : value.getAsLong();
    }

    private static String text(JsonObject from, String key, String otherwise) {
        JsonElement value = from.get(key);
        return value == null || value.isJsonNull() ? otherwise : value.getAsString();
    }
}

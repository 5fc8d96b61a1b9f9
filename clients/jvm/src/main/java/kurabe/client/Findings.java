package kurabe.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What the oracle found in a phase. */
final class Findings {
    /** Kinds of wrong answers (PROTOCOL.md, "The oracle"). */
    enum Kind { WRONG, STALE, LOST, PHANTOM, MISCOUNTED }

    private static final int EXAMPLES = 5;

    private long checked;
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private final List<String> examples = new ArrayList<>();

    /** Counts an answer that is looked at. */
    void checked() {
        checked++;
    }

    /** Counts a wrong answer; the first five are kept in words. */
    void found(Kind kind, String example) {
        counts.merge(kind, 1L, Long::sum);
        if (examples.size() < EXAMPLES) {
            examples.add(example);
        }
    }

    void merge(Findings other) {
        checked += other.checked;
        other.counts.forEach((kind, count) -> counts.merge(kind, count, Long::sum));
        other.examples.stream().limit(EXAMPLES - examples.size()).forEach(examples::add);
    }

    /** How often something was found. */
    long of(Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** As it travels. */
    JsonObject told() {
        JsonObject told = new JsonObject();
        told.addProperty("checked", checked);
        for (Kind kind : Kind.values()) {
            told.addProperty(kind.name().toLowerCase(java.util.Locale.ROOT), of(kind));
        }
        JsonArray words = new JsonArray();
        examples.forEach(words::add);
        told.add("examples", words);
        return told;
    }
}

package kurabe.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;

/** Completed operations over time, in at most 512 slots whose length doubles when they are full. */
final class Series {
    private static final int SLOTS = 512;
    private static final long FIRST_SLOT_NS = 1_000_000;

    private final long startNs;
    private long slotNs = FIRST_SLOT_NS;
    private final long[] counts = new long[SLOTS];
    private int used;

    Series(long startNs) {
        this.startNs = startNs;
    }

    /** Counts operations that ended at a time. */
    void add(long endNs, long operations) {
        long slot = Math.max(endNs - startNs, 0) / slotNs;
        while (slot >= SLOTS) {
            for (int at = 0; at < SLOTS / 2; at++) {
                counts[at] = counts[2 * at] + counts[2 * at + 1];
            }
            java.util.Arrays.fill(counts, SLOTS / 2, SLOTS, 0);
            slotNs *= 2;
            used = (used + 1) / 2;
            slot = (endNs - startNs) / slotNs;
        }
        counts[(int) slot] += operations;
        used = Math.max(used, (int) slot + 1);
    }

    /** The sum of several, as it travels. */
    static JsonObject merged(List<Series> all) {
        long start = all.stream().mapToLong(one -> one.startNs).min().orElse(0);
        Series sum = new Series(start);
        sum.slotNs = all.stream().mapToLong(one -> one.slotNs).max().orElse(FIRST_SLOT_NS);
        for (Series one : all) {
            for (int slot = 0; slot < one.used; slot++) {
                if (one.counts[slot] > 0) {
                    sum.add(one.startNs + slot * one.slotNs, one.counts[slot]);
                }
            }
        }
        JsonArray operations = new JsonArray();
        for (int slot = 0; slot < sum.used; slot++) {
            operations.add(sum.counts[slot]);
        }
        JsonObject told = new JsonObject();
        told.addProperty("start_ns", sum.startNs);
        told.addProperty("slot_ns", sum.slotNs);
        told.add("operations", operations);
        return told;
    }

    /** Operations in all slots, for tests. */
    long total() {
        return java.util.Arrays.stream(counts).sum();
    }
}

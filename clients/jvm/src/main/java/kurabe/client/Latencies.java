package kurabe.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Latencies of one kind of operation in ns. HdrHistogram with two digits has the buckets of the protocol: all but the
 * top eight bits of a value are dropped ({@code vectors/histogram.json}).
 */
final class Latencies {
    /** Longer than any time limit: 13 days. */
    private static final long LONGEST_NS = 1L << 50;

    private final Histogram buckets = new Histogram(1, LONGEST_NS, 2);
    private long count;
    private long sumNs;
    private long minNs = Long.MAX_VALUE;
    private long maxNs;

    /** Counts one latency for so many operations. */
    void record(long latencyNs, long times) {
        buckets.recordValueWithCount(Math.min(latencyNs, LONGEST_NS), times);
        count += times;
        sumNs += latencyNs * times;
        minNs = Math.min(minNs, latencyNs);
        maxNs = Math.max(maxNs, latencyNs);
    }

    void merge(Latencies other) {
        buckets.add(other.buckets);
        count += other.count;
        sumNs += other.sumNs;
        minNs = Math.min(minNs, other.minNs);
        maxNs = Math.max(maxNs, other.maxNs);
    }

    /** As it travels. */
    JsonObject told(Kind kind) {
        JsonArray pairs = new JsonArray();
        for (HistogramIterationValue value : buckets.recordedValues()) {
            JsonArray pair = new JsonArray(2);
            pair.add(lowerBound(buckets, value.getValueIteratedTo()));
            pair.add(value.getCountAtValueIteratedTo());
            pairs.add(pair);
        }
        JsonObject told = new JsonObject();
        told.addProperty("operation", kind.word());
        told.add("buckets", pairs);
        told.addProperty("count", count);
        told.addProperty("sum_ns", sumNs);
        told.addProperty("min_ns", count == 0 ? 0 : minNs);
        told.addProperty("max_ns", maxNs);
        return told;
    }

    private static long lowerBound(Histogram buckets, long value) {
        return buckets.lowestEquivalentValue(value);
    }

    /** Lower bound of the bucket of a latency. */
    static long bucket(long latencyNs) {
        return lowerBound(new Histogram(1, LONGEST_NS, 2), latencyNs);
    }
}

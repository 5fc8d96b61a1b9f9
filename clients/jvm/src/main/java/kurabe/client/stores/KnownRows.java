package kurabe.client.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import kurabe.client.Job;
import kurabe.client.Kind;
import kurabe.client.Phase;

/**
 * The rows and counters that a job can have written, as far as it tells: stores that have nothing but keys and values
 * remove them by name.
 *
 * @param ranges ranges of rows, which may overlap
 * @param complete whether these are all; inserts limited by time alone have no known end
 * @param counters number of counters, from 0 on
 */
record KnownRows(List<Range> ranges, boolean complete, long counters) {
    /** Rows from one on, up to one that is none of them. */
    record Range(long first, long end) {}

    /** What a job tells. */
    static KnownRows of(Job job) {
        List<Range> ranges = new ArrayList<>();
        ranges.add(new Range(0, job.rows()));
        boolean complete = true;
        boolean counts = false;
        for (Phase phase : job.phases().values()) {
            counts |= phase.does(Kind.INCREMENT);
            if (!phase.does(Kind.INSERT)) {
                continue;
            }
            if (phase.count() < 0 || phase.warmupNs() >= 0) {
                complete = false;
            } else {
                // The measured operations start at the next full round of the workers after the warm-up.
                long tried = Math.max(phase.warmupCount(), 0) + phase.count() + phase.connections();
                ranges.add(new Range(phase.firstRow(), phase.firstRow() + tried));
            }
        }
        return new KnownRows(List.copyOf(ranges), complete, counts ? job.rows() : 0);
    }

    /** Gives every row, some more than once. */
    void eachRow(LongConsumer take) {
        for (Range range : ranges) {
            for (long row = range.first; row < range.end; row++) {
                take.accept(row);
            }
        }
    }
}

package kurabe.client;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;

/** Everything that the workers of one phase share. */
final class PhaseContext {
    /** So many longs lie between two workers' counters, so that they do not slow each other down. */
    private static final int APART = 16;

    final Phase phase;
    final Layout layout;
    final Ledger ledger;
    final Choice.Streams streams;
    final boolean raw;
    /** Whether updates and deletes write without a look at what is there. */
    final boolean blindWrites;
    /** Number of the field that a search looks at, or -1. */
    final int searchField;
    /** Whether any phase of the job deletes. */
    final boolean jobDeletes;
    /** Set when the harness is gone. */
    final BooleanSupplier aborted;
    private final AtomicLongArray progress;

    PhaseContext(Phase phase, Layout layout, Ledger ledger, Choice.Streams streams, Store store, boolean jobDeletes,
            BooleanSupplier aborted) throws Refused {
        this.phase = phase;
        this.layout = layout;
        this.ledger = ledger;
        this.streams = streams;
        raw = store.raw();
        blindWrites = store.capabilities().blindWrites();
        this.jobDeletes = jobDeletes;
        this.aborted = aborted;
        searchField = phase.searchField() == null ? -1 : layout.intField(phase.searchField());
        if (phase.does(Kind.SEARCH) && searchField < 0) {
            throw new Refused("phase '" + phase.name() + "': '" + phase.searchField() + "' is no int64 field beside the key");
        }
        if (searchField > 0 && phase.searchRows() > 0 && layout.schema().get(searchField).distinct() > 0) {
            throw new Refused("phase '" + phase.name() + "': '" + phase.searchField()
                    + "' has few values, of which no range is one of rows");
        }
        progress = new AtomicLongArray(APART * phase.connections());
    }

    /** Whether every row that exists is known at any instant. */
    boolean existenceIsKnown() {
        return phase.connections() == 1 || !(phase.does(Kind.INSERT) || phase.does(Kind.DELETE));
    }

    /** Notes how far a worker has got. */
    void progress(int worker, long operations) {
        progress.lazySet(APART * worker, operations);
    }

    /** Operations of all workers so far. */
    long operations() {
        long sum = 0;
        for (int worker = 0; worker < phase.connections(); worker++) {
            sum += progress.get(APART * worker);
        }
        return sum;
    }
}

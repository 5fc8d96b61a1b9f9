package kurabe.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Lets the virtual machine compile what a phase will do, before it is measured: the same loop, oracle, adapter and
 * driver, on rows of a scratch namespace. An embedded store gets a folder of its own for it, which is removed
 * afterwards; at a server it is the namespace {@code NAME_warmup}. No row that is measured is touched.
 */
final class CompilerWarmup {
    private static final long MOST_ROWS = 1000;
    private static final long MOST_BYTES = 4 << 20;
    /** Most rows that are inserted for each that is loaded. */
    private static final long INSERTS = 15;

    private final Job job;
    private final Layout layout;
    private final Stores.Factory factory;
    private final long nsOfKind;
    private final Set<Kind> warm = EnumSet.noneOf(Kind.class);

    CompilerWarmup(Job job, Layout layout, Stores.Factory factory, long nsOfKind) {
        this.job = job;
        this.layout = layout;
        this.factory = factory;
        this.nsOfKind = nsOfKind;
    }

    /** Warms up every kind of the phase that no earlier phase had; returns how long it took, in ns. */
    long run(Phase phase) throws StoreException, Refused, PhaseRun.Broken {
        List<Kind> cold = phase.kinds().stream().filter(kind -> !warm.contains(kind)).toList();
        if (cold.isEmpty() || nsOfKind <= 0) {
            return 0;
        }
        long start = System.nanoTime();
        Path folder = job.dir() == null ? null : job.dir().resolve("warmup");
        long rows = Math.max(8, Math.min(MOST_ROWS, MOST_BYTES / Math.max(layout.rawBytes(), 1)));
        try {
            if (folder != null) {
                Files.createDirectories(folder);
            }
            try (Store store = factory.open(job.scratch(rows, folder, writes(phase, rows)), layout)) {
                for (Kind kind : cold) {
                    warmUp(store, phase, kind, rows);
                    warm.add(kind);
                }
                store.reset();
            }
            if (folder != null) {
                remove(folder);
            }
        } catch (IOException error) {
            throw StoreException.failed("the folder of the warm-up: " + error);
        }
        return System.nanoTime() - start;
    }

    /** Inserts and increments of a warm-up, as phases of its job: stores without tables remove by name what was written. */
    private static Map<String, Phase> writes(Phase phase, long rows) {
        Map<String, Phase> writes = new LinkedHashMap<>();
        for (Kind kind : List.of(Kind.INSERT, Kind.INCREMENT)) {
            if (phase.does(kind)) {
                writes.put(kind.word(), phase.scratch(kind, 1, INSERTS * rows, -1, rows));
            }
        }
        return writes;
    }

    private void warmUp(Store store, Phase phase, Kind kind, long rows) throws StoreException, Refused, PhaseRun.Broken {
        long until = System.nanoTime() + nsOfKind;
        boolean again = kind == Kind.LOAD || kind == Kind.DELETE;
        do {
            // What a load makes can be loaded once only, and what a delete takes is gone.
            store.create();
            Ledger ledger = new Ledger(rows, (1 + INSERTS) * rows);
            int each = phase.commitEvery();
            if (kind != Kind.LOAD) {
                // In one commit: a sync for every row could take longer than all the rest.
                play(store, ledger, phase.scratch(Kind.LOAD, (int) rows, rows, -1, 0));
            }
            long left = Math.max(until - System.nanoTime(), 1);
            switch (kind) {
                case LOAD, DELETE -> play(store, ledger, phase.scratch(kind, each, rows, left, 0));
                case INSERT -> play(store, ledger, phase.scratch(kind, each, INSERTS * rows, left, rows));
                default -> play(store, ledger, phase.scratch(kind, each, -1, left, 0));
            }
        } while (again && System.nanoTime() < until);
    }

    private void play(Store store, Ledger ledger, Phase phase) throws StoreException, Refused, PhaseRun.Broken {
        PhaseContext context = new PhaseContext(
                phase, layout, ledger, new Choice.Streams(null, null), store, true, () -> false);
        PhaseRun run = new PhaseRun(store, context);
        run.prepare();
        run.go(() -> { }, 0);
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            });
        } catch (UncheckedIOException error) {
            throw error.getCause();
        }
    }
}

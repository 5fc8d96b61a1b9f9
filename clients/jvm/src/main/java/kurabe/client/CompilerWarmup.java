package kurabe.client;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Phase;

/**
 * Lets the virtual machine compile what a phase will do, before it is measured: the same loop, adapter and driver, by a script
 * of its own on rows of a scratch namespace. An embedded store gets a folder of its own for it, which is removed afterwards;
 * at a server it is the namespace {@code NAME_warmup}. No row that is measured is touched.
 */
final class CompilerWarmup {
    private static final long MOST_ROWS = 1000;
    private static final long MOST_BYTES = 4 << 20;
    /** Most rows that are inserted for each that is loaded. */
    private static final long INSERTS = 15;

    private final Job job;
    private final long nsOfKind;
    private final Set<Kind> warm = EnumSet.noneOf(Kind.class);

    CompilerWarmup(Job job, long nsOfKind) {
        this.job = job;
        this.nsOfKind = nsOfKind;
    }

    /** Warms up every kind of the phase that no earlier phase had; returns how long it took, in ns. */
    long run(Phase phase, Encoding encoding, Values values) throws StoreException, IOException {
        List<Kind> cold = phase.kinds().stream().filter(kind -> !warm.contains(kind)).toList();
        if (cold.isEmpty() || nsOfKind <= 0) {
            return 0;
        }
        long start = System.nanoTime();
        Path folder = job.dir() == null ? null : job.dir().resolve("warmup");
        if (folder != null) {
            Files.createDirectories(folder);
        }
        long rows = Math.max(8, Math.min(MOST_ROWS, MOST_BYTES / Math.max(Values.rawBytes(job.schema()), 1)));
        Job scratch = job.scratch(rows, folder);
        try (Store store = Stores.factory(job.store()).open(scratch)) {
            for (Kind kind : cold) {
                warmUp(new Scratch(scratch, store, encoding, values, phase), kind);
                warm.add(kind);
            }
            store.reset();
        }
        if (folder != null) {
            remove(folder);
        }
        return System.nanoTime() - start;
    }

    private void warmUp(Scratch scratch, Kind kind) throws StoreException, IOException {
        long until = System.nanoTime() + nsOfKind;
        long rows = scratch.job.rows();
        boolean isAgain = kind == Kind.LOAD || kind == Kind.DELETE;
        do {
            // What a load makes can be loaded once only, and what a delete takes is gone.
            scratch.store.create();
            if (kind != Kind.LOAD) {
                // In one commit: a sync for every row could take longer than all the rest.
                scratch.play(Kind.LOAD, (int) rows, rows, -1);
            }
            long most = isAgain ? rows : kind == Kind.INSERT ? INSERTS * rows : -1;
            scratch.play(kind, scratch.phase.commitEvery(), most, Math.max(until - System.nanoTime(), 1));
        } while (isAgain && System.nanoTime() < until);
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** The scratch namespace, on which the loop of the workers is run. */
    private record Scratch(Job job, Store store, Encoding encoding, Values values, Phase phase) {
        void play(Kind kind, int commitEvery, long most, long ns) throws StoreException, IOException {
            Lane lane = encoding.around(store.connect(phase.alone(kind, commitEvery)));
            Script script = new Script(new Entries(job, phase, kind, commitEvery));
            Tape tape = new Tape(Channels.newChannel(OutputStream.nullOutputStream()));
            Worker worker = new Worker(lane, values, script, tape, Values.rawBytes(job.schema()), () -> false);
            try {
                worker.work(most, ns);
            } finally {
                lane.close(worker.isLost());
            }
        }
    }

    /** A script without end of one kind of operation, over all rows one after the other. */
    private static final class Entries implements ReadableByteChannel {
        private static final int SEVERAL = 10;
        private static final int MANY = 100;

        private final Job job;
        private final Phase phase;
        private final Kind kind;
        private final int commitEvery;
        private long number;

        Entries(Job job, Phase phase, Kind kind, int commitEvery) {
            this.job = job;
            this.phase = phase;
            this.kind = kind;
            this.commitEvery = commitEvery;
        }

        @Override
        public int read(ByteBuffer to) {
            int before = to.position();
            while (to.remaining() >= Integer.BYTES * (3 + SEVERAL)) {
                put(to, number++);
            }
            return to.position() - before;
        }

        private void put(ByteBuffer to, long number) {
            int row = (int) (kind == Kind.INSERT ? job.rows() + number : number % job.rows());
            boolean isLast = (number + 1) % MANY == 0 || row == job.rows() - 1;
            boolean commits = kind.writes() && (number + 1) % commitEvery == 0;
            to.putInt(kind.ordinal() | (commits ? Script.COMMIT : 0)
                    | (kind == Kind.LOAD && phase.batched() && !isLast ? Script.WITH_NEXT : 0));
            if (kind == Kind.SEARCH) {
                int low = (int) Values.number(job.schema().get(phase.searchField()), row, 0, phase.searchField());
                to.putInt(low).putInt(low + 31 * MANY);
                return;
            }
            int several = kind == Kind.MULTI_READ ? SEVERAL : kind == Kind.OPEN ? 1 : 0;
            to.putInt(row).putInt(switch (kind) {
                case UPDATE -> (int) (1 + number / job.rows());
                case LATEST -> MANY;
                default -> several;
            });
            for (int at = 0; at < several; at++) {
                to.putInt((int) ((row + at) % job.rows()));
            }
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}

package kurabe.client;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import kurabe.client.Job.Phase;

/** The workers of one phase, each in a thread of its own, and the gate that starts them together. */
final class Crew {
    /** Makes the connection of a worker. */
    interface Connects {
        Lane connect() throws StoreException;
    }

    private final Phase phase;
    private final int rowBytes;
    private final Connects connects;
    private final BooleanSupplier isGone;
    private final List<Member> members;
    private final CountDownLatch arrived;
    private final CountDownLatch gate = new CountDownLatch(1);
    private volatile boolean takesPlace;

    Crew(Phase phase, Values values, int rowBytes, Connects connects, BooleanSupplier isGone) {
        this.phase = phase;
        this.rowBytes = rowBytes;
        this.connects = connects;
        this.isGone = isGone;
        members = phase.workers().stream().map(part -> new Member(part, values.copy())).toList();
        arrived = new CountDownLatch(members.size());
    }

    /** A worker's thread and what came of it. */
    private final class Member extends Thread {
        private final Phase.Part part;
        private final Values values;
        private Lane lane;
        private boolean waits = true;
        private Throwable broken;

        Member(Phase.Part part, Values values) {
            super("worker-" + part.worker());
            this.part = part;
            this.values = values;
            setDaemon(true);
        }

        @Override
        public void run() {
            try (Script script = new Script(new FileInputStream(part.script().toFile()).getChannel());
                    Tape tape = new Tape(new FileOutputStream(part.tape().toFile()).getChannel())) {
                lane = connects.connect();
                Worker worker = new Worker(lane, values, script, tape, rowBytes, isGone);
                try {
                    work(worker);
                } finally {
                    lane.close(worker.isLost());
                }
            } catch (StoreException | IOException | RuntimeException | Error error) {
                broken = error;
            }
            if (waits) {
                arrived.countDown();
            }
        }

        private void work(Worker worker) throws IOException {
            if (part.warmup() >= 0 || phase.warmupNs() >= 0) {
                worker.work(part.warmup(), phase.warmupNs());
            }
            waits = false;
            arrived.countDown();
            await(gate);
            if (takesPlace) {
                worker.begin();
                worker.work(part.count(), phase.durationNs());
            }
        }
    }

    /** Connects, warms up, and waits until all have. */
    void prepare() throws StoreException, IOException {
        members.forEach(Thread::start);
        await(arrived);
        if (members.stream().anyMatch(member -> member.waits)) {
            leave();
            tell();
        }
    }

    /** Lets all start, and waits until they are done. */
    void go() throws StoreException, IOException {
        takesPlace = true;
        leave();
        tell();
    }

    /** Opens the gate: where nobody said that it takes place, all go away. Waits for their end. */
    void leave() {
        gate.countDown();
        for (Member member : members) {
            try {
                member.join();
            } catch (InterruptedException error) {
                throw new IllegalStateException("interrupted", error);
            }
        }
    }

    /** Attempts that were repeated inside operations so far. */
    long retries() {
        return members.stream().mapToLong(member -> member.lane.retries()).sum();
    }

    private void tell() throws StoreException, IOException {
        for (Member member : members) {
            if (member.broken instanceof StoreException error) {
                throw error;
            } else if (member.broken instanceof IOException error) {
                throw error;
            } else if (member.broken != null) {
                throw new IllegalStateException("a worker failed: " + member.broken, member.broken);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException error) {
            throw new IllegalStateException("interrupted", error);
        }
    }
}

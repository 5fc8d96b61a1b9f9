package kurabe.client;

import java.util.ArrayList;
import java.util.List;

/**
 * The loop that measures: one thread a connection, one operation at a time, each between two stamps of
 * {@code System.nanoTime}, which is CLOCK_MONOTONIC on Linux. A phase that only reads works in blocks: rows are chosen
 * for the whole block, then every read is done between its own stamps, then all answers are checked.
 */
final class BlockingLoop {
    /** What ended a worker, the later ones outweighing the earlier. */
    enum StoppedBy { COUNT, DURATION, FAILURES, ABORT }

    /** When the loop stops: first operation number that is not done, and first instant at which none is started. */
    record Limit(long endNumber, long deadlineNs) {
        /** For so many operations from a number on, or so many ns from now on; -1 for no limit. */
        static Limit of(long base, long count, long durationNs) {
            return new Limit(
                    count < 0 ? Long.MAX_VALUE : base + count,
                    durationNs < 0 ? Long.MAX_VALUE : System.nanoTime() + durationNs);
        }
    }

    private static final int BLOCK = 64;
    /** Most bytes of answers in a block: half a first-level cache. */
    private static final int BLOCK_BYTES = 16 << 10;

    private final Store store;
    private final Worker worker;
    private final Lane lane;
    private final PhaseContext context;
    private final Worker.Op[] ops;
    private final Object[][] answers;
    private final StoreException[] errors;
    private final long[] starts;
    private final long[] ends;
    private int uncommitted;

    BlockingLoop(Store store, Worker worker, Lane lane) {
        this.store = store;
        this.worker = worker;
        this.lane = lane;
        context = worker.context;
        int block = Math.max(1, Math.min(BLOCK, BLOCK_BYTES / Math.max(context.layout.rawBytes(), 1)));
        ops = new Worker.Op[block];
        answers = new Object[block][];
        errors = new StoreException[block];
        starts = new long[block];
        ends = new long[block];
    }

    /** Works until a limit is reached. */
    StoppedBy work(Limit limit) {
        StoppedBy stopped = null;
        while (stopped == null) {
            if (worker.choice.number() >= limit.endNumber) {
                stopped = StoppedBy.COUNT;
            } else if (worker.gaveUp()) {
                stopped = StoppedBy.FAILURES;
            } else if (context.aborted.getAsBoolean()) {
                stopped = StoppedBy.ABORT;
            } else if (round(limit) >= limit.deadlineNs) {
                stopped = StoppedBy.DURATION;
            }
        }
        if (uncommitted > 0) {
            commitRest();
        }
        return stopped;
    }

    private long round(Limit limit) {
        if (context.phase.operation() == Kind.READ) {
            return readBlock(limit);
        }
        if (context.phase.operation() == Kind.LOAD && !context.phase.loadPath().equals("row")) {
            return loadMany(limit);
        }
        return step(limit);
    }

    /** Does a block of reads; returns the last end. */
    private long readBlock(Limit limit) {
        int planned = 0;
        while (planned < ops.length && worker.choice.number() < limit.endNumber) {
            ops[planned++] = worker.next();
        }
        int done = 0;
        while (done < planned) {
            Object key = ops[done].row().key();
            Object[] answer = null;
            StoreException failed = null;
            long start = System.nanoTime();
            try {
                answer = lane.read(key);
            } catch (StoreException error) {
                failed = error;
            }
            long end = System.nanoTime();
            answers[done] = answer;
            errors[done] = failed;
            starts[done] = start;
            ends[done++] = end;
            if (end >= limit.deadlineNs) {
                break;
            }
        }
        for (int at = 0; at < done; at++) {
            if (errors[at] != null) {
                worker.fail(Kind.READ, errors[at], starts[at], ends[at]);
            } else {
                worker.settleRead(ops[at], answers[at]);
                worker.count(Kind.READ, starts[at], ends[at], 1);
            }
            answers[at] = null;
        }
        return ends[done - 1];
    }

    private long step(Limit limit) {
        Worker.Op op = worker.next();
        return switch (op.kind()) {
            case READ, OPEN -> read(op);
            case SCAN, LATEST -> worker.many().scanOrLatest(lane, op.kind());
            case MULTI_READ -> worker.many().multiRead(lane);
            case SEARCH -> worker.many().search(lane, op.row().number());
            default -> write(op, limit);
        };
    }

    private long read(Worker.Op op) {
        Object key = op.row().key();
        long start = System.nanoTime();
        try {
            Object[] answer = op.kind() == Kind.OPEN ? store.openAndRead(context.phase, key) : lane.read(key);
            long end = System.nanoTime();
            worker.settleRead(op, answer);
            worker.count(op.kind(), start, end, 1);
            return end;
        } catch (StoreException error) {
            long end = System.nanoTime();
            worker.fail(op.kind(), error, start, end);
            return end;
        }
    }

    /** Does one write, and the commit that it triggers; returns its end. */
    private long write(Worker.Op op, Limit limit) {
        uncommitted++;
        boolean commits = uncommitted >= context.phase.commitEvery() || worker.choice.number() >= limit.endNumber;
        boolean written = false;
        long start = System.nanoTime();
        try {
            Written did = apply(op);
            written = true;
            if (commits) {
                lane.commit();
            }
            long end = System.nanoTime();
            if (op.kind() == Kind.INCREMENT) {
                worker.settleIncrement();
            } else {
                worker.settleWrite(op, did);
            }
            worker.count(op.kind(), start, end, 1);
            if (commits) {
                worker.acknowledge();
                uncommitted = 0;
            }
            return end;
        } catch (StoreException error) {
            long end = System.nanoTime();
            if (written) {
                worker.failCommit(op.kind(), error, start, end);
                uncommitted = 0;
            } else {
                worker.fail(op.kind(), error, start, end);
            }
            return end;
        }
    }

    private Written apply(Worker.Op op) throws StoreException {
        switch (op.kind()) {
            case LOAD -> lane.load(op.row());
            case INSERT -> {
                return lane.insert(op.row());
            }
            case UPDATE -> {
                return lane.update(op.row());
            }
            case INCREMENT -> lane.increment(op.row().number());
            default -> {
                return lane.delete(op.row().key());
            }
        }
        return Written.DONE;
    }

    /** Loads several rows in one request; each has the latency of the whole. */
    private long loadMany(Limit limit) {
        List<Row> rows = new ArrayList<>(context.phase.batchRows());
        while (rows.size() < context.phase.batchRows() && worker.choice.number() < limit.endNumber) {
            rows.add(worker.next().row());
        }
        long start = System.nanoTime();
        try {
            lane.loadMany(rows);
            lane.commit();
            long end = System.nanoTime();
            worker.count(Kind.LOAD, start, end, rows.size());
            return end;
        } catch (StoreException error) {
            long end = System.nanoTime();
            worker.fail(Kind.LOAD, error, start, end);
            return end;
        }
    }

    /** Commits what a phase that ended by time has left; the time counts, but for no single operation. */
    private void commitRest() {
        long start = System.nanoTime();
        uncommitted = 0;
        try {
            lane.commit();
            worker.acknowledge();
            worker.extendTo(System.nanoTime());
        } catch (StoreException error) {
            Kind kind = context.phase.kinds().stream().filter(Kind::writes).findFirst().orElse(Kind.UPDATE);
            worker.failCommit(kind, error, start, System.nanoTime());
        }
    }
}

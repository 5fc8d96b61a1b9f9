package kurabe.client;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One worker: chooses its operations, notes them in the ledger, checks the answers and counts. */
final class Worker {
    /** After so many failures in a row a worker gives up. */
    private static final int FAILURES_IN_A_ROW = 100;
    /** Different messages of failures that are kept. */
    private static final int MESSAGES = 20;

    /** A failure that is counted by its message. */
    record Failure(Kind kind, String message) {}

    /** A write that waits for its commit. */
    private record Pending(long row, int state) {}

    final PhaseContext context;
    final int index;
    final Choice choice;
    final Findings findings = new Findings();
    final Map<Kind, Latencies> latency = new EnumMap<>(Kind.class);
    final Map<Failure, Long> failures = new LinkedHashMap<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Many many;
    Series series = new Series(0);
    long operations;
    long failed;
    long rowsRead;
    long retries;
    long firstStartNs;
    long lastEndNs;
    long incrementsAcknowledged;
    long incrementsUnknown;
    private long incrementsPending;
    private long failedInARow;
    /** Whether a write failed since the last commit that came to be: what succeeds meanwhile is no end of the row. */
    private boolean writeFails;

    Worker(PhaseContext context, int index) {
        this.context = context;
        this.index = index;
        choice = new Choice(context.phase, context.streams, index, context.ledger.loaded());
        many = new Many(this);
        context.phase.kinds().forEach(kind -> latency.put(kind, new Latencies()));
    }

    /** Operations that answer with many rows. */
    Many many() {
        return many;
    }

    /** Forgets what the warm-up counted, but not what the oracle found, and starts the series. */
    void beginMeasuring() {
        latency.replaceAll((kind, old) -> new Latencies());
        operations = failed = rowsRead = firstStartNs = lastEndNs = 0;
        if (!gaveUp()) {
            failures.clear();
        }
        series = new Series(System.nanoTime());
    }

    /** Where the measured operations start: the first number of this round of workers. */
    long base() {
        return choice.number() - index;
    }

    /** Whether the worker has given up. */
    boolean gaveUp() {
        return failedInARow >= FAILURES_IN_A_ROW;
    }

    /** An operation that is under way: for reads the acknowledged state before, for writes the states around it. */
    record Op(Kind kind, Row row, int before, int after) {
        /**
         * How far the row may have got, once the write is under way. An update of a row that may be gone leaves
         * nothing, or the version that its delete used up.
         */
        int underWay() {
            return kind == Kind.UPDATE && !Ledger.present(after) ? Ledger.deleted(after) : after;
        }
    }

    /** Chooses the next operation and notes it as started. */
    Op next() {
        Kind kind = choice.nextKind();
        Op op = switch (kind) {
            case READ, OPEN -> {
                long row = choice.rowToRead();
                yield new Op(kind, row(row), context.ledger.acknowledged(row), Ledger.NEVER);
            }
            case LOAD -> {
                long row = choice.rowToInsert();
                yield new Op(kind, row(row, 0), Ledger.NEVER, Ledger.LOADED);
            }
            case INSERT -> write(kind, choice.rowToInsert());
            case UPDATE, DELETE -> write(kind, choice.rowToWrite());
            case INCREMENT, SEARCH -> new Op(kind, row(choice.rowOfAnybody()), Ledger.NEVER, Ledger.NEVER);
            default -> new Op(kind, null, Ledger.NEVER, Ledger.NEVER);
        };
        // A multi-read draws its own rows, from the same number where they come in order.
        if (kind != Kind.MULTI_READ) {
            choice.advance();
        }
        return op;
    }

    /** A write of a row, noted as started. */
    Op write(Kind kind, long row) {
        int before = context.ledger.started(row);
        // Deleting or updating what is absent changes nothing and uses no version up; but a blind update writes.
        boolean changes = kind == Kind.INSERT || (context.blindWrites && kind == Kind.UPDATE) || Ledger.present(before);
        int after = !changes ? before : kind == Kind.DELETE ? Ledger.deleted(before) : Ledger.written(before);
        Op op = new Op(kind, kind == Kind.DELETE ? row(row) : row(row, Ledger.version(after)), before, after);
        // Where the delete of a row is of unknown fate, others may read what an update of it writes, or nothing.
        boolean doubtful = op.underWay() != after && Ledger.present(context.ledger.acknowledged(row));
        context.ledger.start(row, doubtful ? op.underWay() : after);
        return op;
    }

    private Row row(long row) {
        return new Row(context.layout.key(row), row, null, null);
    }

    private Row row(long row, int version) {
        Object[] fields = context.layout.fields(row, version);
        return new Row(context.layout.key(row), row, fields, context.raw ? context.layout.raw(fields) : null);
    }

    /** Counts operations of one kind that share their stamps. */
    void count(Kind kind, long startNs, long endNs, long times) {
        latency.get(kind).record(Math.max(endNs - startNs, 0), times);
        if (!writeFails) {
            failedInARow = 0;
        }
        operations += times;
        time(startNs, endNs);
        series.add(endNs, times);
        context.progress(index, operations);
    }

    private void time(long startNs, long endNs) {
        if (firstStartNs == 0) {
            firstStartNs = startNs;
        }
        lastEndNs = Math.max(lastEndNs, endNs);
    }

    /** Notes the end of a commit that belongs to no operation. */
    void extendTo(long endNs) {
        lastEndNs = Math.max(lastEndNs, endNs);
    }

    /**
     * Counts a failed operation; what it wrote stays started, so its fate is unknown. So is that of the writes before it that
     * wait for a commit, since what fails may take them along.
     */
    void fail(Kind kind, StoreException error, long startNs, long endNs) {
        doubt();
        writeFails |= kind.writes() && kind != Kind.LOAD;
        failed++;
        failedInARow = error.kind == StoreException.Cause.DISCONNECTED ? FAILURES_IN_A_ROW : failedInARow + 1;
        time(startNs, endNs);
        switch (kind) {
            case LOAD -> context.ledger.addFailedLoads(
                    context.phase.loadPath().equals("row") ? 1 : context.phase.batchRows());
            case INSERT -> context.ledger.addUnknown(false);
            case DELETE -> context.ledger.addUnknown(true);
            case INCREMENT -> incrementsUnknown++;
            default -> { }
        }
        Failure failure = new Failure(kind, error.getMessage());
        // Messages that differ in every operation must not fill the memory.
        if (failures.containsKey(failure) || failures.size() < MESSAGES) {
            failures.merge(failure, 1L, Long::sum);
        }
    }

    /** Counts a commit that failed: all its writes are of unknown fate. */
    void failCommit(Kind kind, StoreException error, long startNs, long endNs) {
        if (kind == Kind.LOAD) {
            // The rows of the commit before this one; `fail` adds the last.
            context.ledger.addFailedLoads(context.phase.commitEvery() - 1L);
        }
        fail(kind, error, startNs, endNs);
    }

    /** The writes that wait for a commit are of unknown fate. */
    private void doubt() {
        incrementsUnknown += incrementsPending;
        incrementsPending = 0;
        for (Pending write : pending) {
            boolean exists = Ledger.present(context.ledger.acknowledged(write.row));
            if (!Ledger.present(write.state)) {
                context.ledger.addUnknown(true);
            } else if (!exists) {
                context.ledger.addUnknown(false);
            }
        }
        pending.clear();
    }

    /** Takes what a write did; it is acknowledged by the next commit. */
    void settleWrite(Op op, Written written) {
        if (op.kind == Kind.LOAD) {
            return;
        }
        findings.checked();
        boolean existed = Ledger.present(op.before);
        Written expected = op.kind == Kind.INSERT
                ? existed ? Written.EXISTS : Written.DONE
                : existed || context.blindWrites ? Written.DONE : Written.MISSING;
        if (written != expected) {
            contradiction(op, written);
        } else if (written == Written.DONE) {
            pending.add(new Pending(op.row.number(), op.after));
        } else {
            context.ledger.takeBack(op.row.number(), op.before, op.underWay());
        }
    }

    private void contradiction(Op op, Written written) {
        long row = op.row.number();
        // After a write of unknown fate the store may rightly answer either way.
        int acknowledged = context.ledger.acknowledged(row);
        boolean uncertain = Ledger.present(acknowledged) != Ledger.present(op.before)
                || context.ledger.mayNeverHaveBeenLoaded(acknowledged);
        if (written == Written.DONE) {
            // An update of a row that was held to be deleted: it exists after all, with the value just sent.
            int version = Ledger.version(op.after);
            int after = op.kind == Kind.DELETE ? op.after : (version + 1) << 1 | 1;
            context.ledger.start(row, after);
            pending.add(new Pending(row, after));
        } else {
            context.ledger.takeBack(row, op.before, op.underWay());
        }
        if (uncertain) {
            return;
        }
        String what = op.kind.word() + " of row " + row;
        switch (written) {
            case MISSING -> findings.found(Findings.Kind.LOST, what + ": the store has no such row");
            case EXISTS -> findings.found(Findings.Kind.PHANTOM, what + ": the store says that it exists already");
            case DONE -> {
                if (op.kind == Kind.INSERT) {
                    findings.found(Findings.Kind.LOST, what + ": accepted, but the row exists and must have been met");
                } else {
                    findings.found(Findings.Kind.PHANTOM, what + ": accepted, but the row cannot exist");
                }
            }
        }
    }

    /** Takes an increment; it is acknowledged by the next commit. */
    void settleIncrement() {
        incrementsPending++;
    }

    /** All writes so far are acknowledged: their commit has returned. */
    void acknowledge() {
        for (Pending write : pending) {
            context.ledger.acknowledge(write.row, write.state);
        }
        pending.clear();
        incrementsAcknowledged += incrementsPending;
        incrementsPending = 0;
        // Who gave up commits the rest, and has given up all the same.
        if (writeFails && !gaveUp()) {
            writeFails = false;
            failedInARow = 0;
        }
    }

    /** Deletes that wait for their commit: acknowledged as present, but seen as gone. */
    long pendingDeletes() {
        return pending.stream().filter(write -> !Ledger.present(write.state)).count();
    }

    /** Checks the answer of a read that was chosen by {@link #next}. */
    void settleRead(Op op, Object[] answer) {
        long row = op.row.number();
        checkRow(row, fields(answer), op.before, context.ledger.started(row));
    }

    /** The fields of an answer, whichever way the store holds them. */
    Object[] fields(Object[] answer) {
        return context.raw && answer != null ? context.layout.unpack((byte[]) answer[0]) : answer;
    }

    /** Checks what was read of a row between two states, null for nothing. */
    void checkRow(long row, Object[] fields, int before, int after) {
        findings.checked();
        if (fields == null) {
            // Between two present states one write is an update; two may be a delete and an insert.
            boolean deletes = context.jobDeletes && Ledger.writes(after) > Ledger.writes(before) + 1;
            boolean mayBeAbsent = !Ledger.present(before) || !Ledger.present(after) || deletes;
            if (!mayBeAbsent && !context.ledger.mayNeverHaveBeenLoaded(before)) {
                findings.found(Findings.Kind.LOST, "row " + row + " must exist and was not found");
            }
            return;
        }
        int low = Ledger.present(before) ? Ledger.version(before) : Ledger.writes(before);
        // A delete uses a version up and leaves no value of it.
        int high = Ledger.present(after) ? Ledger.version(after) : Ledger.version(after) - 1;
        if (after == Ledger.NEVER || low > high) {
            findings.found(Findings.Kind.PHANTOM, "row " + row + " was read but does not exist");
            return;
        }
        Layout.Wrong wrong = context.layout.check(row, fields, low, high);
        if (wrong != null) {
            wrong(row, wrong, low, high);
        }
    }

    private void wrong(long row, Layout.Wrong wrong, int low, int high) {
        switch (wrong.fault()) {
            case LENGTH -> findings.found(Findings.Kind.WRONG, "row " + row + " has a value of a wrong length");
            case ROW -> findings.found(Findings.Kind.WRONG, "row " + row + " holds the value of another row");
            case CONTENT -> findings.found(Findings.Kind.WRONG, "row " + row + " holds an altered value");
            case VERSION -> {
                String what = "row " + row + " was read at version " + wrong.version();
                if (wrong.version() < low) {
                    findings.found(Findings.Kind.STALE, what + ", " + low + " was acknowledged before");
                } else {
                    findings.found(Findings.Kind.PHANTOM, what + ", only " + high + " was ever started");
                }
            }
        }
    }
}

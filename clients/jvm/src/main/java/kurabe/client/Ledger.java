package kurabe.client;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * What this client knows about every row: how far its writes have got, started and acknowledged.
 *
 * <p>A state is the number of writes done to a row, and whether it is present after the last of them:
 * {@code writes * 2 + present}. The value of write {@code n} carries version {@code n - 1}. A row that was loaded and
 * not written since needs no entry. Every row is written by one worker only.
 */
final class Ledger {
    /** Never written. */
    static final int NEVER = 0;
    /** Loaded, and not written since. */
    static final int LOADED = 3;
    private static final int PIECE = 1 << 16;

    private final long loaded;
    private final Presence loadedRows;
    private final AtomicReferenceArray<AtomicIntegerArray> started;
    private final AtomicReferenceArray<AtomicIntegerArray> acknowledged;
    private final LongAdder count = new LongAdder();
    private final LongAdder sum = new LongAdder();
    private final LongAdder squares = new LongAdder();
    private final AtomicLong newestInserted = new AtomicLong();
    private final LongAdder unknown = new LongAdder();
    private final LongAdder maybeGone = new LongAdder();
    private volatile boolean loadFailed;

    /** A ledger for rows below capacity, of which those below loaded are loaded first. */
    Ledger(long loaded, long capacity) {
        this.loaded = loaded;
        loadedRows = Presence.below(loaded);
        int pieces = (int) ((Math.max(capacity, loaded) + PIECE - 1) / PIECE) + 1;
        started = new AtomicReferenceArray<>(pieces);
        acknowledged = new AtomicReferenceArray<>(pieces);
    }

    static boolean present(int state) {
        return (state & 1) == 1;
    }

    static int writes(int state) {
        return state >>> 1;
    }

    /** Version of the value in this state. */
    static int version(int state) {
        return Math.max((state >>> 1) - 1, 0);
    }

    /** The state after one more write that leaves a value. */
    static int written(int state) {
        return ((state >>> 1) + 1) << 1 | 1;
    }

    /** The state after a delete. */
    static int deleted(int state) {
        return ((state >>> 1) + 1) << 1;
    }

    /** Rows that the load wrote. */
    long loaded() {
        return loaded;
    }

    /** The last acknowledged state. Take it before a read starts. */
    int acknowledged(long row) {
        return entry(acknowledged, row);
    }

    /** The last started state. Take it after a read ended. */
    int started(long row) {
        return entry(started, row);
    }

    private int entry(AtomicReferenceArray<AtomicIntegerArray> pieces, long row) {
        long at = row / PIECE;
        AtomicIntegerArray piece = at < pieces.length() ? pieces.get((int) at) : null;
        int state = piece == null ? 0 : piece.get((int) (row % PIECE));
        return state != 0 ? state : row < loaded ? LOADED : NEVER;
    }

    private static void set(AtomicReferenceArray<AtomicIntegerArray> pieces, long row, int state) {
        int at = (int) (row / PIECE);
        if (pieces.get(at) == null) {
            pieces.compareAndSet(at, null, new AtomicIntegerArray(PIECE));
        }
        pieces.get(at).set((int) (row % PIECE), state);
    }

    /** Notes that a write is about to start. Only the row's owner may call it. */
    void start(long row, int state) {
        set(started, row, state);
    }

    /** Notes that a write is acknowledged. Only the row's owner may call it. */
    void acknowledge(long row, int state) {
        boolean present = present(state);
        if (present(acknowledged(row)) != present) {
            long sign = present ? 1 : -1;
            count.add(sign);
            sum.add(sign * row);
            squares.add(sign * row * row);
            if (present) {
                newestInserted.accumulateAndGet(row, Math::max);
            }
        }
        set(acknowledged, row, state);
    }

    /** The highest row that was ever loaded or inserted. */
    long highestWritten() {
        return Math.max(newestInserted.get(), loaded - 1);
    }

    /** Takes the start of a write back: the store said that it changed nothing. */
    void takeBack(long row, int before, int after) {
        if (started(row) == after) {
            set(started, row, before);
        }
    }

    /** Which rows exist; null while the fate of some is unknown. */
    Presence presence() {
        if (unknown() > 0) {
            return null;
        }
        return new Presence(
                loadedRows.count() + count.sum(), loadedRows.sum() + sum.sum(), loadedRows.squares() + squares.sum());
    }

    /** Rows that surely exist. */
    long surelyPresent() {
        return Math.max(loadedRows.count() + count.sum() - maybeGone.sum(), 0);
    }

    /** The acknowledged row with the highest key, or -1 where it is not known to exist. */
    long newest() {
        long newest = Math.max(newestInserted.get(), loaded - 1);
        return newest >= 0 && present(acknowledged(newest)) ? newest : -1;
    }

    /** Rows whose existence is unknown since a write failed. */
    long unknown() {
        return unknown.sum();
    }

    /** Notes an insert or delete whose fate is unknown. */
    void addUnknown(boolean mayBeGone) {
        unknown.increment();
        if (mayBeGone) {
            maybeGone.increment();
        }
    }

    /** Notes loads that failed: any row that was only loaded may be absent, since single loads are not kept apart. */
    void addFailedLoads(long rows) {
        loadFailed = true;
        unknown.add(rows);
        maybeGone.add(rows);
    }

    /** Whether a row in this acknowledged state may be absent since a load failed. */
    boolean mayNeverHaveBeenLoaded(int state) {
        return state == LOADED && loadFailed;
    }
}

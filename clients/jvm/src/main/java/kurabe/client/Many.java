package kurabe.client;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Operations that answer with many rows: how they are chosen, timed and checked. */
final class Many {
    /** Gaps in {@code latest} come from deletes and from workers that stopped early; no honest one is longer. */
    private static final long LONGEST_GAP = 1_000_000;

    /** Largest integer of the protocol: no value is larger, so a search without an upper end asks up to it. */
    private static final long LARGEST = (1L << 53) - 1;

    /** Asks a lane and gives what comes to a sink. */
    interface Ask {
        /** Asks. */
        void ask(RowSink sink) throws StoreException;
    }

    private final Worker worker;
    private final PhaseContext context;

    Many(Worker worker) {
        this.worker = worker;
        context = worker.context;
    }

    /** Reads several different rows in one operation. */
    long multiRead(Lane lane) {
        Choice choice = worker.choice;
        int wanted = (int) Math.min(context.phase.multiReadRows(), choice.readableRows());
        List<Long> rows = new ArrayList<>(wanted);
        List<Object> keys = new ArrayList<>(wanted);
        int[] before = new int[wanted];
        for (int at = 0; at < wanted; at++) {
            long row = choice.rowToRead();
            while (rows.contains(row)) {
                row = choice.neighbour(row);
            }
            before[at] = context.ledger.acknowledged(row);
            rows.add(row);
            keys.add(context.layout.key(row));
        }
        choice.advance();
        long start = System.nanoTime();
        try {
            Object[][] answers = lane.multiRead(keys);
            long end = System.nanoTime();
            for (int at = 0; at < wanted; at++) {
                worker.rowsRead += answers[at] == null ? 0 : 1;
                worker.checkRow(rows.get(at), worker.fields(answers[at]), before[at], context.ledger.started(rows.get(at)));
            }
            worker.count(Kind.MULTI_READ, start, end, 1);
            return end;
        } catch (StoreException error) {
            long end = System.nanoTime();
            worker.fail(Kind.MULTI_READ, error, start, end);
            return end;
        }
    }

    /** What a search asks for, and the rows whose coming is looked at; what was acknowledged of them, in a phase that writes. */
    private record Asking(int field, long low, long high, long first, int rows, int[] before) {}

    private Asking asking(long drawn) {
        Layout layout = context.layout;
        int field = context.searchField;
        boolean isWide = context.phase.searchAtLeast() >= 0;
        long loaded = Math.max(context.ledger.loaded(), 1);
        int rows = (int) (isWide ? context.ledger.highestWritten() + 1 : Math.min(context.phase.searchRows(), loaded));
        long first = isWide ? 0 : Math.min(drawn, loaded - rows);
        long low = isWide ? context.phase.searchAtLeast() : layout.intValue(first, 0, field);
        long high = isWide ? LARGEST : layout.intValue(first + rows - 1, 0, field);
        int[] before = new int[context.phase.writes() ? rows : 0];
        for (int at = 0; at < before.length; at++) {
            before[at] = context.ledger.acknowledged(first + at);
        }
        return new Asking(field, low, high, first, rows, before);
    }

    /** Reads all rows whose value in a column is in a range. */
    long search(Lane lane, long drawn) {
        Asking asking = asking(drawn);
        int field = asking.field();
        BitSet came = new BitSet();
        RowSink sink = new RowSink((key, answer) -> {
            long row = context.layout.rowOf(key);
            Object[] fields = worker.fields(answer);
            checkScanned(row, key, fields, false);
            boolean inside = fields.length >= field && fields[field - 1] instanceof Long value && value >= asking.low()
                    && value <= asking.high();
            if (!inside) {
                worker.findings.found(Findings.Kind.WRONG,
                        "a search gave row " + row + ", whose value is not in the range");
            }
            long at = row - asking.first();
            if (at >= 0 && at < Integer.MAX_VALUE) {
                if (came.get((int) at)) {
                    worker.findings.found(Findings.Kind.MISCOUNTED, "a search gave row " + row + " again");
                }
                came.set((int) at);
            }
            worker.rowsRead++;
        });
        return timed(Kind.SEARCH, sink, s -> lane.search(field, asking.low(), asking.high(), s),
                () -> checkSearch(asking, came));
    }

    /** Every row that was in the range all the time must have come. */
    private void checkSearch(Asking asking, BitSet came) {
        for (int at = 0; at < asking.rows(); at++) {
            if (came.get(at)) {
                continue;
            }
            long row = asking.first() + at;
            // Where nothing is written it still is what it was.
            int state = asking.before().length > 0 ? asking.before()[at] : context.ledger.acknowledged(row);
            boolean certain = Ledger.present(state) && context.ledger.started(row) == state
                    && !context.ledger.mayNeverHaveBeenLoaded(state);
            long value = context.layout.intValue(row, Ledger.version(state), asking.field());
            if (certain && value >= asking.low() && value <= asking.high()) {
                worker.findings.found(Findings.Kind.LOST,
                        "a search for " + asking.low() + " to " + asking.high() + " left row " + row + " out");
            }
        }
    }

    /** Reads everything, or the newest rows. */
    long scanOrLatest(Lane lane, Kind kind) {
        boolean quiet = context.phase.connections() == 1 || !context.phase.writes();
        long newest = kind == Kind.LATEST ? context.ledger.newest() : -1;
        int newestState = newest < 0 ? 0 : context.ledger.acknowledged(newest);
        Tally tally = new Tally();
        RowSink sink = new RowSink((key, answer) -> {
            long row = context.layout.rowOf(key);
            long above = tally.take(row);
            checkScanned(row, key, worker.fields(answer), quiet);
            if (kind == Kind.LATEST) {
                checkGap(row, above);
            }
            worker.rowsRead++;
        });
        Ask ask = kind == Kind.SCAN ? lane::scan : s -> lane.latest(context.phase.latestRows(), s);
        return timed(kind, sink, ask, () -> {
            if (kind == Kind.SCAN) {
                checkScan(tally);
            } else {
                checkLatest(tally, newest, newestState);
            }
        });
    }

    private long timed(Kind kind, RowSink sink, Ask ask, Runnable checkWhole) {
        long start = System.nanoTime();
        try {
            ask.ask(sink);
            long end = System.nanoTime() - sink.pausedNs();
            sink.flush();
            worker.findings.checked();
            checkWhole.run();
            worker.count(kind, start, end, 1);
        } catch (StoreException error) {
            worker.fail(kind, error, start, System.nanoTime());
        }
        return System.nanoTime();
    }

    private void checkScanned(long row, Object key, Object[] fields, boolean quiet) {
        if (row < 0) {
            worker.findings.checked();
            worker.findings.found(Findings.Kind.PHANTOM, "a key that was never written: '" + key + "'");
            return;
        }
        int before = quiet ? context.ledger.acknowledged(row) : Ledger.LOADED;
        worker.checkRow(row, fields, before, context.ledger.started(row));
    }

    /** Rows between two answers of {@code latest} must not exist. */
    private void checkGap(long row, long above) {
        if (above < 0 || row < 0 || above <= row || above - row > LONGEST_GAP || !context.existenceIsKnown()) {
            return;
        }
        for (long between = row + 1; between < above; between++) {
            int state = context.ledger.acknowledged(between);
            // A write that is not acknowledged may be a delete.
            boolean surely = Ledger.present(state) && context.ledger.started(between) == state
                    && !context.ledger.mayNeverHaveBeenLoaded(state);
            if (surely) {
                worker.findings.found(Findings.Kind.LOST,
                        "latest gave row " + above + ", then row " + row + ", but row " + between + " exists");
                return;
            }
        }
    }

    private void checkScan(Tally tally) {
        Presence expected = context.ledger.presence();
        if (context.phase.does(Kind.INSERT) || context.phase.does(Kind.DELETE) || expected == null) {
            return;
        }
        if (!tally.rows.equals(expected)) {
            worker.findings.found(Findings.Kind.MISCOUNTED, "a scan gave " + tally.rows.count() + " rows where "
                    + expected.count() + " exist, or gave some twice and others not at all");
        }
    }

    private void checkLatest(Tally tally, long newest, int newestState) {
        long wanted = context.phase.latestRows();
        long exists = Math.max(context.ledger.surelyPresent() - worker.pendingDeletes(), 0);
        boolean tooFew = context.existenceIsKnown() && tally.rows.count() < Math.min(wanted, exists);
        if (tally.rows.count() > wanted || tooFew || tally.disordered) {
            worker.findings.found(Findings.Kind.MISCOUNTED, "latest " + wanted + " gave " + tally.rows.count()
                    + " rows, " + (tally.disordered ? "not newest first" : "in order"));
            return;
        }
        // It may have been deleted between the two looks at it before the request; and where a write of it started
        // meanwhile, that may be a delete.
        boolean stays = newest >= 0 && Ledger.present(newestState) && context.ledger.started(newest) == newestState
                && !context.ledger.mayNeverHaveBeenLoaded(newestState);
        if (stays && tally.first >= 0 && tally.first < newest) {
            worker.findings.found(Findings.Kind.LOST,
                    "latest began with row " + tally.first + ", but row " + newest + " exists");
        }
    }

    /** What a scan or latest gave so far. */
    private static final class Tally {
        private Presence rows = Presence.NONE;
        private long first = -1;
        private long last = -1;
        private boolean disordered;

        /** Takes the next row; returns the one before, or -1. */
        long take(long row) {
            rows = rows.with(row);
            first = first < 0 ? row : first;
            disordered |= last >= 0 && last <= row;
            long before = last;
            last = row;
            return before;
        }
    }
}

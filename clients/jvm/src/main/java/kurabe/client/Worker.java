package kurabe.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import kurabe.client.Job.Kind;
import kurabe.client.Main.Secrets;
import kurabe.client.Store.*;

/** The loop of one connection: it does what the script says, and keeps a tape of what came. */
final class Worker implements AutoCloseable {
    private static final int FAILURES_IN_A_ROW = 100;

    private final Lane lane;
    private final Values values;
    private final Script script;
    private final Tape tape;
    /** In an open loop; else null. */
    private final Starts starts;
    private final BooleanSupplier isGone;
    private final Function<Exception, StoreException> inWords;
    private final Rows rows;
    // What is given for the operation under way, a row each, and what came of it.
    private Object[] keys = {};
    private Object[][] given = {};
    private Object[][] answers = {};
    /** What ended the connection: all that follows fails with it. */
    private StoreException lost;
    private long left;
    private boolean isDue;
    private boolean isUncommitted;
    private int failedInARow;
    private boolean writesFail;

    /**
     * {@code rowBytes} are about those of a row; {@code isGone} tells that nobody listens any more; {@link
     * Store#failure} puts into words.
     */
    Worker(Lane lane, Values values, Script script, Tape tape, Starts starts, int rowBytes, BooleanSupplier isGone,
            Function<Exception, StoreException> inWords) {
        this.lane = lane;
        this.values = values;
        this.script = script;
        this.tape = tape;
        this.starts = starts;
        this.isGone = isGone;
        this.inWords = inWords;
        rows = new Rows(values, rowBytes);
    }

    /** Attempts that were repeated inside operations so far. */
    long retries() {
        return lane.retries();
    }

    /** Closes the connection. */
    @Override
    public void close() throws StoreException {
        try {
            lane.close(lost != null);
        } catch (Exception error) {
            throw inWords.apply(error);
        }
    }

    /** Notes that what follows is measured. */
    void begin() throws IOException {
        long now = System.nanoTime();
        tape.note(now, now, Outcome.BEGINS, 0);
        if (starts != null) {
            // Starts come once this is read.
            tape.flush();
        }
    }

    /** Waits for the planned start of the next operation; false where there is none. */
    private boolean awaitStart() throws IOException {
        long free = System.nanoTime();
        long start = starts.next();
        if (start > 0) {
            tape.note(start, free, Outcome.TAKEN, 0);
        }
        return start > 0;
    }

    /** Works until the script ends, so many operations are done, or so long has passed; -1 for no such limit. */
    void work(long most, long lastsNs) throws IOException {
        long deadline = lastsNs < 0 ? Long.MAX_VALUE : System.nanoTime() + lastsNs;
        left = most < 0 ? Long.MAX_VALUE : most;
        failedInARow = 0;
        writesFail = isDue = isUncommitted = false;
        long end = 0;
        while (left > 0 && end < deadline && failedInARow < FAILURES_IN_A_ROW && !isGone.getAsBoolean()
                && (starts == null || awaitStart()) && script.next()) {
            if (script.goesWithNext()) {
                end = loadGroup();
            } else {
                prepare(script.kind);
                end = step(script.kind, script.commits());
                left--;
            }
        }
        if (isUncommitted) {
            commitRest();
        }
    }

    /** Does one operation, or the group of loads that was taken, and the commit behind it; returns its end. */
    private long step(Kind kind, boolean isCommit) throws IOException {
        isDue |= isCommit;
        isUncommitted |= kind.writes();
        boolean commits = isDue && kind.writes();
        Outcome outcome = Outcome.DONE;
        Outcome failure = Outcome.FAILED;
        Exception thrown = null;
        long start = System.nanoTime();
        try {
            refuseIfLost();
            outcome = apply(kind);
            if (commits) {
                failure = Outcome.COMMIT_FAILED;
                lane.commit();
            }
        } catch (Exception error) {
            thrown = error;
        }
        long end = System.nanoTime();
        StoreException error = thrown == null ? null : inWords.apply(thrown);
        settle(kind, commits, failure, error);
        if (error == null) {
            note(kind, start, end, outcome);
        } else {
            // Of a group whose commit failed all were taken, and the commit is behind the last.
            for (int at = 1; at < members(kind); at++) {
                fail(start, end, failure == Outcome.FAILED ? failure : Outcome.DONE, error);
            }
            fail(start, end, failure, error);
        }
        return end;
    }

    /** Records of an operation that says no rows; a group of loads has several. */
    private int members(Kind kind) {
        return kind == Kind.LOAD ? keys.length : 1;
    }

    private void fail(long start, long end, Outcome outcome, StoreException error) throws IOException {
        rows.clear();
        if (outcome == Outcome.DONE) {
            tape.note(start, end, outcome, 0);
        } else {
            tape.fail(start, end, outcome, Secrets.clean(error.getMessage()));
        }
    }

    /** Makes what the driver is given, before the clock is read. */
    private void prepare(Kind kind) {
        boolean isSeveral = kind == Kind.MULTI_READ || kind == Kind.OPEN;
        resize(isSeveral ? script.rows.length : 1);
        for (int at = 0; at < keys.length; at++) {
            long row = isSeveral ? script.rows[at] : script.row;
            keys[at] = kind == Kind.INCREMENT ? (Object) row : values.key(row);
        }
        if (!isSeveral) {
            boolean hasValue = kind == Kind.LOAD || kind == Kind.INSERT || kind == Kind.UPDATE;
            given[0] = hasValue ? values.value(script.row, script.argument) : null;
        }
    }

    private void resize(int rows) {
        if (keys.length != rows) {
            keys = new Object[rows];
            given = new Object[rows][];
            answers = new Object[rows][];
        }
    }

    private Outcome apply(Kind kind) throws Exception {
        switch (kind) {
            case READ -> answers[0] = lane.read(keys[0]);
            case MULTI_READ, OPEN -> answers = lane.readMany(kind, keys);
            case SCAN, LATEST, SEARCH -> lane.give(kind, script.row, script.argument, rows);
            default -> {
                if (keys.length == 1) {
                    return lane.write(kind, keys[0], given[0]);
                }
                lane.loadMany(keys, given);
            }
        }
        return Outcome.DONE;
    }

    /** Counts failures in a row. A commit that could not be tried is due behind the next write. */
    private void settle(Kind kind, boolean commits, Outcome failure, StoreException error) {
        if (commits && (error == null || failure == Outcome.COMMIT_FAILED)) {
            isDue = isUncommitted = false;
        }
        if (error != null) {
            lose(error);
            failedInARow += members(kind);
            writesFail |= kind.writes() && kind != Kind.LOAD;
        } else if (commits || !writesFail) {
            // What is written between two commits that fail ends no row of failures.
            failedInARow = 0;
            writesFail = false;
        }
    }

    private void refuseIfLost() throws StoreException {
        if (lost != null) {
            throw lost;
        }
    }

    private void lose(StoreException error) {
        lost = lost == null && error.kind == StoreException.Cause.DISCONNECTED ? error : lost;
    }

    /** Writes what came on the tape; rows that were asked for stand under the keys that were asked for. */
    private void note(Kind kind, long start, long end, Outcome outcome) throws IOException {
        switch (kind) {
            case READ, MULTI_READ, OPEN -> {
                tape.note(start, end, outcome, keys.length);
                for (int at = 0; at < keys.length; at++) {
                    tape.row(values.digests(keys[at], answers[at]));
                    answers[at] = null;
                }
            }
            case SCAN, LATEST, SEARCH -> rows.writeTo(tape, start, end);
            default -> {
                for (int at = 0; at < members(kind); at++) {
                    tape.note(start, end, outcome, 0);
                }
            }
        }
    }

    /** Takes the entries of a group of loads, and does them in one request; returns its end. */
    private long loadGroup() throws IOException {
        List<Object> several = new ArrayList<>();
        List<Object[]> written = new ArrayList<>();
        boolean commits = false;
        for (boolean goesOn = true; goesOn; ) {
            if (script.kind != Kind.LOAD) {
                throw new IOException("a script has a group of other operations than load, which is not known here");
            }
            several.add(values.key(script.row));
            written.add(values.value(script.row, script.argument));
            commits |= script.commits();
            goesOn = script.goesWithNext();
            if (goesOn && !script.next()) {
                throw new IOException("a script ends in the middle of a group");
            }
        }
        resize(several.size());
        several.toArray(keys);
        written.toArray(given);
        left -= keys.length;
        return step(Kind.LOAD, commits);
    }

    private void commitRest() throws IOException {
        Exception thrown = null;
        long start = System.nanoTime();
        try {
            refuseIfLost();
            lane.commit();
        } catch (Exception error) {
            thrown = error;
        }
        long end = System.nanoTime();
        if (thrown == null) {
            tape.note(start, end, Outcome.REST_COMMITTED, 0);
        } else {
            StoreException error = inWords.apply(thrown);
            lose(error);
            tape.fail(start, end, Outcome.REST_NOT_COMMITTED, Secrets.clean(error.getMessage()));
        }
    }

    /**
     * The digests of the rows of an answer, made in pieces with the clock put aside, so that the rows need not be kept.
     */
    private static final class Rows implements Lane.Sink {
        private static final int PIECE = 256;
        private static final int PIECE_BYTES = 4 << 20;

        private final Values values;
        private final Object[] keys;
        private final Object[][] answers;
        private final List<long[]> digests = new ArrayList<>();
        private int waiting;
        private int count;
        private long pausedNs;

        Rows(Values values, int rowBytes) {
            this.values = values;
            keys = new Object[Math.max(1, Math.min(PIECE, PIECE_BYTES / Math.max(rowBytes, 1)))];
            answers = new Object[keys.length][];
        }

        @Override
        public void take(Object key, Object[] value) {
            keys[waiting] = key;
            answers[waiting++] = value;
            if (waiting == keys.length) {
                long start = System.nanoTime();
                digest();
                pausedNs += System.nanoTime() - start;
            }
        }

        private void digest() {
            long[] piece = new long[waiting];
            for (int at = 0; at < waiting; at++) {
                piece[at] = values.digests(keys[at], answers[at]);
                answers[at] = null;
            }
            digests.add(piece);
            count += waiting;
            waiting = 0;
        }

        /** Notes an operation that gave them; what making digests took between two rows is taken off. */
        void writeTo(Tape tape, long start, long end) throws IOException {
            digest();
            tape.note(start + pausedNs, end, Outcome.DONE, count);
            for (long[] piece : digests) {
                for (long one : piece) {
                    tape.row(one);
                }
            }
            clear();
        }

        void clear() {
            digests.clear();
            waiting = count = 0;
            pausedNs = 0;
        }
    }

    /**
     * The operations of a worker in their order, read a piece at a time: the other side writes while the phase runs.
     */
    static final class Script implements Closeable {
        /** Added to the code of a kind: a commit is due behind it. */
        static final int COMMIT = 256;
        /** Added to the code of a kind: it goes in one request with the next entry. */
        static final int WITH_NEXT = 512;
        /** The most that is read ahead. */
        static final int PIECE_BYTES = 1 << 16;
        private static final int ENTRY_BYTES = 12;
        private static final Kind[] KINDS = Kind.values();

        private final ReadableByteChannel from;
        private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN).flip();
        private int code;
        // The entry that it is at.
        Kind kind;
        long row;
        /** The version to write, the number of rows, or the greatest value of a search. */
        long argument;
        /** The rows of a multi-read or an opening. */
        long[] rows = {};

        Script(ReadableByteChannel from) {
            this.from = from;
        }

        /** Goes to the next entry; false at the end. */
        boolean next() throws IOException {
            if (!has(ENTRY_BYTES)) {
                return false;
            }
            code = piece.getInt();
            row = Integer.toUnsignedLong(piece.getInt());
            argument = Integer.toUnsignedLong(piece.getInt());
            int number = code & COMMIT - 1;
            if (number >= KINDS.length) {
                throw new IOException("operation " + number + " of a script is not known here");
            }
            kind = KINDS[number];
            if (kind == Kind.MULTI_READ || kind == Kind.OPEN) {
                rows = rows.length == argument ? rows : new long[(int) argument];
                for (int at = 0; at < argument; at++) {
                    if (!has(Integer.BYTES)) {
                        throw new IOException("a script ends in the middle of an entry");
                    }
                    rows[at] = Integer.toUnsignedLong(piece.getInt());
                }
            }
            return true;
        }

        /** Whether so many bytes are there; waits for them. */
        private boolean has(int bytes) throws IOException {
            if (piece.remaining() >= bytes) {
                return true;
            }
            piece.compact();
            int came = 0;
            while (came >= 0 && piece.position() < bytes) {
                came = from.read(piece);
            }
            piece.flip();
            if (piece.hasRemaining() && piece.remaining() < bytes) {
                throw new IOException("a script ends in the middle of an entry");
            }
            return piece.hasRemaining();
        }

        /** Whether a commit is due behind the entry. */
        boolean commits() {
            return (code & COMMIT) != 0;
        }

        /** Whether the entry goes in one request with the next one. */
        boolean goesWithNext() {
            return (code & WITH_NEXT) != 0;
        }

        @Override
        public void close() throws IOException {
            from.close();
        }
    }

    /** The planned starts of an open loop, which come when it is their time. */
    static final class Starts implements Closeable {
        /** Where they come from. */
        static final String PATH = "/dev/fd/4";
        private final byte[] start = new byte[Long.BYTES];
        private final InputStream from;

        Starts(InputStream from) {
            this.from = from;
        }

        /**
         * Waits for the next one, in ns; 0 where there is no further one. Any worker may take it: what would be read
         * ahead would be begun too late.
         */
        long next() throws IOException {
            boolean isWhole = from.read(start) == start.length;
            return isWhole ? ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getLong() : 0;
        }

        @Override
        public void close() throws IOException {
            from.close();
        }
    }

    /** What came of the operations of a worker, written a piece at a time. */
    static final class Tape implements Closeable {
        private static final int HEAD_BYTES = 24;

        private final WritableByteChannel to;
        private final ByteBuffer piece = ByteBuffer.allocateDirect(Script.PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);

        Tape(WritableByteChannel to) {
            this.to = to;
        }

        /** Notes an operation; as many rows follow by {@link #row}. */
        void note(long startNs, long endNs, Outcome outcome, int rows) throws IOException {
            makeRoom(HEAD_BYTES);
            piece.putLong(startNs).putLong(endNs).putInt(outcome.ordinal()).putInt(rows);
        }

        /** Notes a row of an answer by its {@link Values#digests}. */
        void row(long digests) throws IOException {
            makeRoom(Long.BYTES);
            piece.putLong(digests);
        }

        /** Notes a failure. */
        void fail(long startNs, long endNs, Outcome outcome, String words) throws IOException {
            byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
            note(startNs, endNs, outcome, bytes.length);
            makeRoom(bytes.length);
            piece.put(bytes);
        }

        private void makeRoom(int bytes) throws IOException {
            if (piece.remaining() < bytes) {
                flush();
            }
        }

        /** Writes out what was noted. */
        void flush() throws IOException {
            piece.flip();
            while (piece.hasRemaining()) {
                to.write(piece);
            }
            piece.clear();
        }

        /** Writes out what is left. */
        @Override
        public void close() throws IOException {
            try (to) {
                flush();
            }
        }
    }
}

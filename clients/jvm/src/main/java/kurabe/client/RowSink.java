package kurabe.client;

import java.util.function.UnaryOperator;

/**
 * Takes the rows of a scan, a search or of {@code latest}, and hands them to the check in pieces with the clock put
 * aside, so that memory does not grow with the data.
 */
public final class RowSink {
    /** Looks at one row. */
    interface Check {
        /** Its key as the store gave it, and its fields. */
        void see(Object key, Object[] fields);
    }

    private static final int PIECE = 256;

    private final Check check;
    private final Object[] keys = new Object[PIECE];
    private final Object[][] rows = new Object[PIECE][];
    private int used;
    private long pausedNs;
    private UnaryOperator<Object[]> decode = UnaryOperator.identity();

    RowSink(Check check) {
        this.check = check;
    }

    /** Decodes every row that comes from now on, within the time of the store. */
    public RowSink decoding(UnaryOperator<Object[]> how) {
        decode = how;
        return this;
    }

    /** Takes a row; of a raw store the fields are the raw value alone. */
    public void take(Object key, Object[] fields) {
        keys[used] = key;
        rows[used++] = decode.apply(fields);
        if (used == PIECE) {
            flush();
        }
    }

    /** Checks what is left. */
    void flush() {
        long start = System.nanoTime();
        for (int at = 0; at < used; at++) {
            check.see(keys[at], rows[at]);
        }
        used = 0;
        pausedNs += System.nanoTime() - start;
    }

    /** Time that checking took so far, in ns: it is not the store's. */
    long pausedNs() {
        return pausedNs;
    }
}

package kurabe.client;

import java.math.BigInteger;

/** Which rows exist, as a count and two sums modulo 2^64: a row too few, too many or twice changes at least one. */
record Presence(long count, long sum, long squares) {
    static final Presence NONE = new Presence(0, 0, 0);

    /** Rows 0 to rows - 1, by the usual closed forms. */
    static Presence below(long rows) {
        BigInteger n = BigInteger.valueOf(rows);
        BigInteger pairs = n.multiply(n.subtract(BigInteger.ONE));
        BigInteger squares = pairs.multiply(n.shiftLeft(1).subtract(BigInteger.ONE)).divide(BigInteger.valueOf(6));
        return rows == 0 ? NONE : new Presence(rows, pairs.shiftRight(1).longValue(), squares.longValue());
    }

    /** With one row more. */
    Presence with(long row) {
        return new Presence(count + 1, sum + row, squares + row * row);
    }
}

package kurabe.client;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/** What came of the operations of a worker, written a piece at a time. */
public final class Tape implements Closeable {
    /** What a record tells, in the order of the codes. */
    public enum Outcome {
        /** Done. */
        DONE,
        /** Not inserted: the key exists. */
        EXISTS,
        /** Not updated or deleted: no such key. */
        MISSING,
        /** It failed; its fate is unknown. */
        FAILED,
        /** A write was taken, the commit behind it failed. */
        COMMIT_FAILED,
        /** No operation: what was left was committed. */
        REST_COMMITTED,
        /** No operation: that failed. */
        REST_NOT_COMMITTED,
        /** No operation: what follows is measured. */
        BEGINS
    }

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

    private void flush() throws IOException {
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

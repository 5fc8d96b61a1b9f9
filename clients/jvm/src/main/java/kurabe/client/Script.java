package kurabe.client;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import kurabe.client.Job.Kind;

/** The operations of a worker in their order, read a piece at a time: the other side writes while the phase runs. */
final class Script implements Closeable {
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
    private int row;
    private int argument;
    private Kind kind;
    private long[] rows = {};

    Script(ReadableByteChannel from) {
        this.from = from;
    }

    /** Goes to the next entry; false at the end. */
    boolean next() throws IOException {
        if (!has(ENTRY_BYTES)) {
            return false;
        }
        code = piece.getInt();
        row = piece.getInt();
        argument = piece.getInt();
        int number = code & COMMIT - 1;
        if (number >= KINDS.length) {
            throw new IOException("operation " + number + " of a script is not known here");
        }
        kind = KINDS[number];
        if (kind == Kind.MULTI_READ || kind == Kind.OPEN) {
            rows = rows.length == argument ? rows : new long[argument];
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

    Kind kind() {
        return kind;
    }

    /** Whether a commit is due behind the entry. */
    boolean commits() {
        return (code & COMMIT) != 0;
    }

    /** Whether the entry goes in one request with the next one. */
    boolean goesWithNext() {
        return (code & WITH_NEXT) != 0;
    }

    long row() {
        return Integer.toUnsignedLong(row);
    }

    /** The version to write, the number of rows, or the greatest value of a search. */
    long argument() {
        return Integer.toUnsignedLong(argument);
    }

    /** The rows of a multi-read or an opening. */
    long[] rows() {
        return rows;
    }

    @Override
    public void close() throws IOException {
        from.close();
    }
}

package kurabe.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Which row and which kind the next operation of a worker has. */
final class Choice {
    /** The streams of a phase, mapped once and shared by its workers; null where there is none. */
    record Streams(ByteBuffer rows, ByteBuffer kinds) {
        /** Maps the stream files that a phase names. */
        static Streams of(Phase phase) throws IOException, Refused {
            return new Streams(map(phase, phase.rowsStream()), map(phase, phase.kindsStream()));
        }

        private static ByteBuffer map(Phase phase, String path) throws IOException, Refused {
            if (path == null) {
                return null;
            }
            try (FileChannel file = FileChannel.open(Path.of(path))) {
                if (file.size() < 4) {
                    throw new Refused("phase '" + phase.name() + "': a stream file is empty");
                }
                return file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).order(ByteOrder.LITTLE_ENDIAN);
            }
        }
    }

    private final Phase phase;
    private final ByteBuffer rowStream;
    private final ByteBuffer kindStream;
    private final int rowEntries;
    private final long rows;
    private final int worker;
    private final int workers;
    private final boolean fromNewest;
    private int rowAt;
    private int kindAt;
    private long number;
    private long inserted;

    Choice(Phase phase, Streams streams, int worker, long rows) {
        this.phase = phase;
        this.worker = worker;
        this.rows = Math.max(rows, 1);
        workers = phase.connections();
        rowStream = streams.rows();
        kindStream = streams.kinds();
        rowEntries = rowStream == null ? 0 : rowStream.capacity() / 4;
        rowAt = rowStream == null ? 0 : (int) streamStart(worker, workers, rowEntries);
        kindAt = kindStream == null ? 0 : (int) streamStart(worker, workers, kindStream.capacity());
        fromNewest = phase.distribution().equals("latest");
        number = worker;
    }

    /** Entry where a worker starts to read a stream. */
    static long streamStart(long worker, long workers, long entries) {
        return worker * entries / workers;
    }

    /** The row that a worker may write in place of a drawn one. */
    static long owned(long row, long worker, long workers) {
        return row - row % workers + worker;
    }

    /** The row so far back from the newest one of a worker that has inserted so many in this phase. */
    static long backFromNewest(long distance, long rows, long firstRow, long worker, long workers, long inserted) {
        if (inserted == 0) {
            return Math.max(rows - 1 - distance, 0);
        }
        long row = firstRow + worker + (inserted - 1) * workers - distance;
        if (row >= firstRow) {
            return row - (row - firstRow) % workers + worker;
        }
        return Math.max(rows - (firstRow - row), 0);
    }

    /** Number of the worker's next operation. */
    long number() {
        return number;
    }

    /** Goes on to the next operation's number. */
    void advance() {
        number += workers;
    }

    /** The kind of the next operation. */
    Kind nextKind() {
        if (phase.operation() != Kind.MIX) {
            return phase.operation();
        }
        Kind kind = Kind.of(kindStream.get(kindAt));
        kindAt = kindAt + 1 == kindStream.capacity() ? 0 : kindAt + 1;
        return kind;
    }

    /** The row of this operation where an existing row is read. */
    long rowToRead() {
        return draw();
    }

    /** The row of this operation where an existing row is written. */
    long rowToWrite() {
        return owned(draw(), worker, workers);
    }

    /** The loaded row of this operation where it does not matter who owns it. */
    long rowOfAnybody() {
        return draw() % rows;
    }

    /** The row to ask for instead of one that is asked for already. */
    long neighbour(long row) {
        return (row + 1) % rows;
    }

    /** How many different rows reads may draw at least. */
    long readableRows() {
        return rows;
    }

    /** The row of this operation where a row is loaded or inserted. */
    long rowToInsert() {
        return switch (phase.operation()) {
            case LOAD -> number;
            case INSERT -> phase.firstRow() + number;
            default -> phase.firstRow() + worker + inserted++ * workers;
        };
    }

    private long draw() {
        if (rowStream == null) {
            return number % rows;
        }
        long entry = Integer.toUnsignedLong(rowStream.getInt(4 * rowAt));
        rowAt = rowAt + 1 == rowEntries ? 0 : rowAt + 1;
        return fromNewest ? backFromNewest(entry, rows, phase.firstRow(), worker, workers, inserted) : entry;
    }
}

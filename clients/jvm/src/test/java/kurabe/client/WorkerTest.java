package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import kurabe.client.Job.Kind;
import kurabe.client.Tape.Outcome;
import org.junit.jupiter.api.Test;

/** Script, loop and tape, over a store in memory whose requests can fail. */
final class WorkerTest {
    /** What the requests were, in order. */
    private final List<String> asked = new ArrayList<>();
    /** The numbers of requests, from 1 on, that fail. */
    private final Set<Integer> fail = new HashSet<>();
    private StoreException.Cause cause = StoreException.Cause.FAILED;
    private final ByteArrayOutputStream tape = new ByteArrayOutputStream();
    private final Values values;

    WorkerTest() throws StoreException {
        values = Values.of(new Job("echo", null, TestJobs.PLAIN, 10, "ns", null, null, Map.of(), TestJobs.pool(), "raw", 1, 1), true);
    }

    /** A store that keeps rows in a map. */
    private final class Memory implements Lane {
        private final TreeMap<Long, Object[]> rows = new TreeMap<>();

        private void ask(String what) throws StoreException {
            asked.add(what);
            if (fail.contains(asked.size())) {
                throw new StoreException(cause, "no " + what);
            }
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) throws StoreException {
            ask(kind.name().toLowerCase(Locale.ROOT) + " " + key);
            boolean isThere = rows.containsKey(key);
            if (kind == Kind.INSERT && isThere) {
                return Outcome.EXISTS;
            } else if (kind != Kind.INSERT && kind != Kind.LOAD && !isThere) {
                return Outcome.MISSING;
            }
            rows.put((Long) key, value);
            if (kind == Kind.DELETE) {
                rows.remove(key);
            }
            return Outcome.DONE;
        }

        @Override
        public void loadMany(Object[] keys, Object[][] given) throws StoreException {
            ask("load " + Arrays.toString(keys));
            for (int at = 0; at < keys.length; at++) {
                rows.put((Long) keys[at], given[at]);
            }
        }

        @Override
        public Object[] read(Object key) throws StoreException {
            ask("read " + key);
            return rows.get(key);
        }

        @Override
        public void commit() throws StoreException {
            ask("commit");
        }

        @Override
        public void give(Kind kind, long low, long high, Sink sink) throws StoreException {
            ask("scan");
            rows.forEach(sink::take);
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) throws StoreException {
            ask("multi-read " + Arrays.toString(keys));
            return Arrays.stream(keys).map(rows::get).toArray(Object[][]::new);
        }

        @Override
        public void close(boolean lost) {}
    }

    /** A script from entries and the rows behind them. */
    private static byte[] script(int... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(numbers).forEach(bytes::putInt);
        return bytes.array();
    }

    private static int code(Kind kind, int... added) {
        return kind.ordinal() + Arrays.stream(added).sum();
    }

    /** As a pipe may give it: a few bytes at a time. */
    private static ReadableByteChannel inPieces(byte[] bytes) {
        return Channels.newChannel(new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] to, int at, int most) {
                return super.read(to, at, Math.min(most, 5));
            }
        });
    }

    /** A record of a tape. */
    private record Record(long start, long end, Outcome outcome, List<Long> rows, String message) {}

    private List<Record> play(long most, byte[] script) throws IOException {
        try (Tape to = new Tape(Channels.newChannel(tape)); Script from = new Script(inPieces(script))) {
            new Worker(new Memory(), values, from, to, 100, () -> false).work(most, -1);
        }
        return records();
    }

    private List<Record> records() {
        ByteBuffer bytes = ByteBuffer.wrap(tape.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
        List<Record> records = new ArrayList<>();
        long before = 0;
        while (bytes.hasRemaining()) {
            long start = bytes.getLong();
            long end = bytes.getLong();
            Outcome outcome = Outcome.values()[bytes.getInt()];
            int count = bytes.getInt();
            boolean failed = Set.of(Outcome.FAILED, Outcome.COMMIT_FAILED, Outcome.REST_NOT_COMMITTED).contains(outcome);
            byte[] message = new byte[failed ? count : 0];
            bytes.get(message);
            List<Long> rows = new ArrayList<>();
            for (int at = 0; !failed && at < count; at++) {
                rows.add(bytes.getLong());
            }
            boolean isOfTheSameGroup = !records.isEmpty() && records.get(records.size() - 1).start == start;
            assertTrue(start <= end && (start >= before || isOfTheSameGroup), "stamps of " + records.size());
            before = end;
            records.add(new Record(start, end, outcome, rows, new String(message)));
        }
        return records;
    }

    private static List<Outcome> outcomes(List<Record> records) {
        return records.stream().map(Record::outcome).toList();
    }

    private long digests(long row, int version) {
        return values.digests(row, values.value(row, version));
    }

    @Test
    void entriesAreDoneInTheirOrderAndAnswersAreOnTheTape() throws IOException {
        List<Record> records = play(-1, script(
                code(Kind.LOAD), 1, 0, code(Kind.LOAD, Script.COMMIT), 2, 0, code(Kind.READ), 2, 0, code(Kind.READ), 3, 0,
                code(Kind.MULTI_READ), 0, 3, 2, 9, 1, code(Kind.UPDATE, Script.COMMIT), 1, 1, code(Kind.UPDATE, Script.COMMIT), 7, 1,
                code(Kind.INSERT, Script.COMMIT), 2, 0, code(Kind.SCAN), 0, 0, code(Kind.DELETE, Script.COMMIT), 2, 1));
        assertEquals(List.of("load 1", "load 2", "commit", "read 2", "read 3", "multi-read [2, 9, 1]", "update 1", "commit",
                "update 7", "commit", "insert 2", "commit", "scan", "delete 2", "commit"), asked);
        assertEquals(List.of(Outcome.DONE, Outcome.DONE, Outcome.DONE, Outcome.DONE, Outcome.DONE, Outcome.DONE, Outcome.MISSING,
                Outcome.EXISTS, Outcome.DONE, Outcome.DONE), outcomes(records));
        assertEquals(List.of(digests(2, 0)), records.get(2).rows);
        assertEquals(List.of(0L), records.get(3).rows);
        assertEquals(List.of(digests(2, 0), 0L, digests(1, 0)), records.get(4).rows);
        assertEquals(List.of(digests(1, 1), digests(2, 0)), records.get(8).rows);
    }

    @Test
    void aScriptIsReadInPiecesHoweverLongItsEntriesAre() throws IOException {
        int many = 40_000;
        int[] numbers = new int[3 + many + 3];
        numbers[0] = code(Kind.MULTI_READ);
        numbers[2] = many;
        for (int at = 0; at < many; at++) {
            numbers[3 + at] = at - 1;
        }
        numbers[3 + many] = code(Kind.READ);
        numbers[4 + many] = -1;
        Script script = new Script(inPieces(script(numbers)));
        assertTrue(script.next());
        assertEquals(many, script.rows().length);
        assertEquals(0xFFFF_FFFFL, script.rows()[0]);
        assertEquals(many - 2, script.rows()[many - 1]);
        assertTrue(script.next());
        assertEquals(0xFFFF_FFFFL, script.row());
        assertFalse(script.next());
        byte[] whole = script(code(Kind.READ), 1, 0, code(Kind.OPEN), 1, 2, 1);
        assertThrows(IOException.class, () -> play(-1, whole));
        assertThrows(IOException.class, () -> play(-1, Arrays.copyOf(whole, 17)));
        assertThrows(IOException.class, () -> play(-1, script(11, 0, 0)));
    }

    @Test
    void aGroupIsOneRequestWithARecordForEach() throws IOException {
        List<Record> records = play(-1, script(
                code(Kind.LOAD, Script.WITH_NEXT), 1, 0, code(Kind.LOAD, Script.WITH_NEXT, Script.COMMIT), 2, 0, code(Kind.LOAD), 3, 0,
                code(Kind.LOAD, Script.WITH_NEXT), 4, 0, code(Kind.LOAD), 5, 0, code(Kind.LOAD), 6, 0));
        assertEquals(List.of("load [1, 2, 3]", "commit", "load [4, 5]", "load 6", "commit"), asked);
        assertEquals(6 + 1, records.size());
        assertEquals(Outcome.REST_COMMITTED, records.get(6).outcome);
        for (int at : new int[] {1, 2}) {
            assertEquals(List.of(records.get(0).start, records.get(0).end), List.of(records.get(at).start, records.get(at).end));
        }
        assertEquals(records.get(3).end, records.get(4).end);
        assertTrue(records.get(3).start >= records.get(2).end);
    }

    @Test
    void whatFailsOfAGroupIsToldOfItsMembers() throws IOException {
        fail.addAll(Set.of(1, 4));
        List<Record> records = play(-1, script(
                code(Kind.LOAD, Script.WITH_NEXT), 1, 0, code(Kind.LOAD, Script.COMMIT), 2, 0,
                code(Kind.LOAD, Script.WITH_NEXT), 3, 0, code(Kind.LOAD, Script.WITH_NEXT), 4, 0, code(Kind.LOAD), 5, 0,
                code(Kind.LOAD, Script.WITH_NEXT), 6, 0, code(Kind.LOAD, Script.COMMIT), 7, 0));
        // The commit of the group that failed is due behind the next one; that of the last one fails.
        assertEquals(List.of("load [1, 2]", "load [3, 4, 5]", "commit", "load [6, 7]", "commit"), asked);
        fail.clear();
        assertEquals(List.of(Outcome.FAILED, Outcome.FAILED, Outcome.DONE, Outcome.DONE, Outcome.DONE, Outcome.FAILED, Outcome.FAILED,
                Outcome.REST_COMMITTED), outcomes(records));
        assertEquals("no load [1, 2]", records.get(1).message);
        tape.reset();
        asked.clear();
        fail.add(2);
        records = play(-1, script(code(Kind.LOAD, Script.WITH_NEXT), 1, 0, code(Kind.LOAD, Script.COMMIT), 2, 0));
        assertEquals(List.of(Outcome.DONE, Outcome.COMMIT_FAILED), outcomes(records));
    }

    @Test
    void aGroupThatDoesNotEndOrIsNoLoadEndsTheJob() {
        assertThrows(IOException.class, () -> play(-1, script(code(Kind.LOAD, Script.WITH_NEXT), 1, 0)));
        assertThrows(IOException.class, () -> play(-1, script(code(Kind.READ, Script.WITH_NEXT), 1, 0, code(Kind.READ), 1, 0)));
    }

    @Test
    void aCommitThatWasDueBehindAFailedWriteComesBehindTheNext() throws IOException {
        fail.add(3);
        List<Record> records = play(-1, script(
                code(Kind.INSERT), 1, 0, code(Kind.INSERT), 2, 0, code(Kind.INSERT, Script.COMMIT), 3, 0, code(Kind.READ), 1, 0,
                code(Kind.INSERT), 4, 0, code(Kind.INSERT), 5, 0));
        assertEquals(List.of("insert 1", "insert 2", "insert 3", "read 1", "insert 4", "commit", "insert 5", "commit"), asked);
        assertEquals(Outcome.FAILED, records.get(2).outcome);
        assertEquals(Outcome.REST_COMMITTED, records.get(6).outcome);
    }

    @Test
    void aWorkerGivesUpAfterAHundredFailuresInARow() throws IOException {
        int[] reads = new int[3 * 300];
        for (int at = 0; at < 300; at++) {
            reads[3 * at] = code(Kind.READ);
            fail.add(at + (at < 50 ? 1 : 2));
        }
        List<Record> records = play(-1, script(reads));
        assertEquals(50 + 1 + 100, records.size());
        assertEquals(Outcome.DONE, records.get(50).outcome);
    }

    @Test
    void betweenFailedWritesOnlyACommitEndsARowOfFailures() throws IOException {
        int[] numbers = new int[3 * 300];
        for (int at = 0; at < 300; at++) {
            numbers[3 * at] = code(at % 2 == 0 ? Kind.INSERT : Kind.READ);
            numbers[3 * at + 1] = at;
            fail.add(2 * at + 1);
        }
        // Every insert fails, every read succeeds.
        List<Record> records = play(-1, script(numbers));
        assertEquals(199, records.stream().filter(one -> one.outcome.compareTo(Outcome.REST_COMMITTED) < 0).count());
    }

    @Test
    void onALostConnectionNothingIsTriedAnyMore() throws IOException {
        fail.add(2);
        cause = StoreException.Cause.DISCONNECTED;
        int[] reads = new int[3 * 200];
        List<Record> records = play(-1, script(Arrays.stream(reads).map(zero -> zero).toArray()));
        assertEquals(List.of("load 0", "load 0"), asked);
        assertEquals(1 + 100 + 1, records.size());
        assertEquals(Outcome.REST_NOT_COMMITTED, records.get(101).outcome);
    }

    @Test
    void aCountEndsTheWorkAndTheNextGoesOnWhereItEnded() throws IOException {
        byte[] entries = script(code(Kind.READ), 1, 0, code(Kind.READ), 2, 0, code(Kind.READ), 3, 0);
        try (Tape to = new Tape(Channels.newChannel(tape)); Script from = new Script(inPieces(entries))) {
            Worker worker = new Worker(new Memory(), values, from, to, 100, () -> false);
            worker.work(1, -1);
            worker.begin();
            worker.work(-1, 0);
            worker.work(5, -1);
        }
        assertEquals(List.of("read 1", "read 2", "read 3"), asked);
        assertEquals(List.of(Outcome.DONE, Outcome.BEGINS, Outcome.DONE, Outcome.DONE), outcomes(records()));
    }

    @Test
    void theRowsOfALongAnswerAreDigestedInTheirOrder() throws IOException {
        int rows = 1000;
        int[] numbers = new int[3 * (rows + 1)];
        for (int at = 0; at < rows; at++) {
            numbers[3 * at] = code(Kind.LOAD);
            numbers[3 * at + 1] = at;
        }
        numbers[3 * rows] = code(Kind.SCAN);
        Record scan = play(rows + 1, script(numbers)).get(rows);
        long[] expected = new long[rows];
        Arrays.setAll(expected, row -> digests(row, 0));
        assertArrayEquals(expected, scan.rows.stream().mapToLong(row -> row).toArray());
    }
}

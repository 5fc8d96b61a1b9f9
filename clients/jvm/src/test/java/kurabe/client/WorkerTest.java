package kurabe.client;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.*;
import kurabe.client.Job.Kind;
import kurabe.client.Store.*;
import kurabe.client.Worker.*;
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
        values = Values.of(StoresTest.job("echo", null, null, Map.of(), StoresTest.PLAIN), true);
    }

    /** A store that does what it is asked for, or fails. */
    private final class Memory implements Lane {
        private void ask(String what) throws StoreException {
            asked.add(what);
            if (fail.contains(asked.size())) {
                throw new StoreException(cause, "no " + what);
            }
        }

        @Override
        public Outcome write(Kind kind, Object key, Object[] value) throws StoreException {
            ask(kind.name().toLowerCase(Locale.ROOT) + " " + key);
            return Outcome.DONE;
        }

        @Override
        public void loadMany(Object[] keys, Object[][] given) throws StoreException {
            ask("load " + Arrays.toString(keys));
        }

        @Override
        public Object[] read(Object key) throws StoreException {
            ask("read " + key);
            return null;
        }

        @Override
        public void commit() throws StoreException {
            ask("commit");
        }

        @Override
        public Object[][] readMany(Kind kind, Object[] keys) {
            return new Object[keys.length][];
        }
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
    private record Record(long start, long end, Outcome outcome, String message) {}

    private void work(byte[] script, Work work) throws IOException {
        work(script, null, work);
    }

    private void work(byte[] script, Starts starts, Work work) throws IOException {
        try (Tape to = new Tape(Channels.newChannel(tape)); Script from = new Script(inPieces(script))) {
            work.by(new Worker(new Memory(), values, from, to, starts, 100, () -> false,
                    error -> (StoreException) error));
        }
    }

    private interface Work {
        void by(Worker worker) throws IOException;
    }

    private List<Record> play(int... script) throws IOException {
        work(script(script), worker -> worker.work(-1, -1));
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
            boolean failed = Set.of(Outcome.FAILED, Outcome.COMMIT_FAILED, Outcome.REST_NOT_COMMITTED)
                    .contains(outcome);
            // The words of a failure, or the digests of rows.
            byte[] behind = new byte[bytes.getInt() * (failed ? 1 : Long.BYTES)];
            bytes.get(behind);
            boolean isOfTheSameGroup = !records.isEmpty() && records.get(records.size() - 1).start == start;
            // The first stamp of a planned start is when it was to be.
            boolean follows = start >= before || isOfTheSameGroup || outcome == Outcome.TAKEN;
            assertTrue(start <= end && follows, "stamps of " + records.size());
            before = end;
            records.add(new Record(start, end, outcome, failed ? new String(behind) : ""));
        }
        return records;
    }

    private static List<Outcome> outcomes(List<Record> records) {
        return records.stream().map(Record::outcome).toList();
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
        assertEquals(many, script.rows.length);
        assertEquals(0xFFFF_FFFFL, script.rows[0]);
        assertEquals(many - 2, script.rows[many - 1]);
        assertTrue(script.next());
        assertEquals(0xFFFF_FFFFL, script.row);
        assertFalse(script.next());
        byte[] whole = script(code(Kind.READ), 1, 0, code(Kind.OPEN), 1, 2, 1);
        for (byte[] cut : List.of(whole, Arrays.copyOf(whole, 17))) {
            assertThrows(IOException.class, () -> work(cut, worker -> worker.work(-1, -1)));
        }
        assertThrows(IOException.class, () -> play(11, 0, 0));
    }

    @Test
    void aGroupIsOneRequestWithARecordForEach() throws IOException {
        List<Record> records = play(
                code(Kind.LOAD, Script.WITH_NEXT), 1, 0, code(Kind.LOAD, Script.WITH_NEXT, Script.COMMIT), 2, 0,
                code(Kind.LOAD), 3, 0,
                code(Kind.LOAD, Script.WITH_NEXT), 4, 0, code(Kind.LOAD), 5, 0, code(Kind.LOAD), 6, 0);
        assertEquals(List.of("load [1, 2, 3]", "commit", "load [4, 5]", "load 6", "commit"), asked);
        assertEquals(6 + 1, records.size());
        assertEquals(Outcome.REST_COMMITTED, records.get(6).outcome);
        for (int at : new int[] {1, 2}) {
            assertEquals(List.of(records.get(0).start, records.get(0).end),
                    List.of(records.get(at).start, records.get(at).end));
        }
        assertEquals(records.get(3).end, records.get(4).end);
        assertTrue(records.get(3).start >= records.get(2).end);
    }

    @Test
    void whatFailsOfAGroupIsToldOfItsMembers() throws IOException {
        fail.addAll(Set.of(1, 4));
        List<Record> records = play(
                code(Kind.LOAD, Script.WITH_NEXT), 1, 0, code(Kind.LOAD, Script.COMMIT), 2, 0,
                code(Kind.LOAD, Script.WITH_NEXT), 3, 0, code(Kind.LOAD, Script.WITH_NEXT), 4, 0, code(Kind.LOAD), 5, 0,
                code(Kind.LOAD, Script.WITH_NEXT), 6, 0, code(Kind.LOAD, Script.COMMIT), 7, 0);
        // The commit of the group that failed is due behind the next one; that of the last one fails.
        assertEquals(List.of("load [1, 2]", "load [3, 4, 5]", "commit", "load [6, 7]", "commit"), asked);
        fail.clear();
        assertEquals(List.of(Outcome.FAILED, Outcome.FAILED, Outcome.DONE, Outcome.DONE, Outcome.DONE, Outcome.FAILED,
                Outcome.FAILED, Outcome.REST_COMMITTED), outcomes(records));
        assertEquals("no load [1, 2]", records.get(1).message);
        tape.reset();
        asked.clear();
        fail.add(2);
        records = play(code(Kind.LOAD, Script.WITH_NEXT), 1, 0, code(Kind.LOAD, Script.COMMIT), 2, 0);
        assertEquals(List.of(Outcome.DONE, Outcome.COMMIT_FAILED), outcomes(records));
    }

    @Test
    void aGroupThatDoesNotEndOrIsNoLoadEndsTheJob() {
        assertThrows(IOException.class, () -> play(code(Kind.LOAD, Script.WITH_NEXT), 1, 0));
        assertThrows(IOException.class, () -> play(code(Kind.READ, Script.WITH_NEXT), 1, 0, code(Kind.READ), 1, 0));
    }

    @Test
    void aCommitThatWasDueBehindAFailedWriteComesBehindTheNext() throws IOException {
        fail.add(3);
        List<Record> records = play(
                code(Kind.INSERT), 1, 0, code(Kind.INSERT), 2, 0, code(Kind.INSERT, Script.COMMIT), 3, 0,
                code(Kind.READ), 1, 0, code(Kind.INSERT), 4, 0, code(Kind.INSERT), 5, 0);
        assertEquals(List.of("insert 1", "insert 2", "insert 3", "read 1", "insert 4", "commit", "insert 5", "commit"),
                asked);
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
        List<Record> records = play(reads);
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
        List<Record> records = play(numbers);
        assertEquals(199, records.stream().filter(one -> one.outcome.compareTo(Outcome.REST_COMMITTED) < 0).count());
    }

    @Test
    void onALostConnectionNothingIsTriedAnyMore() throws IOException {
        fail.add(2);
        cause = StoreException.Cause.DISCONNECTED;
        int[] reads = new int[3 * 200];
        List<Record> records = play(Arrays.stream(reads).map(zero -> zero).toArray());
        assertEquals(List.of("load 0", "load 0"), asked);
        assertEquals(1 + 100 + 1, records.size());
        assertEquals(Outcome.REST_NOT_COMMITTED, records.get(101).outcome);
    }

    @Test
    void aCountEndsTheWorkAndTheNextGoesOnWhereItEnded() throws IOException {
        byte[] entries = script(code(Kind.READ), 1, 0, code(Kind.READ), 2, 0, code(Kind.READ), 3, 0);
        work(entries, worker -> {
            worker.work(1, -1);
            worker.begin();
            worker.work(-1, 0);
            worker.work(5, -1);
        });
        assertEquals(List.of("read 1", "read 2", "read 3"), asked);
        assertEquals(List.of(Outcome.DONE, Outcome.BEGINS, Outcome.DONE, Outcome.DONE), outcomes(records()));
    }

    @Test
    void anOperationHasItsPlannedStartAndNoneFollowsTheLast() throws IOException {
        byte[] entries = script(code(Kind.READ), 1, 0, code(Kind.READ), 2, 0, code(Kind.READ), 3, 0);
        ByteBuffer starts = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN).putLong(7).putLong(9).putLong(0);
        work(entries, new Starts(new ByteArrayInputStream(starts.array())), worker -> worker.work(-1, -1));
        assertEquals(List.of("read 1", "read 2"), asked);
        List<Record> taken = records().stream().filter(one -> one.outcome == Outcome.TAKEN).toList();
        assertEquals(List.of(7L, 9L), taken.stream().map(Record::start).toList());
        assertEquals(4, records().size());
    }

}

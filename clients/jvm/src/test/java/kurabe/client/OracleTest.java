package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A store that lies in one way, and the oracle, which must see that lie and raise no alarm without one. */
final class OracleTest {
    private static final int ROWS = 200;

    /** What it does wrong. */
    enum Lie {
        NONE, LOSE_UPDATES, SWAP_ROWS, FORGET_ROWS, KEEP_DELETED, ALTER, SHORT_SCAN, SHORT_LATEST, LOSE_SEARCHED, SEARCH_WIDELY, REPEAT_SEARCHED, WRITE_BLINDLY,
        WRITE_BLINDLY_UNTOLD, INSERT_OVER
    }

    /** Rows in a map, and one lie. */
    static final class Liar implements Store, Lane {
        private final TreeMap<Object, Object[]> rows = new TreeMap<>();
        private final Lie lie;
        private int writes;

        Liar(Lie lie) {
            this.lie = lie;
        }

        private boolean lies(Lie one) {
            return lie == one && writes++ % 50 == 49;
        }

        @Override
        public void load(Row row) {
            if (!lies(Lie.FORGET_ROWS)) {
                rows.put(row.key(), row.fields());
            }
        }

        @Override
        public Written insert(Row row) {
            if (lie == Lie.INSERT_OVER) {
                rows.put(row.key(), row.fields());
                return Written.DONE;
            }
            return rows.putIfAbsent(row.key(), row.fields()) == null ? Written.DONE : Written.EXISTS;
        }

        @Override
        public Object[] read(Object key) {
            Object wanted = lies(Lie.SWAP_ROWS) ? (Object) (((Long) key + 1) % ROWS) : key;
            Object[] fields = rows.get(wanted);
            return fields != null && lies(Lie.ALTER) ? new Object[] {"!" + ((String) fields[0]).substring(1), fields[1]} : fields;
        }

        @Override
        public Written update(Row row) {
            if (lies(Lie.LOSE_UPDATES)) {
                return Written.DONE;
            }
            if (lie == Lie.WRITE_BLINDLY || lie == Lie.WRITE_BLINDLY_UNTOLD) {
                rows.put(row.key(), row.fields());
                return Written.DONE;
            }
            return rows.replace(row.key(), row.fields()) == null ? Written.MISSING : Written.DONE;
        }

        @Override
        public Written delete(Object key) {
            if (lies(Lie.KEEP_DELETED)) {
                return Written.DONE;
            }
            if (lie == Lie.WRITE_BLINDLY || lie == Lie.WRITE_BLINDLY_UNTOLD) {
                rows.remove(key);
                return Written.DONE;
            }
            return rows.remove(key) == null ? Written.MISSING : Written.DONE;
        }

        @Override
        public void scan(RowSink sink) {
            rows.forEach((key, fields) -> {
                if (lie != Lie.SHORT_SCAN || !key.equals(5L)) {
                    sink.take(key, fields);
                }
            });
        }

        @Override
        public void latest(int count, RowSink sink) {
            rows.descendingMap().entrySet().stream().skip(lie == Lie.SHORT_LATEST ? 1 : 0).limit(count)
                    .forEach(row -> sink.take(row.getKey(), row.getValue()));
        }

        @Override
        public void search(int field, long low, long high, RowSink sink) {
            long least = lie == Lie.LOSE_SEARCHED ? low + 1 : lie == Lie.SEARCH_WIDELY ? low - 1 : low;
            rows.forEach((key, fields) -> {
                long value = (Long) fields[field - 1];
                if (value >= least && value <= high) {
                    sink.take(key, fields);
                    if (lie == Lie.REPEAT_SEARCHED) {
                        sink.take(key, fields);
                    }
                }
            });
        }

        @Override
        public Object[][] multiRead(List<Object> keys) {
            return keys.stream().map(this::read).toArray(Object[][]::new);
        }

        @Override
        public Map<String, String> libraries() {
            return Map.of();
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(EnumSet.allOf(Kind.class), Capabilities.ALL_KEYS, true, lie == Lie.WRITE_BLINDLY,
                    List.of("row"), List.of("each"), false, 1, 1 << 20, true);
        }

        @Override
        public boolean raw() {
            return false;
        }

        @Override
        public void ping() {}

        @Override
        public Map<String, String> info() {
            return Map.of();
        }

        @Override
        public Map<String, String> settings() {
            return Map.of();
        }

        @Override
        public void create() {
            rows.clear();
        }

        @Override
        public void reset() {
            rows.clear();
        }

        @Override
        public Lane connect(Phase phase) {
            return this;
        }

        @Override
        public void commit() {}

        @Override
        public void close() {}
    }

    /** Plays phases over a store; returns how often each fault was found. */
    private static Map<String, Long> play(Lie lie, String... phases) throws Exception {
        Layout layout = new Layout(List.of(new Field("id", Field.Type.INT64, 0, false, "k"),
                new Field("value", Field.Type.TEXT, 60, false, "k"), new Field("visits", Field.Type.INT64, 0, false, "k"),
                new Field("kind", Field.Type.INT64, 0, false, "k", Field.DIGITS, 2, false)), VectorsTest.pool());
        Liar store = new Liar(lie);
        Ledger ledger = new Ledger(ROWS, 4 * ROWS);
        Map<String, Long> found = new TreeMap<>();
        for (String operation : phases) {
            boolean isWide = operation.equals(WIDE_SEARCH);
            boolean isWhole = operation.equals("scan") || operation.equals("latest") || isWide;
            String search = isWide ? "{\"field\":\"kind\",\"at_least\":2}" : "{\"field\":\"visits\",\"rows\":10}";
            JsonObject from = JsonParser.parseString("{\"name\":\"p\",\"operation\":\"" + (isWide ? "search" : operation)
                    + "\",\"count\":" + (isWhole ? 2 : ROWS) + ",\"latest_rows\":20,\"multi_read_rows\":5,\"first_row\":"
                    + ROWS + ",\"search\":" + search + "}").getAsJsonObject();
            PhaseRun run = new PhaseRun(store, new PhaseContext(
                    Phase.parse(from), layout, ledger, new Choice.Streams(null, null), store, true, () -> false));
            run.prepare();
            JsonObject result = run.go(() -> { }, 0);
            assertEquals(from.get("count").getAsLong(),
                    result.getAsJsonArray("workers").get(0).getAsJsonObject().get("operations").getAsLong());
            JsonObject checks = result.getAsJsonObject("checks");
            for (Findings.Kind kind : Findings.Kind.values()) {
                String word = kind.name().toLowerCase(java.util.Locale.ROOT);
                found.merge(word, checks.get(word).getAsLong(), Long::sum);
            }
        }
        found.values().removeIf(count -> count == 0);
        return found;
    }

    /** A search for all rows from a value on, in a column of two values. */
    private static final String WIDE_SEARCH = "search-at-least";

    private static final String[] EVERYTHING = {
        "load", "read", "scan", "latest", "multi-read", "search", WIDE_SEARCH, "update", "read", "insert", "scan", "latest", "delete",
        "delete", "read", "update", "insert", "scan", "search", WIDE_SEARCH,
        "multi-read"};

    @Test
    void anHonestStoreRaisesNoAlarm() throws Exception {
        assertEquals(Map.of(), play(Lie.NONE, EVERYTHING));
    }

    @Test
    void blindWritesAreNoFaultWhereTheyAreTold() throws Exception {
        String[] phases = {"load", "delete", "delete", "read", "update", "read", "scan", "latest", "update", "multi-read"};
        assertEquals(Map.of(), play(Lie.WRITE_BLINDLY, phases));
        assertTrue(play(Lie.WRITE_BLINDLY_UNTOLD, phases).containsKey("phantom"));
    }

    @Test
    void everyLieIsSeen() throws Exception {
        List<String> missed = new ArrayList<>();
        Map<Lie, String> expected = Map.of(
                Lie.LOSE_UPDATES, "stale", Lie.SWAP_ROWS, "wrong", Lie.FORGET_ROWS, "lost", Lie.KEEP_DELETED, "phantom",
                Lie.ALTER, "wrong", Lie.SHORT_SCAN, "miscounted", Lie.SHORT_LATEST, "lost", Lie.LOSE_SEARCHED, "lost");
        for (Map.Entry<Lie, String> lie : expected.entrySet()) {
            Map<String, Long> found = play(lie.getKey(), EVERYTHING);
            if (!found.containsKey(lie.getValue())) {
                missed.add(lie.getKey() + " gave " + found);
            }
        }
        assertTrue(missed.isEmpty(), missed.toString());
    }

    @Test
    void aSearchWithoutAnUpperEndGivesEachRowOfItOnceAndNoOther() throws Exception {
        String[] phases = {"load", "update", "insert", "delete", WIDE_SEARCH};
        for (Map.Entry<Lie, String> lie : Map.of(
                Lie.LOSE_SEARCHED, "lost", Lie.SEARCH_WIDELY, "wrong", Lie.REPEAT_SEARCHED, "miscounted").entrySet()) {
            assertEquals(java.util.Set.of(lie.getValue()), play(lie.getKey(), phases).keySet());
        }
        assertEquals(Map.of(), play(Lie.NONE, phases));
    }

    /** The row was there, so it is no phantom: the insert passed it by, and it is lost. */
    @Test
    void anInsertOverARowThatExistsLosesThatRow() throws Exception {
        assertEquals(Map.of("lost", (long) ROWS), play(Lie.INSERT_OVER, "load", "insert", "insert"));
    }

    @Test
    void rowsThatExistAreThoseThatWereWritten() {
        Presence counted = Presence.NONE;
        for (long row = 0; row < 1000; row++) {
            counted = counted.with(row);
        }
        assertEquals(counted, Presence.below(1000));
        Ledger ledger = new Ledger(10, 1_000_000);
        ledger.start(700_000, Ledger.written(Ledger.NEVER));
        assertEquals(Ledger.NEVER, ledger.acknowledged(700_000));
        ledger.acknowledge(700_000, Ledger.written(Ledger.NEVER));
        ledger.acknowledge(3, Ledger.deleted(Ledger.LOADED));
        assertEquals(700_000, ledger.newest());
        assertEquals(10, ledger.surelyPresent());
        ledger.addUnknown(true);
        assertEquals(9, ledger.surelyPresent());
        assertEquals(null, ledger.presence());
    }

    @Test
    void thePasswordOfAnAddressIsInNoMessage() {
        Secrets.hide("postgresql://me:p%40ss@127.0.0.1/db");
        assertEquals("no access with *** or ***", Secrets.clean("no access\n with p%40ss or p@ss"));
        Secrets.hide(null);
    }

    @Test
    void theUserOfAnAddressIsInNoMessage() {
        Secrets.hide("mysql://sel%40home:s3cret@127.0.0.1/db?token=CANARY");
        assertEquals("denied to '***'@'localhost', ***, ***; selected",
                Secrets.clean("denied to 'sel@home'@'localhost', sel%40home, CANARY; selected"));
        Secrets.hide("mongodb://u@127.0.0.1");
        assertEquals("userName='***', source='admin'", Secrets.clean("userName='u', source='admin'"));
        Secrets.hide(null);
    }
}

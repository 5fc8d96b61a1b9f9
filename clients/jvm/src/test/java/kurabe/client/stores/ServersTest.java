package kurabe.client.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.mongodb.MongoCommandException;
import com.mongodb.ServerAddress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import kurabe.client.Field;
import kurabe.client.Job;
import kurabe.client.Kind;
import kurabe.client.Layout;
import kurabe.client.Phase;
import kurabe.client.Refused;
import kurabe.client.Store;
import kurabe.client.StoreException;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisDataException;

/** What drivers of servers refuse before they connect, and what is known without a server. */
final class ServersTest {
    private static final List<Field> SCHEMA = List.of(
            new Field("key", Field.Type.TEXT, 0, false, "k"), new Field("order", Field.Type.INT64, 0, false, "k"),
            new Field("body", Field.Type.BYTES, 30, false, "k"));

    /** Opens a store. */
    private interface Opens {
        Store open(Job job, Layout layout) throws Refused, StoreException;
    }

    private static final Map<String, Opens> SERVERS =
            Map.of("cassandra", Cassandra::new, "mongodb", Mongodb::new, "redis", Redis::new);

    private static Job job(String store, String url, Map<String, String> settings, Map<String, Phase> phases) {
        return new Job(store, null, SCHEMA, 10, "ns", null, url, settings, Path.of("pool"), Job.RAW, false, 1_000_000_000,
                1_000_000_000, phases);
    }

    private static Store open(String store, String url, Map<String, String> settings) throws Exception {
        return SERVERS.get(store).open(job(store, url, settings, Map.of()), new Layout(SCHEMA, new byte[1 << 20]));
    }

    private static Phase inserts(long count, long warmupCount, long warmupNs) {
        return new Phase("p", Kind.INSERT, EnumSet.of(Kind.INSERT, Kind.INCREMENT), count, count < 0 ? 1 : -1, warmupCount,
                warmupNs, 4, 1, 1, "sequential", null, null, 1, "row", 1, "each", 0, 1, null, -1, -1, 100);
    }

    @Test
    void aBadAddressIsRefusedWithoutItsPassword() {
        for (String store : SERVERS.keySet()) {
            for (String rest : List.of("://me:s3cret@host:notaport/", "://me:s3cret@host:99999/")) {
                Refused refused = assertThrows(Refused.class, () -> open(store, store + rest, Map.of()), store + rest);
                assertFalse(refused.getMessage().contains("s3cret"), refused.getMessage());
                assertTrue(refused.getMessage().contains("expected " + store + "://"), refused.getMessage());
            }
            assertThrows(Refused.class, () -> open(store, null, Map.of()));
        }
    }

    @Test
    void aSettingThatIsNotKnownIsRefusedByName() {
        for (String store : SERVERS.keySet()) {
            Refused refused = assertThrows(
                    Refused.class, () -> open(store, store + "://127.0.0.1:1", Map.of("writeconcern", "w1")));
            assertTrue(refused.getMessage().contains("'writeconcern'"), refused.getMessage());
        }
        Refused refused = assertThrows(
                Refused.class, () -> open("mongodb", "mongodb://127.0.0.1:1", Map.of("write_concern", "w2")));
        assertTrue(refused.getMessage().contains("'w2'") && refused.getMessage().contains("journaled"));
    }

    @Test
    void aServerThatIsNotThereIsALostConnection() throws Exception {
        for (String store : SERVERS.keySet()) {
            try (Store none = open(store, store + "://127.0.0.1:1", Map.of())) {
                StoreException error = assertThrows(StoreException.class, none::ping);
                assertEquals(StoreException.Cause.DISCONNECTED, error.kind, store + ": " + error.getMessage());
            }
        }
    }

    /** Such a figure is left out; any other error ends the job. */
    @Test
    void whatAUserMayNotDoIsToldApartFromOtherErrors() throws Exception {
        Dialect mariadb = new Mariadb(job("mariadb", "mysql://u@127.0.0.1:1/db", Map.of(), Map.of()));
        assertTrue(mariadb.denied(new SQLException("you need PROCESS", "42000", 1227)));
        assertFalse(mariadb.denied(new SQLException("no such table", "42S02", 1146)));
        assertEquals(StoreException.Cause.DENIED, Redis.failed(new JedisDataException("NOPERM no info")).kind);
        assertEquals(StoreException.Cause.FAILED, Redis.failed(new JedisDataException("OOM no memory")).kind);
        assertEquals(StoreException.Cause.DENIED, Cassandra.failed(new UnauthorizedException(null, "no SELECT")).kind);
        for (int code : new int[] {13, 26}) {
            BsonDocument answer = BsonDocument.parse("{ok: 0, errmsg: 'not authorized', code: " + code + "}");
            StoreException failed = Mongodb.failed(new MongoCommandException(answer, new ServerAddress()));
            assertEquals(code == 13 ? StoreException.Cause.DENIED : StoreException.Cause.FAILED, failed.kind);
        }
    }

    @Test
    void theRowsOfInsertsAreKnownWhereTheyHaveACount() {
        Map<String, Phase> phases = Map.of("p", inserts(20, 5, -1));
        KnownRows known = KnownRows.of(job("redis", "redis://h", Map.of(), phases));
        List<Long> rows = new ArrayList<>();
        known.eachRow(rows::add);
        assertEquals(10 + 29, rows.size());
        assertTrue(rows.contains(9L) && rows.contains(100L) && rows.contains(128L));
        assertTrue(known.complete());
        assertEquals(10, known.counters());
        for (Phase timed : List.of(inserts(-1, -1, -1), inserts(20, -1, 1))) {
            assertFalse(KnownRows.of(job("redis", "redis://h", Map.of(), Map.of("p", timed))).complete());
        }
    }

    @Test
    void namesAreQuotedAndRangesWithoutAnIndexSaySo() {
        CassandraTable table = new CassandraTable("ks", "user", SCHEMA);
        assertEquals("UPDATE \"ks\".\"user\" SET \"order\" = ?, \"body\" = ? WHERE \"key\" = ?", table.update());
        assertTrue(table.search("order").endsWith("\"order\" >= ? AND \"order\" <= ? ALLOW FILTERING"));
        Field indexed = new Field("order", Field.Type.INT64, 0, true, "k");
        table = new CassandraTable("ks", "user", List.of(SCHEMA.get(0), indexed));
        assertTrue(table.search("order").endsWith("\"order\" <= ?"));
        assertEquals("CREATE INDEX ON \"ks\".\"user\" (\"order\") USING 'sai'", table.create().get(2));
    }
}

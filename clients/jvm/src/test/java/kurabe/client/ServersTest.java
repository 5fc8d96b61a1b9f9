package kurabe.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.mongodb.MongoCommandException;
import com.mongodb.ServerAddress;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kurabe.client.Job.Field;
import kurabe.client.Job.Type;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisDataException;

/** What drivers of servers refuse before they connect, and what is known without a server. */
final class ServersTest {
    private static final List<String> SERVERS = List.of("cassandra", "mongodb", "redis");

    private static Store open(String store, String url, Map<String, String> settings) throws StoreException {
        return Stores.factory(store).open(TestJobs.server(store, url, settings));
    }

    @Test
    void aBadAddressIsRefusedWithoutItsPassword() {
        for (String store : SERVERS) {
            for (String rest : List.of("://me:s3cret@host:notaport/", "://me:s3cret@host:99999/")) {
                String told = assertThrows(StoreException.class, () -> open(store, store + rest, Map.of()), store + rest).getMessage();
                assertFalse(told.contains("s3cret"), told);
                assertTrue(told.contains("expected " + store + "://"), told);
            }
            assertThrows(StoreException.class, () -> open(store, null, Map.of()));
        }
    }

    @Test
    void aSettingThatIsNotKnownIsRefusedByName() {
        for (String store : SERVERS) {
            String told = assertThrows(StoreException.class,
                    () -> open(store, store + "://127.0.0.1:1", Map.of("writeconcern", "w1"))).getMessage();
            assertTrue(told.contains("'writeconcern'"), told);
        }
        String told = assertThrows(StoreException.class,
                () -> open("mongodb", "mongodb://127.0.0.1:1", Map.of("write_concern", "w2"))).getMessage();
        assertTrue(told.contains("'w2'") && told.contains("journaled"), told);
    }

    @Test
    void aServerThatIsNotThereIsALostConnection() throws Exception {
        for (String store : SERVERS) {
            try (Store none = open(store, store + "://127.0.0.1:1", Map.of())) {
                StoreException error = assertThrows(StoreException.class, none::ping);
                assertEquals(StoreException.Cause.DISCONNECTED, error.kind, store + ": " + error.getMessage());
            }
        }
    }

    /** Such a figure is left out; any other error ends the job. */
    @Test
    void whatAUserMayNotDoIsToldApartFromOtherErrors() throws Exception {
        Jdbc mariadb = new Mysql.Mariadb(TestJobs.server("mariadb", "mysql://u@127.0.0.1:1/db", Map.of()));
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
    void namesAreQuotedAndRangesWithoutAnIndexSaySo() throws StoreException {
        Cassandra store = new Cassandra(TestJobs.server("cassandra", "cassandra://127.0.0.1:1/k%22s", Map.of()));
        assertEquals("CREATE INDEX ON \"k\"\"s\".\"ns\" (\"order\") USING 'sai'", store.creates().get(2));
        assertTrue(store.search(TestJobs.COLUMNS.get(1)).endsWith("\"order\" <= ?"));
        assertTrue(store.search(new Field("order", Type.INT64, 0, false)).endsWith(
                "\"order\" >= ? AND \"order\" <= ? ALLOW FILTERING"));
    }

    private final List<Object> closed = new ArrayList<>();
    private final Stores.Shared<Object> shared = new Stores.Shared<>(connections -> new Object(), closed::add);

    /** A phase of two workers; the driver that they had. */
    private Object phase(int connections, boolean lost) throws StoreException {
        Object first = shared.take(connections);
        assertSame(first, shared.take(connections));
        shared.giveBack(lost);
        shared.giveBack(false);
        return first;
    }

    @Test
    void aSharedDriverIsThatOfTheNextPhaseUnlessThatHasMoreConnections() throws StoreException {
        Object small = phase(2, false);
        assertSame(small, phase(2, false));
        assertEquals(List.of(), closed);
        Object large = phase(8, false);
        assertNotSame(small, large);
        shared.close();
        shared.close();
        assertEquals(List.of(small, large), closed);
    }

    @Test
    void aDriverThatLostAConnectionIsNotUsedAgain() throws StoreException {
        Object lost = phase(2, true);
        Object fresh = phase(2, false);
        assertNotSame(lost, fresh);
        assertEquals(List.of(lost), closed);
        assertSame(fresh, phase(2, false));
    }

    @Test
    void whereNoDriverCanBeMadeTheNextOneTriesAgain() {
        List<Integer> tries = new ArrayList<>();
        Stores.Shared<Object> none = new Stores.Shared<>(connections -> {
            tries.add(connections);
            throw StoreException.failed("no");
        }, closed::add);
        assertThrows(StoreException.class, () -> none.take(1));
        assertThrows(StoreException.class, () -> none.take(1));
        assertEquals(List.of(1, 1), tries);
    }
}

package kurabe.client.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import kurabe.client.StoreException;
import org.junit.jupiter.api.Test;

class AbsentTest {
    private static Long denied() throws StoreException {
        throw new StoreException(StoreException.Cause.DENIED, "you need PROCESS");
    }

    @Test
    void whatTheUserMayNotReadIsLeftOutAndToldOnce() throws StoreException {
        Absent absent = new Absent();
        assertEquals(7L, absent.unlessDenied("size", 7L, AbsentTest::denied));
        StoreException whole = assertThrows(
                StoreException.class, () -> absent.orUnsupported("rows", AbsentTest::denied));
        assertEquals(StoreException.Cause.UNSUPPORTED, whole.kind);
        assertEquals(List.of("size: you need PROCESS", "rows: you need PROCESS"), absent.take());
        assertEquals(List.of(), absent.take());
    }

    @Test
    void everyOtherErrorStaysAnError() {
        StoreException other = assertThrows(StoreException.class, () -> new Absent().orUnsupported("size", () -> {
            throw StoreException.failed("no such table");
        }));
        assertEquals(StoreException.Cause.FAILED, other.kind);
    }
}

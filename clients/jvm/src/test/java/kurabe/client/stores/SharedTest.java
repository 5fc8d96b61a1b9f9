package kurabe.client.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import kurabe.client.StoreException;
import org.junit.jupiter.api.Test;

/** How long a driver is kept that many connections share. */
final class SharedTest {
    private final List<Object> closed = new ArrayList<>();
    private final Shared<Object> shared = new Shared<>(connections -> new Object(), closed::add);

    /** A phase of two workers; the driver that they had. */
    private Object phase(int connections, boolean lost) throws StoreException {
        Object first = shared.take(connections);
        assertSame(first, shared.take(connections));
        shared.giveBack(lost);
        shared.giveBack(false);
        return first;
    }

    @Test
    void thePhaseThatFollowsHasTheSameDriver() throws StoreException {
        assertSame(phase(2, false), phase(2, false));
        assertEquals(List.of(), closed);
        shared.close();
        shared.close();
        assertEquals(1, closed.size());
    }

    @Test
    void aPhaseWithMoreConnectionsHasADriverOfItsOwn() throws StoreException {
        Object small = phase(2, false);
        assertNotSame(small, phase(8, false));
        assertEquals(List.of(small), closed);
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
    void whereNoneCanBeMadeTheNextOneTriesAgain() {
        List<Integer> tries = new ArrayList<>();
        Shared<Object> none = new Shared<>(connections -> {
            tries.add(connections);
            throw StoreException.failed("no");
        }, closed::add);
        assertThrows(StoreException.class, () -> none.take(1));
        assertThrows(StoreException.class, () -> none.take(1));
        assertEquals(List.of(1, 1), tries);
    }
}

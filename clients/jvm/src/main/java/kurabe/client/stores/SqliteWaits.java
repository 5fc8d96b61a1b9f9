package kurabe.client.stores;

import java.util.concurrent.locks.LockSupport;
import org.sqlite.BusyHandler;

/**
 * What a connection does when another one holds the lock: it sleeps a little, counts that, and gives up in time. The
 * sleeps are those of the client in Rust. SQLite's own become 100 ms long, so that of many writers most would sleep
 * while nobody writes, and the two clients would differ in their sleeps and in nothing else.
 */
final class SqliteWaits extends BusyHandler {
    private static final long FIRST_NS = 20_000;
    private static final long LONGEST_NS = 1_000_000;

    private final long patienceNs;
    private long sinceNs;
    private long count;

    SqliteWaits(long patienceNs) {
        this.patienceNs = patienceNs;
    }

    /** How often it slept so far. */
    long count() {
        return count;
    }

    @Override
    protected int callback(int attempt) {
        long now = System.nanoTime();
        if (attempt == 0) {
            sinceNs = now;
        }
        if (now - sinceNs >= patienceNs) {
            return 0;
        }
        count++;
        LockSupport.parkNanos(Math.min(FIRST_NS << Math.min(attempt, 8), LONGEST_NS));
        return 1;
    }
}

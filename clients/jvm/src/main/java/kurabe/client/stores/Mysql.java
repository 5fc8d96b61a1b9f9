package kurabe.client.stores;

import java.util.List;
import java.util.Map;
import kurabe.client.Job;
import kurabe.client.Refused;

/** A MySQL server through MySQL Connector/J. */
public final class Mysql extends MysqlFamily {
    private static final int PLACES = 65_535;

    /**
     * A batch of a prepared INSERT is one INSERT of many rows only where rewriteBatchedStatements is on; otherwise each
     * row is a round trip. Statements that the server cannot prepare fail rather than being prepared by the driver. A
     * streamed scan would cost a statement of its own that sets a time limit.
     */
    private static final Map<String, String> DRIVER = Map.of(
            "useServerPrepStmts", "true", "emulateUnsupportedPstmts", "false", "rewriteBatchedStatements", "true",
            "netTimeoutForStreamingResults", "0", "sslMode", "DISABLED", "allowPublicKeyRetrieval", "true");

    /** The server at the address of a job. */
    public Mysql(Job job) throws Refused {
        super("mysql", job, List.of(Engine.INNODB, Engine.MYISAM, Engine.ARCHIVE, Engine.BLACKHOLE));
    }

    @Override
    Map<String, String> driverSettings() {
        return DRIVER;
    }

    /** It ends reads only; writes can only wait for locks, and wait for whole seconds. */
    @Override
    String limits(long ns) {
        long millis = Math.max(Math.min(ns / 1_000_000, 0xFFFF_FFFFL), 1);
        long seconds = (millis + 999) / 1000;
        return "max_execution_time = " + millis + ", innodb_lock_wait_timeout = " + seconds + ", lock_wait_timeout = "
                + seconds + ", information_schema_stats_expiry = 0";
    }

    @Override
    String another() {
        return "the server is no MySQL (it knows no max_execution_time); for MariaDB there is the store 'mariadb'";
    }

    @Override
    String tablespaces() {
        return "innodb_tablespaces";
    }

    /** A statement has at most 65,535 places, and the driver does not part a batch by them. */
    @Override
    int mostBatchRows(int columns) {
        return PLACES / columns;
    }

    /** The driver's word for rows one by one; with any other it holds all of them in the heap. */
    @Override
    int fetchSize() {
        return Integer.MIN_VALUE;
    }
}

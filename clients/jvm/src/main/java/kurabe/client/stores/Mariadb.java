package kurabe.client.stores;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import kurabe.client.Job;
import kurabe.client.Refused;

/** A MariaDB server through MariaDB Connector/J. */
public final class Mariadb extends MysqlFamily {
    /** A batch of a prepared INSERT is sent in one packet (COM_STMT_BULK_EXECUTE), as the driver does where nothing is set. */
    private static final Map<String, String> DRIVER = Map.of(
            "useServerPrepStmts", "true", "useBulkStmtsForInserts", "true", "sslMode", "disable");

    /** The server at the address of a job. */
    public Mariadb(Job job) throws Refused {
        super("mariadb", job, List.of(Engine.values()));
    }

    @Override
    Map<String, String> driverSettings() {
        return DRIVER;
    }

    /** The server ends every statement that takes longer. */
    @Override
    String limits(long ns) {
        return String.format(Locale.ROOT, "max_statement_time = %.6f", Math.max(ns / 1e9, 0.001));
    }

    @Override
    String another() {
        return "the server is no MariaDB (it knows no max_statement_time); for MySQL there is the store 'mysql'";
    }

    @Override
    String tablespaces() {
        return "innodb_sys_tablespaces";
    }
}

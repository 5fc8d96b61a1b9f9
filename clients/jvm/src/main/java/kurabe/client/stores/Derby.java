package kurabe.client.stores;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import kurabe.client.Field;
import kurabe.client.Job;
import kurabe.client.Refused;
import kurabe.client.StoreException;

/** Apache Derby, embedded. */
public final class Derby extends Dialect {
    private static final int LONGEST_VARCHAR = 32_672;
    private static final String DURABILITY = "derby.system.durability";
    private final String path;
    private final Path log;

    /** The database in the folder of a job. */
    public Derby(Job job) throws Refused {
        super("derby", job, Set.of(DURABILITY));
        path = "jdbc:derby:" + folder() + "/data";
        log = Path.of(folder(), "derby.log");
        // Read once, when the engine starts: it knows them for the whole process only.
        String durability = word(DURABILITY, "default", Set.of("default", "test"));
        System.setProperty(DURABILITY, durability);
        System.setProperty("derby.stream.error.file", log.toString());
        System.setProperty("derby.locks.waitTimeout", "" + Math.max(job.operationNs() / 1_000_000_000, 1));
    }

    @Override
    String url() {
        return path + ";create=true";
    }

    @Override
    String type(Field field, boolean key) {
        if (field.type() == Field.Type.INT64 || key) {
            return super.type(field, key);
        }
        boolean text = field.type() == Field.Type.TEXT;
        if (field.lenBytes() > LONGEST_VARCHAR) {
            return (text ? "CLOB(" : "BLOB(") + field.lenBytes() + ")";
        }
        return "VARCHAR(" + Math.max(field.lenBytes(), 1) + ")" + (text ? "" : " FOR BIT DATA");
    }

    @Override
    String limit() {
        return " FETCH FIRST ? ROWS ONLY";
    }

    /** It has no IF EXISTS. */
    @Override
    void drop(Statement statement, String table) throws SQLException {
        try {
            statement.execute("DROP TABLE " + quoted(table));
        } catch (SQLException error) {
            if (!"42Y55".equals(error.getSQLState())) {
                throw error;
            }
        }
    }

    /** It locks what is read, and only this level keeps all of it as it is. */
    @Override
    void beginSnapshot(Connection connection) throws SQLException {
        beginSnapshot(connection, Connection.TRANSACTION_SERIALIZABLE);
    }

    /** Durability cannot be asked for, but an engine that does not sync says so in its log when it opens a database. */
    @Override
    Map<String, String> settings(Connection connection) throws SQLException, StoreException {
        Map<String, String> settings = new java.util.TreeMap<>();
        settings.put("isolation", query(connection, "VALUES CURRENT ISOLATION").get(0).get(0).strip());
        try (Stream<String> lines = Files.lines(log)) {
            boolean unsynced = lines.anyMatch(line -> line.contains(DURABILITY + "=test"));
            settings.put(DURABILITY, unsynced ? "test" : "default");
        } catch (IOException | UncheckedIOException error) {
            throw StoreException.failed("the log of Derby cannot be read: " + error.getMessage());
        }
        return settings;
    }

    @Override
    String check(Connection connection) throws SQLException {
        String tables = "SELECT SYSCS_UTIL.SYSCS_CHECK_TABLE(S.SCHEMANAME, T.TABLENAME) FROM SYS.SYSTABLES T "
                + "JOIN SYS.SYSSCHEMAS S ON S.SCHEMAID = T.SCHEMAID WHERE T.TABLETYPE = 'T'";
        try {
            query(connection, tables);
            return "";
        } catch (SQLException error) {
            if (String.valueOf(error.getSQLState()).startsWith("X0X")) {
                return error.getMessage();
            }
            throw error;
        }
    }

    /** A shutdown that succeeded is an error with this state. */
    @Override
    void shutdown(Connection keeper) throws SQLException {
        keeper.close();
        try {
            DriverManager.getConnection(path + ";shutdown=true").close();
        } catch (SQLException told) {
            if (!"08006".equals(told.getSQLState())) {
                throw told;
            }
        }
    }
}

package kurabe.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import kurabe.client.Job.Field;
import kurabe.client.Job.Type;

/** Apache Derby, embedded. */
final class Derby extends Jdbc {
    private static final long LONGEST_KEY = 255;
    private static final int LONGEST_VARCHAR = 32_672;
    private static final String DURABILITY = "derby.system.durability";
    private static final String PAGES = "derby.storage.pageCacheSize";
    private static final String CACHE = "cache_bytes";
    private static final String PAGE_CACHE = "org.apache.derby:type=CacheManager,name=PageCache,*";
    private static final long USUAL_PAGE_BYTES = 4096;
    private static final long LONG_PAGE_BYTES = 32_768;
    private final long pageBytes;
    private final String path;
    private final Path log;

    /** The database in the folder of a job. */
    Derby(Job job) throws StoreException {
        super(job, Set.of(DURABILITY, CACHE));
        path = "jdbc:derby:" + job.folder() + "/data";
        log = job.folder().resolve("derby.log");
        // Read once, when the engine starts: it knows them for the whole process only.
        String durability = job.word(DURABILITY, "default", Set.of("default", "test"));
        System.setProperty(DURABILITY, durability);
        pageBytes = pageBytes(job.schema());
        long cache = job.number(CACHE, 0, 40 * LONG_PAGE_BYTES);
        if (cache > 0) {
            System.setProperty(PAGES, "" + cache / pageBytes);
        }
        System.setProperty("derby.stream.error.file", log.toString());
        System.setProperty("derby.locks.waitTimeout", "" + Math.max(job.operationNs() / 1_000_000_000, 1));
    }

    /** Size of the pages that it gives a table of these columns: large ones where it takes a row for longer than a small one. */
    static long pageBytes(List<Field> schema) {
        long row = schema.get(0).type() == Type.INT64 ? Long.BYTES : 2 * LONGEST_KEY + 2;
        for (Field field : schema.subList(1, schema.size())) {
            if (field.type() == Type.INT64) {
                row += Long.BYTES;
            } else if (field.lenBytes() > LONGEST_VARCHAR) {
                return LONG_PAGE_BYTES;
            } else {
                // As it reckons itself (seen with tables of many widths): two bytes a character, one a byte of eight.
                row += field.type() == Type.TEXT ? 2 * field.lenBytes() + 2 : field.lenBytes() / 8 + 1;
            }
        }
        return row > USUAL_PAGE_BYTES ? LONG_PAGE_BYTES : USUAL_PAGE_BYTES;
    }

    @Override
    String url() {
        return path + ";create=true";
    }

    @Override
    String type(Field field, boolean isKey) {
        if (field.type() == Type.INT64 || isKey) {
            return super.type(field, isKey);
        }
        boolean text = field.type() == Type.TEXT;
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
    void drop(Statement statement, String name) throws SQLException {
        try {
            statement.execute("DROP TABLE " + quoted(name));
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
        Map<String, String> settings = new TreeMap<>();
        settings.put("isolation", cell(connection, "VALUES CURRENT ISOLATION").strip());
        try (Stream<String> lines = Files.lines(log)) {
            boolean unsynced = lines.anyMatch(line -> line.contains(DURABILITY + "=test"));
            settings.put(DURABILITY, unsynced ? "test" : "default");
        } catch (IOException | UncheckedIOException error) {
            throw StoreException.failed("the log of Derby cannot be read: " + error.getMessage());
        }
        long pages = cachedPages();
        settings.put(PAGES, "" + pages);
        settings.put(CACHE, "" + pages * pageBytes);
        return settings;
    }

    /** Most pages in the cache of the open database, as its own bean tells. */
    private static long cachedPages() throws StoreException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            for (ObjectName name : server.queryNames(new ObjectName(PAGE_CACHE), null)) {
                return ((Number) server.getAttribute(name, "MaxEntries")).longValue();
            }
        } catch (JMException error) {
            throw StoreException.failed("the page cache of Derby does not tell its size: " + error.getMessage());
        }
        throw StoreException.failed("the page cache of Derby has no bean that tells its size");
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
    void shutdown(Connection last) throws SQLException {
        last.close();
        try {
            DriverManager.getConnection(path + ";shutdown=true").close();
        } catch (SQLException told) {
            if (!"08006".equals(told.getSQLState())) {
                throw told;
            }
        }
    }
}

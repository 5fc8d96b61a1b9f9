package kurabe.client.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteErrorCode;

/** A connection of SQLite that waits for another one. */
final class SqliteWaitsTest {
    @Test
    void aConnectionGivesUpInTimeAndCountsItsSleeps(@TempDir Path folder) throws SQLException {
        String url = "jdbc:sqlite:" + folder.resolve("data.sqlite");
        SqliteWaits waits = new SqliteWaits(20_000_000);
        try (Connection holder = DriverManager.getConnection(url); Connection waiter = DriverManager.getConnection(url);
                Statement held = holder.createStatement(); Statement write = waiter.createStatement()) {
            BusyHandler.setHandler(waiter, waits);
            held.execute("CREATE TABLE t (n INTEGER)");
            assertEquals(1, write.executeUpdate("INSERT INTO t VALUES (1)"));
            assertEquals(0, waits.count());
            held.execute("BEGIN IMMEDIATE");
            SQLException busy = assertThrows(SQLException.class, () -> write.executeUpdate("INSERT INTO t VALUES (2)"));
            assertEquals(SQLiteErrorCode.SQLITE_BUSY.code, busy.getErrorCode());
            assertTrue(waits.count() > 1, "slept " + waits.count() + " times");
            held.execute("COMMIT");
            assertEquals(1, write.executeUpdate("INSERT INTO t VALUES (2)"));
        }
    }
}

package kurabe.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kurabe.client.Job.Field;
import kurabe.client.Job.Type;

/** Jobs of the tests. */
public final class TestJobs {
    /** A key and a value of bytes. */
    public static final List<Field> PLAIN =
            List.of(new Field("id", Type.INT64, 0, false), new Field("value", Type.BYTES, 100, false));
    /** A key of text and columns of every type. */
    public static final List<Field> COLUMNS = List.of(new Field("key", Type.TEXT, 0, false),
            new Field("order", Type.INT64, 0, true), new Field("note", Type.TEXT, 30, false),
            new Field("body", Type.BYTES, 30, false));

    private TestJobs() {}

    /** A job of an embedded store over ten rows. */
    public static Job embedded(String store, Path folder, Map<String, String> settings, List<Field> schema) throws IOException {
        Files.createDirectories(folder);
        return job(store, folder, null, settings, schema);
    }

    /** A job of a server. */
    public static Job server(String store, String url, Map<String, String> settings) {
        return job(store, null, url, settings, COLUMNS);
    }

    private static Job job(String store, Path folder, String url, Map<String, String> settings, List<Field> schema) {
        return new Job(store, null, schema, 10, "ns", folder, url, new TreeMap<>(settings), pool(), "raw", 1_000_000_000,
                1_000_000_000);
    }

    /** A file with the pool of the vectors. */
    static Path pool() {
        try {
            byte[] pool = new byte[1 << 20];
            for (int at = 0; at < pool.length; at++) {
                pool[at] = (byte) (33 + at * 7919L % 94);
            }
            Path file = Files.createTempFile("kurabe-pool", "");
            file.toFile().deleteOnExit();
            return Files.write(file, pool);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }
}

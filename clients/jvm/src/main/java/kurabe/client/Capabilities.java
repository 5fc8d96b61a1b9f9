package kurabe.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Set;

/**
 * What an adapter can do.
 *
 * @param keyTypes of {@code int64}, {@code text}
 * @param insertTells whether an insert fails with {@code exists}; otherwise it overwrites
 * @param blindWrites whether updates and deletes write without a look at what is there
 * @param loadPaths of {@code row}, {@code batch}
 * @param readScopes of {@code each}, {@code snapshot}
 * @param transactions whether writes between two commits are one transaction
 */
public record Capabilities(
        Set<Kind> operations, List<String> keyTypes, boolean insertTells, boolean blindWrites, List<String> loadPaths,
        List<String> readScopes, boolean transactions, int maxConnections, long maxValueBytes, boolean emptyValues) {

    /** Keys of every type. */
    public static final List<String> ALL_KEYS = List.of("int64", "text");

    /** Of an adapter whose writes tell whether their row was there. */
    public Capabilities(
            Set<Kind> operations, List<String> keyTypes, boolean insertTells, List<String> loadPaths,
            List<String> readScopes, boolean transactions, int maxConnections, long maxValueBytes,
            boolean emptyValues) {
        this(operations, keyTypes, insertTells, false, loadPaths, readScopes, transactions, maxConnections,
                maxValueBytes, emptyValues);
    }

    /** As it travels. */
    JsonObject told() {
        JsonObject told = new JsonObject();
        told.add("operations", array(operations.stream().map(Kind::word).toList()));
        told.add("key_types", array(keyTypes));
        told.addProperty("insert", insertTells ? "exists" : "upsert");
        told.addProperty("blind_writes", blindWrites);
        told.add("load_paths", array(loadPaths));
        told.add("read_scopes", array(readScopes));
        told.addProperty("transactions", transactions);
        told.addProperty("max_depth", 1);
        told.addProperty("batch", false);
        told.addProperty("max_connections", maxConnections);
        told.addProperty("processes", false);
        told.addProperty("shared_versions", true);
        told.addProperty("max_value_bytes", maxValueBytes);
        told.addProperty("max_key_bytes", 255);
        told.addProperty("empty_values", emptyValues);
        told.addProperty("own_data", false);
        return told;
    }

    private static JsonArray array(List<String> words) {
        JsonArray array = new JsonArray();
        words.forEach(array::add);
        return array;
    }
}

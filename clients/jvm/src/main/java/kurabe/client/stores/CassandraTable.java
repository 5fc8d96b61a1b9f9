package kurabe.client.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import kurabe.client.Field;

/** The texts of the statements about a job's tables: one column a field, the key first; and one of counters. */
final class CassandraTable {
    private final List<Field> schema;
    private final String keyspace;
    private final String keyspaceName;
    private final String rows;
    private final String counters;
    private final String key;

    CassandraTable(String keyspace, String namespace, List<Field> schema) {
        this.schema = schema;
        this.keyspace = quoted(keyspace);
        keyspaceName = keyspace;
        rows = this.keyspace + "." + quoted(namespace);
        counters = this.keyspace + "." + quoted(namespace + "_counters");
        key = quoted(schema.get(0).name());
    }

    /** A name as an identifier of CQL, whatever it holds: keywords are names too. */
    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    String createKeyspace() {
        return "CREATE KEYSPACE IF NOT EXISTS " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    }

    /** Asks whether writes to the keyspace go through the log. */
    String durableWrites() {
        return "SELECT CAST(durable_writes AS text) FROM system_schema.keyspaces WHERE keyspace_name = '"
                + keyspaceName.replace("'", "''") + "'";
    }

    /** Makes both tables and the indexes. */
    List<String> create() {
        List<String> all = new ArrayList<>();
        String columns = schema.stream().map(field -> quoted(field.name()) + " " + type(field) + ", ")
                .collect(Collectors.joining());
        all.add("CREATE TABLE " + rows + " (" + columns + "PRIMARY KEY (" + key + "))");
        all.add("CREATE TABLE " + counters + " (id bigint PRIMARY KEY, count counter)");
        // Of its indexes only this kind knows ranges.
        schema.stream().skip(1).filter(Field::indexed).forEach(field ->
                all.add("CREATE INDEX ON " + rows + " (" + quoted(field.name()) + ") USING 'sai'"));
        return all;
    }

    private static String type(Field field) {
        return switch (field.type()) {
            case INT64 -> "bigint";
            case TEXT -> "text";
            case BYTES -> "blob";
        };
    }

    List<String> drop() {
        return List.of("DROP TABLE IF EXISTS " + rows, "DROP TABLE IF EXISTS " + counters);
    }

    private String names(int from) {
        return schema.stream().skip(from).map(field -> quoted(field.name())).collect(Collectors.joining(", "));
    }

    String insert() {
        String places = String.join(", ", java.util.Collections.nCopies(schema.size(), "?"));
        return "INSERT INTO " + rows + " (" + names(0) + ") VALUES (" + places + ")";
    }

    String select() {
        return "SELECT " + names(1) + " FROM " + rows + " WHERE " + key + " = ?";
    }

    /** The rows of a list of keys, with their keys: they come in an order of their own. */
    String selectMany() {
        return scan() + " WHERE " + key + " IN ?";
    }

    /** The values first, then the key. */
    String update() {
        String sets = schema.stream().skip(1).map(field -> quoted(field.name()) + " = ?")
                .collect(Collectors.joining(", "));
        return "UPDATE " + rows + " SET " + sets + " WHERE " + key + " = ?";
    }

    String delete() {
        return "DELETE FROM " + rows + " WHERE " + key + " = ?";
    }

    String scan() {
        return "SELECT " + names(0) + " FROM " + rows;
    }

    /** Without an index every row is looked at, which has to be allowed aloud. */
    String search(String name) {
        boolean indexed = schema.stream().anyMatch(field -> field.name().equals(name) && field.indexed());
        String column = quoted(name);
        return scan() + " WHERE " + column + " >= ? AND " + column + " <= ?" + (indexed ? "" : " ALLOW FILTERING");
    }

    String increment() {
        return "UPDATE " + counters + " SET count = count + 1 WHERE id = ?";
    }

    String sum() {
        return "SELECT sum(count) FROM " + counters;
    }

    String count() {
        return "SELECT count(*) FROM " + rows;
    }
}

package kurabe.client;

import java.util.Collections;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import kurabe.client.Job.Field;

/** The statements that databases with tables have in common, which are named as the namespace of a job. */
final class Sql {
    final String rows;
    final String counters;
    final String key;
    private final Job job;
    private final UnaryOperator<String> quoted;

    /** With what makes an identifier of a name, and what stands before the name of a table. */
    Sql(Job job, UnaryOperator<String> quoted, String before) {
        this.job = job;
        this.quoted = quoted;
        rows = before + quoted.apply(job.namespace());
        counters = before + quoted.apply(job.namespace() + "_counters");
        key = name(job.schema().get(0));
    }

    String name(Field field) {
        return quoted.apply(field.name());
    }

    private String names(int from) {
        return job.schema().stream().skip(from).map(this::name).collect(Collectors.joining(", "));
    }

    static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    String insert() {
        return "INSERT INTO " + rows + " (" + names(0) + ") VALUES (" + marks(job.schema().size()) + ")";
    }

    String read() {
        return "SELECT " + names(1) + " FROM " + rows + " WHERE " + key + " = ?";
    }

    /** The values first, then the key. */
    String update() {
        String sets = job.columns().stream().map(field -> name(field) + " = ?").collect(Collectors.joining(", "));
        return "UPDATE " + rows + " SET " + sets + " WHERE " + key + " = ?";
    }

    String delete() {
        return "DELETE FROM " + rows + " WHERE " + key + " = ?";
    }

    String scan() {
        return "SELECT " + names(0) + " FROM " + rows;
    }

    String count() {
        return "SELECT COUNT(*) FROM " + rows;
    }
}

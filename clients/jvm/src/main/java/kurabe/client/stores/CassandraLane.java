package kurabe.client.stores;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.protocol.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import kurabe.client.Field;
import kurabe.client.Kind;
import kurabe.client.Lane;
import kurabe.client.Phase;
import kurabe.client.Row;
import kurabe.client.RowSink;
import kurabe.client.StoreException;
import kurabe.client.Written;

/** One worker's way to the node, with every statement of its phase prepared. */
final class CassandraLane implements Lane {
    private final CqlSession session;
    private final Consumer<Boolean> giveBack;
    private final Field[] columns;
    private final boolean textKey;
    private final Map<Kind, PreparedStatement> statements = new EnumMap<>(Kind.class);
    private final Lost<DriverException> lost = new Lost<>(DriverException.class, Cassandra::failed);

    /** {@code giveBack} is told, when the lane is closed, whether the connection was lost. */
    CassandraLane(Cassandra store, CqlSession session, Phase phase, Consumer<Boolean> giveBack) {
        this.session = session;
        this.giveBack = giveBack;
        columns = store.layout.schema().stream().skip(1).toArray(Field[]::new);
        textKey = store.layout.textKey();
        for (Kind kind : phase.kinds()) {
            String text = text(store.table, kind, phase);
            if (text != null) {
                statements.put(kind, session.prepare(text));
            }
        }
    }

    private static String text(CassandraTable table, Kind kind, Phase phase) {
        return switch (kind) {
            case LOAD, INSERT -> table.insert();
            case READ, OPEN -> table.select();
            case UPDATE -> table.update();
            case DELETE -> table.delete();
            case SCAN -> table.scan();
            case MULTI_READ -> table.selectMany();
            case SEARCH -> table.search(phase.searchField());
            case INCREMENT -> table.increment();
            case LATEST, MIX -> null;
        };
    }

    /** Executes a statement, and takes its answer apart, for which the driver may ask for more pages. */
    private <T> T ask(Kind kind, Function<ResultSet, T> take, Object... values) throws StoreException {
        return lost.ask(() -> take.apply(session.execute(statements.get(kind).bind(values))));
    }

    private Written write(Kind kind, Object... values) throws StoreException {
        ask(kind, answer -> answer, values);
        return Written.DONE;
    }

    private void put(Object[] values, int first, Object[] fields) {
        for (int at = 0; at < fields.length; at++) {
            values[first + at] = fields[at] instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : fields[at];
        }
    }

    private Object[] fields(com.datastax.oss.driver.api.core.cql.Row row, int first) {
        Object[] fields = new Object[columns.length];
        for (int at = 0; at < columns.length; at++) {
            fields[at] = switch (columns[at].type()) {
                case INT64 -> row.get(first + at, Long.class);
                case TEXT -> row.getString(first + at);
                case BYTES -> Bytes.getArray(row.getByteBuffer(first + at));
            };
        }
        return fields;
    }

    private Object key(com.datastax.oss.driver.api.core.cql.Row row) {
        return textKey ? row.getString(0) : row.get(0, Long.class);
    }

    private void give(Kind kind, RowSink sink, Object... values) throws StoreException {
        ask(kind, answer -> {
            answer.forEach(row -> sink.take(key(row), fields(row, 1)));
            return null;
        }, values);
    }

    @Override
    public void load(Row row) throws StoreException {
        write(Kind.LOAD, keyFirst(row));
    }

    @Override
    public Written insert(Row row) throws StoreException {
        return write(Kind.INSERT, keyFirst(row));
    }

    private Object[] keyFirst(Row row) {
        Object[] values = new Object[columns.length + 1];
        values[0] = row.key();
        put(values, 1, row.fields());
        return values;
    }

    @Override
    public Object[] read(Object key) throws StoreException {
        Kind kind = statements.containsKey(Kind.READ) ? Kind.READ : Kind.OPEN;
        return ask(kind, answer -> {
            com.datastax.oss.driver.api.core.cql.Row row = answer.one();
            return row == null ? null : fields(row, 0);
        }, key);
    }

    @Override
    public Written update(Row row) throws StoreException {
        Object[] values = new Object[columns.length + 1];
        put(values, 0, row.fields());
        values[columns.length] = row.key();
        return write(Kind.UPDATE, values);
    }

    @Override
    public Written delete(Object key) throws StoreException {
        return write(Kind.DELETE, key);
    }

    /** Every write is acknowledged as the commit log's setting says: there is nothing left to do. */
    @Override
    public void commit() {}

    @Override
    public void scan(RowSink sink) throws StoreException {
        give(Kind.SCAN, sink);
    }

    @Override
    public Object[][] multiRead(List<Object> keys) throws StoreException {
        Map<Object, Object[]> found = new HashMap<>();
        ask(Kind.MULTI_READ, answer -> {
            answer.forEach(row -> found.put(key(row), fields(row, 1)));
            return null;
        }, keys);
        return keys.stream().map(found::get).toArray(Object[][]::new);
    }

    @Override
    public void increment(long counter) throws StoreException {
        write(Kind.INCREMENT, counter);
    }

    @Override
    public void search(int field, long low, long high, RowSink sink) throws StoreException {
        give(Kind.SEARCH, sink, low, high);
    }

    @Override
    public void close() {
        giveBack.accept(lost.isGone());
    }
}

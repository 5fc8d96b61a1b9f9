package kurabe.client.stores;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import kurabe.client.Field;
import kurabe.client.Lane;
import kurabe.client.Row;
import kurabe.client.RowSink;
import kurabe.client.StoreException;
import kurabe.client.Written;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.Binary;

/** One worker's way to the server: a connection of its driver's pool, taken anew for each operation. */
final class MongodbLane implements Lane {
    private static final Bson ONE_MORE = Updates.inc("count", 1L);
    private static final UpdateOptions UPSERT = new UpdateOptions().upsert(true);

    private final Mongodb store;
    private final Consumer<Boolean> giveBack;
    private final MongoCollection<Document> rows;
    private final MongoCollection<Document> counters;
    private final String key;
    private final String[] names;
    private final Lost<MongoException> lost = new Lost<>(MongoException.class, Mongodb::failed);

    /** {@code giveBack} is told, when the lane is closed, whether the connection was lost. */
    MongodbLane(Mongodb store, MongoClient driver, Consumer<Boolean> giveBack) {
        this.store = store;
        this.giveBack = giveBack;
        rows = store.rows(driver);
        counters = store.counters(driver);
        key = store.key;
        names = store.layout.schema().stream().skip(1).map(Field::name).toArray(String[]::new);
    }

    private Document document(Row row) {
        Document document = new Document(key, row.key());
        for (int at = 0; at < names.length; at++) {
            Object field = row.fields()[at];
            document.append(names[at], field instanceof byte[] bytes ? new Binary(bytes) : field);
        }
        return document;
    }

    private Object[] fields(Document document) {
        Object[] fields = new Object[names.length];
        for (int at = 0; at < names.length; at++) {
            Object field = document.get(names[at]);
            fields[at] = field instanceof Binary binary ? binary.getData() : field;
        }
        return fields;
    }

    /** Gives every document of a query to {@code take}. */
    private void each(FindIterable<Document> query, Consumer<Document> take) throws StoreException {
        lost.ask(() -> {
            try (MongoCursor<Document> cursor = query.iterator()) {
                cursor.forEachRemaining(take);
            }
            return null;
        });
    }

    private void give(FindIterable<Document> query, RowSink sink) throws StoreException {
        each(query, document -> sink.take(document.get(key), fields(document)));
    }

    @Override
    public void load(Row row) throws StoreException {
        try {
            lost.ask(() -> rows.insertOne(document(row)));
        } finally {
            store.countLoaded(1);
        }
    }

    @Override
    public Written insert(Row row) throws StoreException {
        return lost.ask(() -> {
            try {
                rows.insertOne(document(row));
                return Written.DONE;
            } catch (MongoWriteException error) {
                if (error.getError().getCategory() == ErrorCategory.DUPLICATE_KEY) {
                    return Written.EXISTS;
                }
                throw error;
            }
        });
    }

    @Override
    public Object[] read(Object key) throws StoreException {
        Document found = lost.ask(() -> rows.find(Filters.eq(this.key, key)).first());
        return found == null ? null : fields(found);
    }

    @Override
    public Written update(Row row) throws StoreException {
        long matched = lost.ask(() -> rows.replaceOne(Filters.eq(key, row.key()), document(row)).getMatchedCount());
        return matched == 0 ? Written.MISSING : Written.DONE;
    }

    @Override
    public Written delete(Object key) throws StoreException {
        long deleted = lost.ask(() -> rows.deleteOne(Filters.eq(this.key, key)).getDeletedCount());
        return deleted == 0 ? Written.MISSING : Written.DONE;
    }

    /** Every write carries its own write concern: there is nothing left to do. */
    @Override
    public void commit() {}

    @Override
    public void scan(RowSink sink) throws StoreException {
        give(rows.find(), sink);
    }

    @Override
    public void latest(int count, RowSink sink) throws StoreException {
        give(rows.find().sort(Sorts.descending(key)).limit(count), sink);
    }

    @Override
    public Object[][] multiRead(List<Object> keys) throws StoreException {
        Map<Object, Object[]> found = new HashMap<>();
        each(rows.find(Filters.in(key, keys)), document -> found.put(document.get(key), fields(document)));
        return keys.stream().map(found::get).toArray(Object[][]::new);
    }

    @Override
    public void increment(long counter) throws StoreException {
        lost.ask(() -> counters.updateOne(Filters.eq(counter), ONE_MORE, UPSERT));
    }

    @Override
    public void search(int field, long low, long high, RowSink sink) throws StoreException {
        String name = names[field - 1];
        give(rows.find(Filters.and(Filters.gte(name, low), Filters.lte(name, high))), sink);
    }

    @Override
    public void loadMany(List<Row> batch) throws StoreException {
        try {
            lost.ask(() -> rows.insertMany(batch.stream().map(this::document).toList()));
        } finally {
            store.countLoaded(batch.size());
        }
    }

    @Override
    public void close() {
        giveBack.accept(lost.isGone());
    }
}

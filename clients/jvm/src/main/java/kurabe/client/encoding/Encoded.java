package kurabe.client.encoding;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import kurabe.client.Capabilities;
import kurabe.client.Eviction;
import kurabe.client.Field;
import kurabe.client.Kind;
import kurabe.client.Lane;
import kurabe.client.Layout;
import kurabe.client.Phase;
import kurabe.client.Refused;
import kurabe.client.Store;
import kurabe.client.StoreException;
import kurabe.client.stores.Versions;

/**
 * A store that keeps a value of bytes, with rows in another encoding than raw (PROTOCOL.md, "Values"). Encoding is inside
 * the time of a write, decoding inside that of a read. The client gives and takes fields, so that its check stays as it is.
 */
public final class Encoded implements Store {
    private final Store store;
    private final String encoding;
    private final List<Field> fields;
    private final long longerBytes;
    private final Codec.Factory factory;
    private final LongAdder spentNs = new LongAdder();

    /** Around a store that keeps raw values. */
    public Encoded(Store store, String encoding, Layout layout) throws Refused {
        this.store = store;
        this.encoding = encoding;
        fields = layout.schema().subList(1, layout.schema().size());
        longerBytes = Math.max(Codec.longestBytes(fields) - layout.rawBytes(), 0);
        factory = Codec.factory(encoding);
    }

    /** Encodings that exist here, raw among them. */
    public static List<String> known() {
        TreeMap<String, Codec.Factory> all = new TreeMap<>(Codec.ALL);
        all.put("raw", null);
        return List.copyOf(all.keySet());
    }

    @Override
    public boolean raw() {
        return false;
    }

    @Override
    public boolean keepsColumns() {
        return false;
    }

    @Override
    public long encodingNs() {
        return spentNs.sum();
    }

    @Override
    public Map<String, String> libraries() throws StoreException {
        Map<String, String> libraries = new TreeMap<>(store.libraries());
        libraries.put(encoding, Versions.of(encoding));
        return libraries;
    }

    @Override
    public Capabilities capabilities() {
        Capabilities of = store.capabilities();
        EnumSet<Kind> operations = EnumSet.copyOf(of.operations());
        operations.remove(Kind.SEARCH);
        return new Capabilities(operations, of.keyTypes(), of.insertTells(), of.blindWrites(), of.loadPaths(),
                of.readScopes(), of.transactions(), of.maxConnections(), of.maxValueBytes() - longerBytes, of.emptyValues());
    }

    @Override
    public Lane connect(Phase phase) throws StoreException {
        return new EncodedLane(store.connect(phase), factory.of(fields), spentNs);
    }

    @Override
    public Object[] openAndRead(Phase phase, Object key) throws StoreException {
        return EncodedLane.decoded(factory.of(fields), store.openAndRead(phase, key));
    }

    @Override
    public void ping() throws StoreException {
        store.ping();
    }

    @Override
    public Map<String, String> info() throws StoreException {
        return store.info();
    }

    @Override
    public Map<String, String> settings() throws StoreException {
        return store.settings();
    }

    @Override
    public Eviction evicts() throws StoreException {
        return store.evicts();
    }

    @Override
    public List<String> absent() {
        return store.absent();
    }

    @Override
    public void create() throws StoreException {
        store.create();
    }

    @Override
    public void reset() throws StoreException {
        store.reset();
    }

    @Override
    public long count() throws StoreException {
        return store.count();
    }

    @Override
    public long sizeBytes() throws StoreException {
        return store.sizeBytes();
    }

    @Override
    public long sum() throws StoreException {
        return store.sum();
    }

    @Override
    public String check() throws StoreException {
        return store.check();
    }

    @Override
    public void close() throws StoreException {
        store.close();
    }
}

package kurabe.client;

import java.util.List;
import java.util.Map;
import kurabe.client.Job.Phase;

/** A store as this client drives it: what is asked between phases, and connections. */
public interface Store extends AutoCloseable {
    /** Libraries in use and their versions, as they tell them. */
    Map<String, String> libraries() throws StoreException;

    /** What it can do, by the keys of the protocol, where that is not what {@link Session} takes for granted. */
    Map<String, Object> capabilities();

    /** Whether it holds rows in raw encoding rather than in columns. */
    boolean raw();

    /** Connects for a phase, with everything prepared that can be prepared. */
    Lane connect(Phase phase) throws StoreException;

    /** Answers if the store does. */
    void ping() throws StoreException;

    /** What the store tells about itself, its version at least. */
    Map<String, String> info() throws StoreException;

    /** Settings as the live store reports them. */
    Map<String, String> settings() throws StoreException;

    /** How the server throws rows away where its memory ends, in its own words; null where it does not. */
    default String evicts() throws StoreException {
        throw StoreException.unsupported();
    }

    /** What the call before left out, since the user of the address may not read it, in words; each is told once. */
    default List<String> absent() {
        return List.of();
    }

    /** Makes the namespace, empty. */
    void create() throws StoreException;

    /** Removes the namespace and nothing else. */
    void reset() throws StoreException;

    /** Number of rows. */
    default long count() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Size in bytes as the store reports it. */
    default long sizeBytes() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Sum of all counters. */
    default long sum() throws StoreException {
        throw StoreException.unsupported();
    }

    /** What the store's own check says against it; empty where it is sound. */
    default String check() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Closes everything in good order. */
    @Override
    void close() throws StoreException;
}

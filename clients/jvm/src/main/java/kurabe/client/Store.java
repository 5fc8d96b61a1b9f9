package kurabe.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kurabe.client.Job.Kind;
import kurabe.client.Job.Phase;
import kurabe.client.Job.Type;

/** A store as this client drives it: what is asked between phases, and connections. */
public abstract class Store implements AutoCloseable {
    /** The job that it was opened for. */
    public final Job job;
    /** Whether it keeps columns, rather than one value in raw encoding or another one. */
    public final boolean keepsColumns;
    private final List<String> absent = new ArrayList<>();

    /** Refuses every setting of the job that is not among those that the store knows. */
    protected Store(Job job, boolean keepsColumns, Set<String> settings) throws StoreException {
        this.job = job;
        this.keepsColumns = keepsColumns;
        job.refuseOtherSettings(settings);
    }

    /** Libraries in use and their versions, as they tell them. */
    public abstract Map<String, String> libraries() throws StoreException;

    /** What it can do, by the keys of the protocol, where that is not what {@link Session} takes for granted. */
    public abstract Map<String, Object> capabilities();

    /** All kinds of operation but these; a search only where the schema has an int64 field beside the key. */
    protected final Set<Kind> allBut(Kind... lacking) {
        EnumSet<Kind> kinds = EnumSet.allOf(Kind.class);
        kinds.removeAll(Arrays.asList(lacking));
        if (job.columns().stream().noneMatch(field -> field.type() == Type.INT64)) {
            kinds.remove(Kind.SEARCH);
        }
        return kinds;
    }

    /** Connects for a phase, with everything prepared that can be prepared. */
    public abstract Lane connect(Phase phase) throws StoreException;

    /** Answers if the store does. */
    public abstract void ping() throws StoreException;

    /** What the store tells about itself, its version at least. */
    public Map<String, String> info() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Settings as the live store reports them. */
    public Map<String, String> settings() throws StoreException {
        throw StoreException.unsupported();
    }

    /** How the server throws rows away where its memory ends, in its own words; null where it does not. */
    public String evicts() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Makes the namespace, empty. */
    public abstract void create() throws StoreException;

    /** Removes the namespace and nothing else. */
    public abstract void reset() throws StoreException;

    /** Number of rows. */
    public long count() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Size in bytes as the store reports it. */
    public long sizeBytes() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Sum of all counters. */
    public long sum() throws StoreException {
        throw StoreException.unsupported();
    }

    /** What the store's own check says against it; empty where it is sound. */
    public String check() throws StoreException {
        throw StoreException.unsupported();
    }

    /** Closes everything in good order. */
    @Override
    public abstract void close() throws StoreException;

    /** Something that is asked of a server. */
    protected interface Question<T> {
        /** Asks. */
        T ask() throws StoreException;
    }

    /** The answer; {@code otherwise} where the user may not have it, and then it is noted that {@code what} is absent. */
    protected final <T> T unlessDenied(String what, T otherwise, Question<T> question) throws StoreException {
        try {
            return question.ask();
        } catch (StoreException error) {
            if (error.kind != StoreException.Cause.DENIED) {
                throw error;
            }
            absent.add(what + ": " + error.getMessage());
            return otherwise;
        }
    }

    /** As above for the whole answer of a call. */
    protected final <T> T orUnsupported(String what, Question<T> question) throws StoreException {
        T answer = unlessDenied(what, null, question);
        if (answer == null) {
            throw StoreException.unsupported();
        }
        return answer;
    }

    /** What calls left out since this was asked last, since the user of the address may not read it, in words. */
    final List<String> takeAbsent() {
        List<String> taken = List.copyOf(absent);
        absent.clear();
        return taken;
    }
}

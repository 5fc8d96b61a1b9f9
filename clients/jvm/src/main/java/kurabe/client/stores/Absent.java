package kurabe.client.stores;

import java.util.ArrayList;
import java.util.List;
import kurabe.client.StoreException;

/** What the calls of a server leave out, since the user of its address may not read it. */
final class Absent {
    private final List<String> texts = new ArrayList<>();

    /** Something that is asked of a server. */
    interface Question<T> {
        T ask() throws StoreException;
    }

    /** The answer; {@code otherwise} where the user may not have it, and then it is noted that {@code what} is absent. */
    synchronized <T> T unlessDenied(String what, T otherwise, Question<T> question) throws StoreException {
        try {
            return question.ask();
        } catch (StoreException error) {
            if (error.kind != StoreException.Cause.DENIED) {
                throw error;
            }
            texts.add(what + ": " + error.getMessage());
            return otherwise;
        }
    }

    /** As above for the whole answer of a call. */
    <T> T orUnsupported(String what, Question<T> question) throws StoreException {
        T answer = unlessDenied(what, null, question);
        if (answer == null) {
            throw StoreException.unsupported();
        }
        return answer;
    }

    /** What was left out since it was asked last. */
    synchronized List<String> take() {
        List<String> taken = List.copyOf(texts);
        texts.clear();
        return taken;
    }
}

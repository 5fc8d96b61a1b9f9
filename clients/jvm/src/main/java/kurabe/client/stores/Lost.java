package kurabe.client.stores;

import java.util.function.Function;
import java.util.function.Supplier;
import kurabe.client.StoreException;

/**
 * For drivers that connect again by themselves: a connection that is gone stays gone here, so that what its loss cost is
 * seen.
 *
 * @param <E> what the driver throws
 */
final class Lost<E extends RuntimeException> {
    private final Class<E> errors;
    private final Function<? super E, StoreException> told;
    /** Why the connection is gone, where it is. */
    private StoreException why;

    Lost(Class<E> errors, Function<? super E, StoreException> told) {
        this.errors = errors;
        this.told = told;
    }

    boolean isGone() {
        return why != null;
    }

    /** Asks, unless the connection is gone, and notes whether it went. */
    <T> T ask(Supplier<T> question) throws StoreException {
        if (why != null) {
            throw why;
        }
        try {
            return question.get();
        } catch (RuntimeException error) {
            if (!errors.isInstance(error)) {
                throw error;
            }
            StoreException failed = told.apply(errors.cast(error));
            if (failed.kind == StoreException.Cause.DISCONNECTED) {
                why = failed;
            }
            throw failed;
        }
    }
}

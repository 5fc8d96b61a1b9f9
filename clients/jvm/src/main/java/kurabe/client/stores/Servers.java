package kurabe.client.stores;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Predicate;
import kurabe.client.StoreException;

/** What the adapters of servers share. */
final class Servers {
    private Servers() {}

    /**
     * The address of a job; {@code by} ends "cannot be used" where it is none for the driver. The words about a bad one never
     * quote it, nor the driver's own words: it may hold a password.
     */
    static URI address(String url, Predicate<URI> usable, String by, String expected) throws StoreException {
        try {
            URI address = new URI(url == null ? "" : url);
            if (usable.test(address)) {
                return address;
            }
        } catch (URISyntaxException error) {
            throw unreadable(expected);
        }
        throw StoreException.failed("the address of the server cannot be used" + by + ": " + expected);
    }

    static StoreException unreadable(String expected) {
        return StoreException.failed("the address of the server cannot be read: " + expected);
    }

    /** A user or password as it is meant. */
    static String decoded(String text, String expected) throws StoreException {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            throw unreadable(expected);
        }
    }

    /**
     * A driver that all connections of a phase share, as drivers with a pool are meant to be used. The next phase has it
     * too, as the next part of a program would, if it has as many connections and none was lost.
     *
     * @param <D> the driver
     */
    static final class Shared<D> {
        /** Makes a driver. */
        interface Maker<D> {
            D make(int connections) throws StoreException;
        }

        private final Maker<D> maker;
        private final Consumer<D> closer;
        private D driver;
        private int connections;
        private boolean isSpoilt;
        private int users;

        Shared(Maker<D> maker, Consumer<D> closer) {
            this.maker = maker;
            this.closer = closer;
        }

        /** The driver of a phase with so many connections. */
        synchronized D take(int wanted) throws StoreException {
            if (users == 0 && (isSpoilt || wanted != connections)) {
                close();
            }
            if (driver == null) {
                driver = maker.make(wanted);
                connections = wanted;
                isSpoilt = false;
            }
            users++;
            return driver;
        }

        /** One of those who took it does not need it any more; {@code lost} tells whether its connection was gone. */
        synchronized void giveBack(boolean lost) {
            users--;
            isSpoilt |= lost;
        }

        /** Closes it, when nobody has it. */
        synchronized void close() {
            if (driver != null) {
                closer.accept(driver);
                driver = null;
            }
        }
    }
}

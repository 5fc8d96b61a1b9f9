package kurabe.client.stores;

import java.util.function.Consumer;
import kurabe.client.StoreException;

/**
 * A driver that all connections of a phase share, as drivers with a pool are meant to be used. The next phase has it
 * too, as the next part of a program would, if it has as many connections and none was lost.
 *
 * @param <D> the driver
 */
final class Shared<D> {
    /**
     * Makes a driver.
     *
     * @param <D> the driver
     */
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

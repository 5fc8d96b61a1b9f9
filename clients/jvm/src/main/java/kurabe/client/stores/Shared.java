package kurabe.client.stores;

import java.util.function.Consumer;
import kurabe.client.StoreException;

/**
 * A driver that all connections of a phase share, as drivers with a pool are meant to be used: made for the first of
 * them, closed with the last.
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
        D make() throws StoreException;
    }

    private final Consumer<D> close;
    private D driver;
    private int users;

    Shared(Consumer<D> close) {
        this.close = close;
    }

    synchronized D take(Maker<D> maker) throws StoreException {
        if (driver == null) {
            driver = maker.make();
        }
        users++;
        return driver;
    }

    /** One of those who took it does not need it any more. */
    synchronized void giveBack() {
        users--;
        if (users == 0) {
            close.accept(driver);
            driver = null;
        }
    }
}

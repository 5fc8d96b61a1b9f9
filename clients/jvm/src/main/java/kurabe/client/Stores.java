package kurabe.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The stores that this client can drive, the versions of their libraries, and what the adapters of servers share. */
public final class Stores {
    /** Opens a store. */
    public interface Factory {
        /** Opens that of a job, with its settings. */
        Store open(Job job) throws StoreException;
    }

    private static final Map<String, Factory> ALL = new TreeMap<>(Map.ofEntries(
            Map.entry("cassandra", Cassandra::new),
            Map.entry("derby", Derby::new),
            Map.entry("echo", Echo::new),
            Map.entry("ehcache", Ehcache::new),
            Map.entry("h2", H2::new),
            Map.entry("hsqldb", Hsqldb::new),
            Map.entry("mariadb", Mysql.Mariadb::new),
            Map.entry("mongodb", Mongodb::new),
            Map.entry("mysql", Mysql.Oracle::new),
            Map.entry("postgres", Postgres::new),
            Map.entry("redis", Redis::new),
            Map.entry("sqlite", Sqlite::new)));

    private Stores() {}

    /** What opens a store, by its name. */
    public static Factory factory(String name) throws StoreException {
        Factory factory = ALL.get(name);
        if (factory == null) {
            throw StoreException.failed("store '" + name + "' is not in the JVM client; it has " + String.join(", ", ALL.keySet()));
        }
        return factory;
    }

    /** The version of a library by the name of its store or encoding. */
    public static String version(String library) throws StoreException {
        return property("/kurabe/client/versions.properties", library);
    }

    /** A value of a file of properties in the jar; empty where there is none of the name. */
    static String property(String file, String name) throws StoreException {
        Properties properties = new Properties();
        try (InputStream from = Stores.class.getResourceAsStream(file)) {
            properties.load(from);
        } catch (IOException | NullPointerException error) {
            throw StoreException.failed("the client's " + file.substring(file.lastIndexOf('/') + 1)
                    + " cannot be read; build the client anew");
        }
        return properties.getProperty(name, "");
    }

    /** Refuses a library of another version than the one that the client was built with; gives the version back. */
    static String expect(String library, String told) throws StoreException {
        String built = version(library);
        // Drivers add a build number or a name.
        if (!told.contains(built)) {
            throw StoreException.failed("the library of " + library + " tells version '" + told + "', but this client was "
                    + "built with " + built + "; remove the client's folder from the cache, so that it is built anew");
        }
        return told;
    }

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

package kurabe.client.stores;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import kurabe.client.Job;
import kurabe.client.Store;
import kurabe.client.StoreException;

/** The stores that this client can drive, and the versions of the libraries that it was built with. */
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
}

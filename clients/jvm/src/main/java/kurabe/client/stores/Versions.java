package kurabe.client.stores;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import kurabe.client.StoreException;

/** Versions of the libraries that this client was built with. */
public final class Versions {
    private Versions() {}

    /** The version of a library by the name of its store or encoding. */
    public static String of(String store) throws StoreException {
        return value("/kurabe/client/versions.properties", store);
    }

    /** A value of a file of properties in the jar; empty where there is none of the name. */
    static String value(String file, String name) throws StoreException {
        Properties properties = new Properties();
        try (InputStream from = Versions.class.getResourceAsStream(file)) {
            properties.load(from);
        } catch (IOException | NullPointerException error) {
            throw StoreException.failed("the client's " + file.substring(file.lastIndexOf('/') + 1)
                    + " cannot be read; build the client anew");
        }
        return properties.getProperty(name, "");
    }

    /** Refuses a library of another version than the one that the receipt names. */
    static void expect(String store, String told) throws StoreException {
        String built = of(store);
        // Drivers add a build number or a name.
        if (!told.contains(built)) {
            throw StoreException.failed("the library of " + store + " tells version '" + told + "', but this client was "
                    + "built with " + built + "; remove the client's folder from the cache, so that it is built anew");
        }
    }
}

package kurabe.client.stores;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import kurabe.client.Refused;

/** Addresses of servers. The words about a bad one never quote it, nor the driver's own words: it may hold a password. */
final class Address {
    private Address() {}

    /** The address of a job; {@code by} ends "cannot be used" where it is none for the driver. */
    static URI of(String url, Predicate<URI> usable, String by, String expected) throws Refused {
        try {
            URI address = new URI(url == null ? "" : url);
            if (usable.test(address)) {
                return address;
            }
        } catch (URISyntaxException error) {
            throw unreadable(expected);
        }
        throw new Refused("the address of the server cannot be used" + by + ": " + expected);
    }

    /** A user or password as it is meant. */
    static String decoded(String text, String expected) throws Refused {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            throw unreadable(expected);
        }
    }

    static Refused unreadable(String expected) {
        return new Refused("the address of the server cannot be read: " + expected);
    }
}

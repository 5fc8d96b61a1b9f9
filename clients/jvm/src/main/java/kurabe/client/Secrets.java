package kurabe.client;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keeps user, password and query of an address out of every message. */
public final class Secrets {
    /** The shortest password that is hidden wherever it stands; shorter ones and names only where they are whole words. */
    private static final int LONG = 4;
    /** Keys of a query whose values are hidden however short they are. */
    private static final Set<String> CREDENTIALS =
            Set.of("user", "username", "password", "pass", "passwd", "pwd", "token");
    private static final int LONGEST = 300;
    private static volatile List<Pattern> hidden = List.of();

    private Secrets() {}

    /** Hides user, password and query of this address from now on. */
    static void hide(String url) {
        // A part of another must not be hidden first.
        TreeMap<String, Boolean> secrets = new TreeMap<>(
                Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        int begin = url == null ? -1 : url.indexOf("://");
        if (begin >= 0) {
            String[] parts = url.substring(begin + 3).split("\\?", 2);
            int at = parts[0].lastIndexOf('@');
            if (at >= 0) {
                String[] login = parts[0].substring(0, at).split(":", 2);
                add(secrets, parts[0].substring(0, at), false);
                add(secrets, login[0], false);
                add(secrets, login.length > 1 ? login[1] : "", true);
            }
            for (String pair : parts.length > 1 ? parts[1].split("&") : new String[0]) {
                String[] named = pair.split("=", 2);
                boolean credential = CREDENTIALS.contains(named[0].toLowerCase(Locale.ROOT));
                if (named.length > 1 && (credential || named[1].length() >= LONG)) {
                    add(secrets, named[1], credential);
                }
            }
        }
        hidden = secrets.entrySet().stream().map(secret -> pattern(secret.getKey(), secret.getValue())).toList();
    }

    private static void add(TreeMap<String, Boolean> secrets, String text, boolean isPassword) {
        boolean anywhere = isPassword && text.length() >= LONG;
        for (String one : new String[] {text, decode(text)}) {
            if (!one.isEmpty()) {
                secrets.merge(one, anywhere, Boolean::logicalOr);
            }
        }
    }

    private static Pattern pattern(String secret, boolean anywhere) {
        String quoted = Pattern.quote(secret);
        return Pattern.compile(anywhere ? quoted : "(?<![\\p{L}\\p{N}_])" + quoted + "(?![\\p{L}\\p{N}_])");
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            return text;
        }
    }

    /** A message in one line, without secrets. */
    public static String clean(String message) {
        String text = String.valueOf(message).replaceAll("\\s+", " ").strip();
        for (Pattern secret : hidden) {
            text = secret.matcher(text).replaceAll(Matcher.quoteReplacement("***"));
        }
        return text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    }
}

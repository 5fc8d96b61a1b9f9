package kurabe.client;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keeps the user and password of an address out of every message. */
public final class Secrets {
    private static final Pattern AUTHORITY = Pattern.compile("://(.*)@");
    private static final int LONGEST = 300;
    private static volatile List<String> hidden = List.of();

    private Secrets() {}

    /** Hides what stands before the @ of this address from now on. */
    static void hide(String url) {
        Matcher found = AUTHORITY.matcher(url == null ? "" : url);
        List<String> secrets = new ArrayList<>();
        if (found.find() && found.group(1).contains(":")) {
            String password = found.group(1).substring(found.group(1).indexOf(':') + 1);
            secrets.add(found.group(1));
            secrets.add(password);
            secrets.add(decode(password));
        }
        hidden = secrets.stream().filter(secret -> !secret.isEmpty()).toList();
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            return text;
        }
    }

    /** A message in one line, without secrets. */
    public static String clean(String message) {
        String text = String.valueOf(message).replaceAll("\\s+", " ").strip();
        for (String secret : hidden) {
            text = text.replace(secret, "***");
        }
        return text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    }
}

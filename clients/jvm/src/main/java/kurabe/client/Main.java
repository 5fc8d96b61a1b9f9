package kurabe.client;

import com.google.gson.*;
import java.io.*;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kurabe.client.Store.StoreException;

/** Kurabe's JVM client: works on one job from stdin (docs/PROTOCOL.md). */
public final class Main {
    private static final int LEAST_JAVA = 17;

    private Main() {}

    /**
     * {@code --probe} tells by its exit status whether stores can be driven, all of which are in the jar; without it a
     * job is done.
     */
    public static void main(String[] args) {
        if (Runtime.version().feature() < LEAST_JAVA) {
            System.err.println("java " + Runtime.version() + " is too old, " + LEAST_JAVA + " is needed");
            System.exit(2);
        }
        // The lines of the protocol have a descriptor of their own: what libraries print is for people.
        System.setOut(System.err);
        System.exit(args.length > 0 && args[0].equals("--probe") ? 0 : serve());
    }

    private static int serve() {
        // It is open: run.sh looks after that, before the virtual machine opens a file of its own under the number.
        try (OutputStream out = new FileOutputStream("/dev/fd/3", true)) {
            return serve(new Lines(System.in, out));
        } catch (IOException error) {
            System.err.println("there is no descriptor 3 for the lines: 'kurabe drive' starts this client");
            return 2;
        } catch (Gone gone) {
            return 3;
        }
    }

    private static int serve(Lines lines) throws Gone {
        Session session = null;
        try {
            session = new Session(lines, lines.next());
            while (session.hear(lines.next())) {
                // Until `stop`.
            }
            return 0;
        } catch (Gone gone) {
            if (session != null) {
                session.abandon();
            }
            throw gone;
        } catch (StoreException failed) {
            lines.say(error(failed.getMessage()));
        } catch (IOException failed) {
            lines.say(error("a script or a tape: " + failed.getMessage()));
        } catch (Exception | Error bug) {
            StringWriter trace = new StringWriter();
            bug.printStackTrace(new PrintWriter(trace));
            trace.toString().lines().map(Secrets::clean).forEach(System.err::println);
            lines.say(error("the JVM client failed: " + bug));
        }
        return session == null ? 2 : 1;
    }

    private static JsonObject error(String words) {
        return Lines.line("error", Secrets.clean(words));
    }

    /** Nobody listens any more: stdin ended without {@code stop}. Exit status 3. */
    static final class Gone extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** The lines of the protocol, one JSON object each, to the child and from it. */
    static final class Lines {
        private static final JsonObject END = new JsonObject();
        private static final JsonObject NO_OBJECT = new JsonObject();

        private final BlockingQueue<JsonObject> lines = new LinkedBlockingQueue<>();
        private final OutputStream out;
        private volatile boolean isGone;

        /** Reads lines from a stream with a thread of its own, which waits in the kernel; writes to another. */
        Lines(InputStream in, OutputStream out) {
            this.out = out;
            Thread reader = new Thread(() -> read(in), "stdin");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(InputStream in) {
            boolean isStopped = false;
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    if (!line.isBlank()) {
                        JsonObject object = parse(line);
                        isStopped |= object.has("stop");
                        lines.add(object);
                    }
                }
            } catch (IOException error) {
                System.err.println("stdin: " + error.getMessage());
            }
            isGone = !isStopped;
            // Wakes up whoever waits.
            lines.add(END);
        }

        private static JsonObject parse(String line) {
            try {
                return JsonParser.parseString(line) instanceof JsonObject object ? object : NO_OBJECT;
            } catch (JsonParseException error) {
                return NO_OBJECT;
            }
        }

        /** Whether workers must stop. */
        boolean isGone() {
            return isGone;
        }

        /** The next line; waits for it. */
        JsonObject next() throws Gone, StoreException, InterruptedException {
            JsonObject line = lines.take();
            if (line == END) {
                throw new Gone();
            }
            if (line == NO_OBJECT) {
                // It is not quoted: there could be an address in it.
                throw StoreException.failed("a line is no JSON object");
            }
            return line;
        }

        /** Says a line. */
        void say(JsonObject line) throws Gone {
            try {
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException error) {
                isGone = true;
                throw new Gone();
            }
        }

        /** A line of one key. */
        static JsonObject line(String key, Object value) {
            JsonObject line = new JsonObject();
            line.add(key, new Gson().toJsonTree(value));
            return line;
        }
    }

    /** Keeps user, password and query of an address out of every message. */
    static final class Secrets {
        /**
         * The shortest password that is hidden wherever it stands; shorter ones and names only where they are whole
         * words.
         */
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
        static String clean(String message) {
            String text = String.valueOf(message).replaceAll("\\s+", " ").strip();
            for (Pattern secret : hidden) {
                text = secret.matcher(text).replaceAll(Matcher.quoteReplacement("***"));
            }
            return text.length() > LONGEST ? text.substring(0, LONGEST) : text;
        }
    }
}

package kurabe.client;

import com.google.gson.JsonObject;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Kurabe's JVM client: works on one job from stdin (docs/PROTOCOL.md). */
public final class Main {
    private static final int LEAST_JAVA = 17;
    /** The flags of a descriptor that is open for writing, O_WRONLY and O_RDWR. */
    private static final long WRITES = 3;

    private Main() {}

    /** {@code --probe STORE} tells by its exit status whether a store can be driven; without it a job is done. */
    public static void main(String[] args) {
        if (Runtime.version().feature() < LEAST_JAVA) {
            System.err.println("java " + Runtime.version() + " is too old, " + LEAST_JAVA + " is needed");
            System.exit(2);
        }
        // The lines of the protocol have a descriptor of their own: what libraries print is for people.
        System.setOut(System.err);
        System.exit(args.length == 2 && args[0].equals("--probe") ? probe(args[1]) : serve());
    }

    private static int probe(String store) {
        try {
            Stores.factory(store);
            return 0;
        } catch (StoreException none) {
            System.err.println(none.getMessage());
            return 2;
        }
    }

    private static int serve() {
        try {
            return serve(new Lines(System.in, lines()));
        } catch (IOException error) {
            System.err.println("there is no descriptor 3 for the lines: 'kurabe drive' starts this client");
            return 2;
        } catch (Lines.Gone gone) {
            return 3;
        }
    }

    /**
     * Descriptor 3, where this process was given one. Otherwise that is a file of the virtual machine's own, which it opened for
     * reading under the first number that was free, and which nobody may write to.
     */
    private static OutputStream lines() throws IOException {
        for (String about : Files.readAllLines(Path.of("/proc/self/fdinfo/3"))) {
            if (about.startsWith("flags:") && (Long.parseLong(about.substring("flags:".length()).strip(), 8) & WRITES) != 0) {
                return new FileOutputStream("/dev/fd/3", true);
            }
        }
        throw new IOException("descriptor 3 is not open for writing");
    }

    private static int serve(Lines lines) throws Lines.Gone {
        Session session = null;
        try {
            session = new Session(lines, lines.next());
            while (session.hear(lines.next())) {
                // Until `stop`.
            }
            return 0;
        } catch (Lines.Gone gone) {
            if (session != null) {
                session.abandon();
            }
            throw gone;
        } catch (StoreException failed) {
            lines.say(error(failed.getMessage()));
        } catch (IOException failed) {
            lines.say(error("a script or a tape: " + failed.getMessage()));
        } catch (RuntimeException | Error bug) {
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
}

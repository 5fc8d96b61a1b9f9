package kurabe.client;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The lines of the protocol, one JSON object each, to the child and from it. */
final class Lines {
    /** Nobody listens any more: stdin ended without {@code stop}. Exit status 3. */
    static final class Gone extends Exception {
        private static final long serialVersionUID = 1;
    }

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
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
                    isStopped |= object != null && object.has("stop");
                    lines.add(line);
                }
            }
        } catch (IOException error) {
            System.err.println("stdin: " + error.getMessage());
        }
        isGone = !isStopped;
        // Wakes up whoever waits.
        lines.add("");
    }

    /** The object of a line, or null. */
    private static JsonObject parse(String line) {
        try {
            return JsonParser.parseString(line) instanceof JsonObject object ? object : null;
        } catch (JsonParseException error) {
            return null;
        }
    }

    /** Whether workers must stop. */
    boolean isGone() {
        return isGone;
    }

    /** The next line; waits for it. */
    JsonObject next() throws Gone, StoreException {
        String line;
        try {
            line = lines.take();
        } catch (InterruptedException error) {
            throw new Gone();
        }
        if (line.isEmpty()) {
            throw new Gone();
        }
        JsonObject object = parse(line);
        if (object == null) {
            // It is not quoted: there could be an address in it.
            throw StoreException.failed("a line is no JSON object");
        }
        return object;
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
    static JsonObject line(String key, String value) {
        JsonObject line = new JsonObject();
        line.addProperty(key, value);
        return line;
    }
}

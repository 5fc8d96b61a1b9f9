package kurabe.client;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The client's end of the protocol: lines in, lines out. */
final class Wire {
    /** The harness is gone: stdin ended without {@code stop}. Exit status 3. */
    static final class Gone extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** Longest start of a line that is shown in an error. */
    private static final int SHOWN = 120;

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final OutputStream out;
    private volatile boolean ended;
    private volatile boolean stopSeen;

    /** Reads lines from a stream with a thread of its own, which waits in the kernel; writes to another. */
    Wire(InputStream in, OutputStream out) {
        this.out = out;
        Thread reader = new Thread(() -> read(in), "stdin");
        reader.setDaemon(true);
        reader.start();
    }

    /** Lines go to descriptor 3 where run.sh put stdout there, since libraries and notices print to 1. */
    static OutputStream privateStdout() throws IOException {
        return new FileOutputStream("/dev/fd/3", true);
    }

    private void read(InputStream in) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isBlank()) {
                    stopSeen |= isStop(line);
                    lines.add(line);
                }
            }
        } catch (IOException error) {
            System.err.println("stdin: " + error.getMessage());
        }
        ended = true;
        // Wakes up whoever waits.
        lines.add("");
    }

    private static boolean isStop(String line) {
        try {
            return JsonParser.parseString(line) instanceof JsonObject object && object.has("stop");
        } catch (JsonParseException error) {
            return false;
        }
    }

    /** Whether workers must stop: the harness is gone. */
    boolean aborted() {
        return ended && !stopSeen;
    }

    /** The next line; waits for it. */
    JsonObject next() throws Gone, Refused {
        String line;
        try {
            line = lines.take();
        } catch (InterruptedException error) {
            throw new Gone();
        }
        if (line.isEmpty()) {
            throw new Gone();
        }
        try {
            if (JsonParser.parseString(line) instanceof JsonObject object) {
                return object;
            }
        } catch (JsonParseException error) {
            // Told below in the same words.
        }
        throw new Refused("not a JSON object: '" + line.substring(0, Math.min(line.length(), SHOWN)) + "'");
    }

    /** Writes a message as one line. A harness that does not read any more is gone. */
    synchronized void say(JsonObject message) throws Gone {
        try {
            out.write((message + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException error) {
            ended = true;
            throw new Gone();
        }
    }

    /** A message of one key. */
    static JsonObject message(String key, String value) {
        JsonObject message = new JsonObject();
        message.addProperty(key, value);
        return message;
    }
}

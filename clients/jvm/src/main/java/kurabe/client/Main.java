package kurabe.client;

import java.io.IOException;

/** Kurabe's JVM client: works on one job from stdin. */
public final class Main {
    private static final int LEAST_JAVA = 17;

    private Main() {}

    /** {@code --probe STORE} tells by its exit status whether a store can be driven; without it a job is done. */
    public static void main(String[] args) {
        if (Runtime.version().feature() < LEAST_JAVA) {
            System.err.println("java " + Runtime.version() + " is too old, " + LEAST_JAVA + " is needed");
            System.exit(2);
        }
        // Whatever a library prints belongs to stderr; messages have a descriptor of their own.
        System.setOut(System.err);
        System.exit(args.length == 2 && args[0].equals("--probe") ? probe(args[1]) : serve());
    }

    private static int probe(String store) {
        try {
            Stores.of(store);
            return 0;
        } catch (Refused refused) {
            System.err.println(refused.getMessage());
            return 2;
        }
    }

    private static int serve() {
        Wire wire;
        try {
            wire = new Wire(System.in, Wire.privateStdout());
        } catch (IOException error) {
            System.err.println("there is no descriptor 3 for messages: start this client by run.sh");
            return 2;
        }
        try {
            return serve(wire);
        } catch (Wire.Gone gone) {
            return 3;
        }
    }

    private static int serve(Wire wire) throws Wire.Gone {
        Session session = null;
        try {
            session = new Session(wire);
            session.work();
            return 0;
        } catch (Refused refused) {
            wire.say(Wire.message("error", Secrets.clean(refused.getMessage())));
            return session == null ? 2 : 1;
        } catch (PhaseRun.Broken | StoreException broken) {
            wire.say(Wire.message("error", Secrets.clean(broken.getMessage())));
            return 1;
        } catch (Wire.Gone gone) {
            if (session != null) {
                session.abandon();
            }
            throw gone;
        } catch (RuntimeException | Error bug) {
            bug.printStackTrace();
            wire.say(Wire.message("error", Secrets.clean("the JVM client failed: " + bug)));
            return 1;
        }
    }
}

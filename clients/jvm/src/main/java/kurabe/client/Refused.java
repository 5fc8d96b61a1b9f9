package kurabe.client;

/** The job cannot be done here at all: exit status 2. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    /** With the reason, for people. */
    public Refused(String message) {
        super(message);
    }
}

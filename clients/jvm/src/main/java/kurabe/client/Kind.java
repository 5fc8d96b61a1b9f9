package kurabe.client;

/** Kinds of operation, in the order of their codes in a kinds stream. */
public enum Kind {
    LOAD, INSERT, READ, UPDATE, DELETE, SCAN, LATEST, MULTI_READ, INCREMENT, SEARCH, OPEN, MIX;

    private static final Kind[] ALL = values();

    /** The word used on the wire. */
    public String word() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    /** The kind of a word; a word that is none makes the job unusable. */
    static Kind of(String word) throws Refused {
        for (Kind kind : ALL) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new Refused("operation '" + word + "' is not known here");
    }

    /** The kind of a code of a kinds stream. */
    static Kind of(int code) {
        return ALL[code];
    }

    /** Whether it writes rows; increments write counters, which are apart from the rows. */
    boolean writesRows() {
        return this == LOAD || this == INSERT || this == UPDATE || this == DELETE;
    }

    /** Whether it writes anything. */
    boolean writes() {
        return writesRows() || this == INCREMENT;
    }
}

package kurabe.client.stores;

import java.util.Locale;

/** A storage engine of MariaDB or MySQL. */
enum Engine {
    INNODB("ENGINE=InnoDB"),
    MYISAM("ENGINE=MyISAM"),
    ARIA("ENGINE=Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE"),
    ROCKSDB("ENGINE=ROCKSDB"),
    ARCHIVE("ENGINE=ARCHIVE"),
    BLACKHOLE("ENGINE=BLACKHOLE");

    /** The part of CREATE TABLE that asks for it. */
    final String clause;

    Engine(String clause) {
        this.clause = clause;
    }

    /** The variant's name; SQL takes it in any case of letters. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean hasTransactions() {
        return this == INNODB || this == ROCKSDB;
    }

    /** Whether a row can be changed once it is written, and a second one of the same key is refused. */
    boolean isFull() {
        return this != ARCHIVE && this != BLACKHOLE;
    }
}

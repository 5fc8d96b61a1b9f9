package kurabe.client;

import java.util.Map;
import java.util.TreeMap;
import kurabe.client.encoding.Encoded;
import kurabe.client.stores.Cassandra;
import kurabe.client.stores.Derby;
import kurabe.client.stores.Ehcache;
import kurabe.client.stores.H2;
import kurabe.client.stores.Hsqldb;
import kurabe.client.stores.JdbcStore;
import kurabe.client.stores.Mariadb;
import kurabe.client.stores.Mongodb;
import kurabe.client.stores.Mysql;
import kurabe.client.stores.Postgres;
import kurabe.client.stores.Redis;
import kurabe.client.stores.Sqlite;

/** The stores that this client can drive; the only place that knows them all. */
final class Stores {
    /** Opens the store of a job. */
    interface Factory {
        /** Opens it, with its settings. */
        Store open(Job job, Layout layout) throws StoreException, Refused;
    }

    private static final Map<String, Factory> ALL = new TreeMap<>();

    static {
        ALL.put("cassandra", Cassandra::new);
        ALL.put("derby", (job, layout) -> new JdbcStore(job, layout, new Derby(job)));
        ALL.put("ehcache", Ehcache::new);
        ALL.put("h2", (job, layout) -> new JdbcStore(job, layout, new H2(job)));
        ALL.put("hsqldb", (job, layout) -> new JdbcStore(job, layout, new Hsqldb(job)));
        ALL.put("mariadb", (job, layout) -> new JdbcStore(job, layout, new Mariadb(job)));
        ALL.put("mongodb", Mongodb::new);
        ALL.put("mysql", (job, layout) -> new JdbcStore(job, layout, new Mysql(job)));
        ALL.put("postgres", (job, layout) -> new JdbcStore(job, layout, new Postgres(job)));
        ALL.put("redis", Redis::new);
        ALL.put("sqlite", (job, layout) -> new JdbcStore(job, layout, new Sqlite(job)));
    }

    private Stores() {}

    /** The factory of a job's store; one that keeps columns, or an encoding that is none, is refused with the phase. */
    static Factory of(Job job) throws Refused {
        Factory raw = of(job.store());
        if (!Encoded.known().contains(job.encoding()) || job.encoding().equals(Job.RAW)) {
            return raw;
        }
        return (whole, layout) -> {
            Store store = raw.open(whole, layout);
            return store.keepsColumns() ? store : new Encoded(store, whole.encoding(), layout);
        };
    }

    /** The factory of a store by its name. */
    static Factory of(String name) throws Refused {
        Factory factory = ALL.get(name);
        if (factory == null) {
            throw new Refused("store '" + name + "' is not in the JVM client; it has " + String.join(", ", ALL.keySet()));
        }
        return factory;
    }
}

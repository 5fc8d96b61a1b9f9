package kurabe.client.stores;

import java.util.List;
import java.util.function.Function;
import kurabe.client.Lane;
import kurabe.client.Row;
import kurabe.client.StoreException;
import kurabe.client.Written;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/** One connection of Jedis. */
final class RedisLane implements Lane {
    private static final SetParams IF_NEW = SetParams.setParams().nx();
    private static final SetParams IF_THERE = SetParams.setParams().xx();

    private final Redis store;
    private final Jedis connection;
    private final Lost<JedisException> lost = new Lost<>(JedisException.class, Redis::failed);

    RedisLane(Redis store, Jedis connection) {
        this.store = store;
        this.connection = connection;
    }

    private <T> T ask(Function<Jedis, T> question) throws StoreException {
        return lost.ask(() -> question.apply(connection));
    }

    @Override
    public void load(Row row) throws StoreException {
        ask(redis -> redis.set(store.rowName(row.key()), row.raw()));
    }

    @Override
    public Written insert(Row row) throws StoreException {
        String done = ask(redis -> redis.set(store.rowName(row.key()), row.raw(), IF_NEW));
        return done == null ? Written.EXISTS : Written.DONE;
    }

    @Override
    public Object[] read(Object key) throws StoreException {
        byte[] value = ask(redis -> redis.get(store.rowName(key)));
        return value == null ? null : new Object[] {value};
    }

    @Override
    public Written update(Row row) throws StoreException {
        String done = ask(redis -> redis.set(store.rowName(row.key()), row.raw(), IF_THERE));
        return done == null ? Written.MISSING : Written.DONE;
    }

    @Override
    public Written delete(Object key) throws StoreException {
        return ask(redis -> redis.del(store.rowName(key))) == 0 ? Written.MISSING : Written.DONE;
    }

    /** Every write is answered as the server's settings say: there is nothing left to do. */
    @Override
    public void commit() {}

    @Override
    public Object[][] multiRead(List<Object> keys) throws StoreException {
        List<byte[]> values = ask(redis -> redis.mget(keys.stream().map(store::rowName).toArray(byte[][]::new)));
        if (values.size() != keys.size()) {
            throw StoreException.failed("MGET of " + keys.size() + " keys gave " + values.size() + " values");
        }
        return values.stream().map(value -> value == null ? null : new Object[] {value}).toArray(Object[][]::new);
    }

    @Override
    public void increment(long counter) throws StoreException {
        ask(redis -> redis.incr(store.counterName(counter)));
    }

    @Override
    public void close() throws StoreException {
        try {
            connection.close();
        } catch (JedisException error) {
            // It was gone before: that has been told.
            if (!lost.isGone()) {
                throw Redis.failed(error);
            }
        }
    }
}

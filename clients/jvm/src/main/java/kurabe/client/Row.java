package kurabe.client;

/**
 * A row to write, prepared before the clock is read.
 *
 * @param key a {@code Long} or a {@code String}
 * @param number number of the row, which is also that of its counter
 * @param fields the fields after the key; null for a delete and an increment
 * @param raw the same in raw encoding where the store holds that, else null
 */
public record Row(Object key, long number, Object[] fields, byte[] raw) {}

package kurabe.client;

/**
 * What a server does where its memory ends.
 *
 * @param policy how it throws rows away, in its own words; null where it does not
 */
public record Eviction(String policy) {}

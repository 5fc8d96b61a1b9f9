# Redis, and what speaks as it does, through redis-rb: a string a row, `namespace:key`.

require 'redis'

module Kurabe
  class RedisStore < Store
    SETTINGS = %w[appendonly appendfsync io-threads no-appendfsync-on-rewrite save maxmemory maxmemory-policy].freeze
    AT_ONCE = 1000

    def initialize(job, values)
      super
      @address = Address.new(job)
      unless %w[redis unix].include?(@address.scheme)
        raise 'expected redis://[user:password@]host:port[/database] or unix:///path as the address of the server'
      end

      refuse_unknown([], 'give the server arguments')
      @rows = "#{job[:namespace]}:"
      @counters = "#{job[:namespace]}+"
    end

    def libraries = { redis: Redis::VERSION }

    def capabilities
      {
        operations: %w[load insert read update delete multi-read increment open],
        empty_values: true, max_value_bytes: 512 << 20,
      }
    end

    # The library would connect again with the next command.
    def lost?(error) = super || error.is_a?(Redis::BaseConnectionError)

    # Some users may not ask, and hosted servers do not know the command.
    def refuses?(error) = error.message.match?(/NOPERM|unknown command/i)

    # A new connection.
    def link
      unix = @address.scheme == 'unix'
      where = unix ? { path: @address.path } : { host: @address.host, port: @address.port || 6379 }
      user, password = [@address.user, @address.password].map { |part| part.empty? ? nil : part }
      database = unix ? @address.query['db'].to_s : @address.database
      redis = Redis.new(**where, username: password && user, password:, db: database.to_i, timeout: patience, reconnect_attempts: 0)
      # It connects with its first command.
      redis.ping
      redis
    rescue StandardError
      redis&.close
      raise
    end

    def load(key, raw)
      @link.set(name(key), raw)
      DONE
    end

    def insert(key, raw) = @link.set(name(key), raw, nx: true) ? DONE : EXISTS

    def update(key, raw) = @link.set(name(key), raw, xx: true) ? DONE : MISSING

    def delete(key) = @link.del(name(key)).positive? ? DONE : MISSING

    def increment(row)
      @link.incr("#{@counters}#{row}")
      DONE
    end

    def read(key) = @link.get(name(key))

    def multi_read(keys) = @link.mget(*keys.map { |key| name(key) })

    def open(keys) = with { |redis| keys.map { |key| redis.get(name(key)) } }

    def call_ping
      with(&:ping)
      true
    end

    # What the server tells to be: whether that is what was asked for, Kurabe decides.
    def call_info
      with do |redis|
        server = redis.info('server')
        told = server.select { |name, _value| name.match?(/_version\z|\A(?:server_name|redis_mode|server_mode)\z/) }
        # Its own version stands under its name, or beside that of the Redis that it is like.
        others = told.keys.select { |name| name.end_with?('_version') } - %w[redis_version gcc_version]
        own = told["#{told['server_name']}_version"] || told[others.one? ? others[0] : 'redis_version']
        { 'version' => own || 'unknown', **told, **redis.info('replication').slice('role') }
      end
    end

    # One name a command: servers before version 7 take no more.
    def call_settings = with { |redis| SETTINGS.map { |name| redis.config(:get, name) }.reduce({}, :merge) }

    def call_evicts
      with do |redis|
        told = redis.info('memory')
        limit, policy = told['maxmemory'].to_i, told['maxmemory_policy']
        limit.positive? && policy != 'noeviction' ? { policy: "maxmemory #{limit}, maxmemory-policy #{policy}" } : {}
      end
    end

    def call_reset
      with { |redis| [@rows, @counters].each { |prefix| names(redis, prefix).each_slice(AT_ONCE) { |some| redis.del(*some) } } }
      true
    end

    def call_count = { rows: with { |redis| names(redis, @rows).size } }

    def call_sum
      { sum: with { |redis| names(redis, @counters).each_slice(AT_ONCE).sum { |some| redis.mget(*some).sum(&:to_i) } } }
    end

    # Memory of the whole server: it knows no size of a part of its keys.
    def call_size = { bytes: with { |redis| redis.info('memory')['used_memory'].to_i } }

    private

    def name(key) = "#{@rows}#{key}"

    # All names that begin so, by SCAN, which may give one twice.
    def names(redis, prefix) = redis.scan_each(match: "#{prefix}*", count: AT_ONCE).to_a.uniq
  end
end

# memcached through Dalli: an item a row, `namespace:key`, as it is: no marshalling, no compression.

require 'dalli'
require 'logger'

module Kurabe
  class MemcachedStore < Store
    SETTINGS = %w[evictions item_size_max maxbytes maxconns num_threads].freeze
    # Longest item where the server does not tell, and what of it is not the value: name and head.
    ITEM_BYTES = 1 << 20
    ITEM_HEAD_BYTES = 63
    NAME_BYTES = 250
    AT_ONCE = 100
    # So many rows that are not there, one after the other, are the end of those that were inserted.
    LONGEST_GAP = 20_000
    RAW = { raw: true }.freeze
    # Counters begin with 1, and stay for ever.
    NO_END = 0
    # An attempt alone, on a server that is not asked again once it failed.
    ONCE = {
      socket_max_failures: 0, socket_failure_delay: nil, down_retry_delay: 1_000_000_000, failover: false, compress: false,
      value_max_bytes: 1 << 30,
    }.freeze

    def initialize(job, values)
      super
      @address = Address.new(job)
      unless @address.scheme == 'memcache'
        raise 'expected memcache://host:port or memcache:///path as the address of the server'
      end

      refuse_unknown([], 'give the server arguments')
      @rows = "#{job[:namespace]}:"
      @counters = "#{job[:namespace]}+"
      @evicted = 0
      # First rows of inserts: nothing else tells which rows there can be.
      @first_inserted = [job[:rows]]
      @longest_name = @rows.bytesize + [10, values.key(0).to_s.bytesize].max
      # Its own words of a failure come to the log alone.
      Dalli.logger = Logger.new($stderr, level: Logger::WARN)
    end

    def libraries = { dalli: Dalli::VERSION }

    def capabilities
      longest =
        begin
          with { |client| stats(client, :settings)['item_size_max'].to_i }
        rescue StandardError
          # It is not up yet.
          ITEM_BYTES
        end
      {
        operations: %w[load insert read update delete multi-read increment open],
        max_value_bytes: longest - ITEM_HEAD_BYTES - @longest_name, max_key_bytes: NAME_BYTES - @rows.bytesize,
      }
    end

    def lost?(error) = super || error.is_a?(Dalli::NetworkError) || error.is_a?(Dalli::RingError)

    # A new connection.
    def link
      host = @address.host.include?(':') ? "[#{@address.host}]" : @address.host
      where = host.empty? ? @address.path : "#{host}:#{@address.port || 11_211}"
      client = Dalli::Client.new(where, ONCE.merge(socket_timeout: patience))
      # It connects with its first request.
      client.alive!
      client
    end

    def connect(phase, told)
      @inserted = false
      super
    end

    def load(key, raw)
      @link.set(name(key), raw, NO_END, RAW) or raise 'the server did not store the item'
      DONE
    end

    def insert(key, raw)
      note_first(key) unless @inserted
      @inserted = true
      @link.add(name(key), raw, NO_END, RAW) ? DONE : EXISTS
    end

    # The library gives the item's new CAS number, which is 0 where there is no item.
    def update(key, raw) = @link.replace(name(key), raw, NO_END, RAW).to_i.positive? ? DONE : MISSING

    def delete(key) = @link.delete(name(key)) ? DONE : MISSING

    def increment(row)
      @link.incr("#{@counters}#{row}", 1, NO_END, 1) or raise 'the server did not count'
      DONE
    end

    def read(key) = @link.get(name(key))

    def multi_read(keys)
      names = keys.map { |key| plain(name(key)) }
      @link.get_multi(names).values_at(*names)
    end

    def open(keys) = with { |client| keys.map { |key| client.get(name(key)) } }

    def call_ping
      with { true }
    end

    def call_info = { version: with { |client| stats(client)['version'] } }

    def call_settings = with { |client| stats(client, :settings).slice(*SETTINGS) }

    # It throws items away where its memory (`-m`) is full, unless it was told to refuse new ones instead (`-M`).
    def call_evicts
      return {} if call_settings['evictions'] == 'off'

      limit, used = stat('limit_maxbytes'), stat('bytes')
      { policy: "evictions on, limit_maxbytes #{limit}", room_bytes: [0, limit - used].max }
    end

    def call_create
      call_reset
      @evicted = stat('evictions')
      true
    end

    def call_reset
      with { |client| each_item(client) { |names| names.each_key { |name| client.delete(name) } } }
      with { |client| each_counter(client) { |found| found.each_key { |name| client.delete(name) } } }
      true
    end

    # Rows by asking for each. A server that threw items away for want of room has lost rows, whichever they were.
    def call_count
      evicted = stat('evictions') - @evicted
      if evicted.positive?
        raise "the server threw #{evicted} items away for want of memory; start it with more (-m), or with -M"
      end

      rows = 0
      with { |client| each_item(client) { |found| rows += found.size } }
      { rows: }
    end

    def call_sum
      sum = 0
      with { |client| each_counter(client) { |found| sum += found.values.sum(&:to_i) } }
      { sum: }
    end

    # Bytes of all items of the whole server.
    def call_size = { bytes: stat('bytes') }

    private

    def name(key) = "#{@rows}#{key}"

    # A row is about to be inserted, the first of a phase.
    def note_first(key)
      digits = key.to_s
      row = (1..[10, digits.size].min).map { |len| digits[-len..].to_i }.find { |one| @values.key(one) == key }
      @first_inserted << (row || @job[:rows])
    end

    def stats(client, kind = nil)
      client.stats(kind).values.first || raise(ConnectionLost, 'the server tells no statistics')
    end

    def stat(name) = with { |client| stats(client)[name].to_i }

    # The rows that are there, some at a time.
    def each_item(client)
      ask = lambda do |first, count|
        found = client.get_multi((first...first + count).map { |row| "#{@rows}#{@values.key(row)}" })
        yield found
        found.size
      end
      (0...@job[:rows]).step(AT_ONCE) { |row| ask.call(row, [AT_ONCE, @job[:rows] - row].min) }
      following = @job[:rows]
      @first_inserted.sort.each do |start|
        following = [following, start].max
        missing = 0
        while missing < LONGEST_GAP
          missing = ask.call(following, AT_ONCE).positive? ? 0 : missing + AT_ONCE
          following += AT_ONCE
        end
      end
    end

    # The counters that are there, some at a time.
    def each_counter(client)
      (0...@job[:rows]).each_slice(AT_ONCE) { |rows| yield client.get_multi(rows.map { |row| "#{@counters}#{row}" }) }
    end
  end
end

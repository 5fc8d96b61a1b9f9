# What every store has, and the address of a server.

module Kurabe
  # The connection is gone, and nothing will come over it any more.
  class ConnectionLost < StandardError; end

  # Errors in words.
  module Words
    @secrets = []

    # From now on these stand in no line; a long password is hidden inside words too.
    def self.hide(texts)
      @secrets = (@secrets | texts.compact.reject(&:empty?)).sort_by { |text| -text.bytesize }
    end

    # An error in one line, without the secrets of the address.
    def self.of(error)
      text = error.message.dup.force_encoding(::Encoding::UTF_8).scrub('?')
      @secrets.each { |secret| text = text.gsub(/(?<!\w)#{Regexp.escape(secret)}(?!\w)/, '…') }
      text = text.gsub(/\s+/, ' ').strip
      text = error.class.name if text.empty?
      text[0, 500]
    end
  end

  # A store as one job uses it, and the connection of the worker: a process has one. Its operations are `load`,
  # `insert`, `update`, `delete`, `increment`, which answer DONE, EXISTS or MISSING; `read` (a value or nil),
  # `multi_read` and `open` (one of these a key), `scan`, `latest` and `search` (pairs of key and value). A value is
  # the fields of a row, or its raw encoding where the store keeps no columns. Calls are methods, `call_ping` and so
  # on; what there is no method for is unsupported.
  class Store
    # Class and driver by what a store speaks, which is the name of its file.
    KNOWN = {
      'redis' => [:RedisStore, 'redis'], 'mysql' => [:MysqlStore, 'mysql2'], 'postgres' => [:PostgresStore, 'pg'],
      'sqlite' => [:SqliteStore, 'sqlite3'], 'tokyocabinet' => [:TokyoStore, 'tokyocabinet'],
      'memcached' => [:MemcachedStore, 'dalli'], 'echo' => [:EchoStore, ''],
    }.freeze

    # The store of a job, through a driver.
    def self.of(job, values, driver)
      name, wire = job[:candidate].values_at(:store, :wire)
      known, its_driver = KNOWN.fetch(wire) { raise "the Ruby client has no store '#{name}'" }
      raise "the Ruby client has no driver '#{driver}' for #{name}; it has #{its_driver}" unless driver == its_driver

      require_relative wire
      Kurabe.const_get(known).new(job, values)
    end

    def initialize(job, values)
      @job = job
      @values = values
      @settings = (job[:settings] || {}).transform_keys(&:to_s)
    end

    # Whether rows are fields, and not raw values.
    def keeps_columns? = false

    # Whether a connection is given fields.
    def takes_fields? = keeps_columns?

    # Whether an error means that the connection is gone.
    def lost?(error) = error.is_a?(ConnectionLost)

    # Whether an error means that the server tells nothing to this user.
    def refuses?(_error) = false

    # The connection of the worker for a phase.
    def connect(_phase, _told) = @link = link

    def disconnect = close_link(@link)

    # Commits what was written since the last commit, where there is such a thing.
    def commit; end

    # The job ends.
    def close; end

    def call_ping = true

    def call_create = call_reset

    # Does something over a connection of its own, which `link` makes.
    def with
      link = self.link
      yield link
    ensure
      close_link(link) if link
    end

    def close_link(link) = link.close

    private

    def variant = @job[:candidate][:variant]

    def refuse_unknown(known, hint)
      unknown = (@settings.keys - known).first or return
      raise "#{@job[:candidate][:store]} has no setting '#{unknown}' in the Ruby client; #{hint}"
    end

    # The folder of an embedded store.
    def folder = @job[:dir] || raise("#{@job[:candidate][:store]} needs a folder: the job has no 'dir'")

    def patience = @job[:limits][:operation_ns] / 1e9

    # A key as its bytes: some drivers give keys in no encoding, and beyond ASCII that is another text.
    def plain(key) = key.is_a?(String) ? key.b : key
  end

  # The address of a server, taken apart: user, password and path without percent signs.
  class Address
    FORM = %r{\A([a-z+]+)://(?:([^/?@]*)@)?(\[[^\]]*\]|[^/?:]*)(?::(\d+))?(/[^?]*)?(?:\?(.*))?\z}i.freeze

    attr_reader :scheme, :host, :port, :user, :password, :path, :query

    def initialize(job)
      url = job[:url] or raise "store '#{job[:candidate][:store]}' needs a running server: the job has no 'url'"
      # The text itself could hold a password.
      found = FORM.match(url) or
        raise 'the address of the server cannot be read; write it as scheme://user:password@host:port/path'
      scheme, login, host, port, path, query = found.captures
      user, password = (login || '').split(':', 2)
      @scheme = scheme.downcase
      @host = host.delete('[]')
      @port = port&.to_i
      @user, @password, @path = [user, password, path].map { |part| decoded(part) }
      @query = (query || '').split('&').to_h { |pair| pair.split('=', 2).values_at(0, 1).map { |part| decoded(part) } }
      Words.hide([login, user, password, query, @user, @password, *@query.values])
    end

    # The path without its first slash.
    def database = @path.delete_prefix('/')

    private

    def decoded(part) = part.to_s.gsub(/%(\h\h)/) { $1.hex.chr }.force_encoding(::Encoding::UTF_8)
  end
end

# PostgreSQL through ruby-pg: prepared statements, a connection a worker.

require 'pg'
require_relative 'sql'

module Kurabe
  class PostgresLink
    INT = PG::TextDecoder::Integer.new
    BYTES = PG::TextDecoder::Bytea.new

    def initialize(where)
      @connection = PG.connect(**where)
      @count = 0
    end

    def exec(sql)
      @connection.exec(sql).clear
    end

    def query(sql) = @connection.exec(sql).values

    def prepare(sql, types)
      name = "s#{@count += 1}"
      number = 0
      @connection.prepare(name, sql.gsub('?') { "$#{number += 1}" }).clear
      PostgresPrepared.new(@connection, name, types)
    end

    def code(error) = error.is_a?(PG::Error) && error.result ? error.result.error_field(PG::Result::PG_DIAG_SQLSTATE) : nil

    def close = @connection.close
  end

  class PostgresPrepared
    # As pg_type numbers them.
    INT8_OID, BYTEA_OID = 20, 17

    def initialize(connection, name, types)
      @connection, @name = connection, name
      @binary = types.each_index.select { |at| types[at] == 'bytes' }
      columns = connection.describe_prepared(name)
      decoders = (0...columns.nfields).map do |at|
        { INT8_OID => PostgresLink::INT, BYTEA_OID => PostgresLink::BYTES }[columns.ftype(at)]
      end
      @decoded = PG::TypeMapByColumn.new(decoders) if decoders.any?
    end

    def rows(values)
      result = run(values)
      result.type_map = @decoded if @decoded
      rows = result.values
      result.clear
      rows
    end

    def matched(values)
      result = run(values)
      matched = result.cmd_tuples
      result.clear
      matched
    end

    private

    def run(values)
      @binary.each { |at| values[at] = { value: values[at], format: 1 } }
      @connection.exec_prepared(@name, values)
    end
  end

  class PostgresStore < SqlStore
    TYPES = { 'int64' => 'BIGINT', 'text' => 'TEXT', 'bytes' => 'BYTEA' }.freeze
    DUPLICATE = '23505'
    # Settings that decide what is kept and what it costs.
    SETTINGS = %w[
      autovacuum checkpoint_timeout commit_delay data_checksums effective_cache_size fsync full_page_writes huge_pages
      io_method jit max_connections max_wal_size random_page_cost shared_buffers synchronous_commit
      transaction_read_only wal_compression wal_level wal_sync_method wal_writer_delay
    ].freeze

    def initialize(job, values)
      super
      unless [nil, 'logged', 'unlogged'].include?(variant)
        raise "the Ruby client has no variant '#{variant}' of postgres; it has logged, unlogged"
      end

      refuse_unknown(['synchronous_commit'], 'give the server arguments')
      commit = @settings['synchronous_commit']
      raise "setting synchronous_commit cannot be '#{commit}': one word is expected" unless commit.nil? || commit.match?(/\A\w+\z/)

      at = Address.new(job)
      host = [at.host, at.query['host'], '127.0.0.1'].find { |one| one && !one.empty? }
      @where = {
        host:, port: at.port || at.query['port'] || 5432, user: at.user, password: at.password, dbname: at.database,
        connect_timeout: 30, options: "-c client_min_messages=warning#{" -c synchronous_commit=#{commit}" if commit}",
      }.reject { |_name, value| value == '' }
    end

    def libraries = { pg: PG::VERSION, libpq: PG.library_version.to_s }

    def capabilities
      # A load inserts: it is refused where the row is there.
      super.merge(passes: false, max_value_bytes: (1 << 30) - 1024)
    end

    def link = PostgresLink.new(@where)

    def lost?(error) = super || error.is_a?(PG::ConnectionBad) || error.is_a?(PG::UnableToSend)

    def snapshot(link) = link.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')

    # A duplicate key would end a transaction, so it is asked for without an error where there is one.
    def insert_text(together) = together ? "#{@insert} ON CONFLICT DO NOTHING" : super

    def ends_transaction?(_code) = true

    def call_info
      version, build = one("SELECT current_setting('server_version'), version()")
      { version:, build: }
    end

    def call_settings
      with do |link|
        names = listed(SETTINGS)
        told = link.query("SELECT name, current_setting(name) FROM pg_settings WHERE name IN (#{names})").to_h
        kind = link.query("SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass(#{text(@table)})").first
        kind ? told.merge('relpersistence' => kind[0]) : told
      end
    end

    def call_create
      kind = variant == 'unlogged' ? 'UNLOGGED TABLE' : 'TABLE'
      columns = @columns.zip(@types).each_with_index.map do |(column, type), at|
        # Text is compared by bytes, as in the other stores.
        "#{column} #{TYPES[type]}#{' COLLATE "C"' if type == 'text'} #{at.zero? ? 'PRIMARY KEY' : 'NOT NULL'}"
      end
      with do |link|
        drop(link)
        link.exec("CREATE #{kind} #{@table} (#{columns.join(', ')})")
        indexed.each { |column, _field| link.exec("CREATE INDEX ON #{@table} (#{column})") }
        link.exec("CREATE #{kind} #{@counters} (id BIGINT PRIMARY KEY, count BIGINT NOT NULL)")
      end
      true
    end

    def call_size = { bytes: one("SELECT pg_total_relation_size(#{text(@table)})")[0].to_i }

    private

    def text(words) = "'#{words.gsub("'", "''")}'"
  end
end

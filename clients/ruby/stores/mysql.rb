# MySQL, and what speaks as it does, through mysql2: prepared statements on a connection a worker.

require 'mysql2'
require_relative 'sql'

module Kurabe
  class MysqlLink
    ARRAYS = { as: :array, cache_rows: false }.freeze

    def initialize(where)
      @client = Mysql2::Client.new(where)
    end

    def exec(sql)
      @client.query(sql)
      nil
    end

    def query(sql) = @client.query(sql, as: :array, cast: false).to_a

    def prepare(sql, _types) = MysqlPrepared.new(@client.prepare(sql))

    def code(error) = error.is_a?(Mysql2::Error) ? error.error_number : nil

    def close = @client.close
  end

  MysqlPrepared = Struct.new(:statement) do
    # Freed at once: a result that the garbage collector frees later frees that of the statement's next execution with
    # it.
    def rows(values)
      result = statement.execute(*values, **MysqlLink::ARRAYS)
      rows = result.to_a
      result.free
      rows
    end

    def matched(values)
      statement.execute(*values)
      statement.affected_rows
    end
  end

  class MysqlStore < SqlStore
    # Which of them a server has it tells itself.
    ENGINES = {
      'innodb' => 'InnoDB', 'myisam' => 'MyISAM', 'aria' => 'Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE',
      'rocksdb' => 'ROCKSDB', 'archive' => 'ARCHIVE', 'blackhole' => 'BLACKHOLE',
    }.freeze
    # What engines can do that cannot do everything.
    PARTS = {
      'archive' => %w[load insert read scan latest multi-read open],
      # An increment is the UPDATE, which meets no row.
      'blackhole' => %w[load insert increment],
    }.freeze
    QUOTE = '`'
    DUPLICATE = 1062
    DEADLOCK = 1213
    LOST = [2006, 2013].freeze
    # Longest field that is made VARCHAR or VARBINARY, and what all of these may hold; a character of text counts four.
    SHORT_BYTES = 255
    SHORT_FIELDS_BYTES = 60_000
    # Settings that decide what is kept and what it costs.
    SETTINGS = %w[
      aria_group_commit aria_pagecache_buffer_size aria_sync_log_dir binlog_format binlog_row_image delay_key_write
      innodb_adaptive_hash_index innodb_buffer_pool_size innodb_change_buffering innodb_doublewrite
      innodb_flush_log_at_timeout innodb_flush_log_at_trx_commit innodb_flush_method innodb_io_capacity
      innodb_log_buffer_size innodb_log_file_size innodb_redo_log_capacity innodb_use_fdatasync key_buffer_size
      log_bin max_allowed_packet max_connections myisam_recover_options performance_schema read_only
      rocksdb_block_cache_size rocksdb_flush_log_at_trx_commit rocksdb_manual_wal_flush rocksdb_write_disable_wal
      sync_binlog transaction_isolation tx_isolation
    ].freeze
    # Begins every session, whatever the mode of the server is; row 0 of an archive keeps its number.
    SESSION = "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO," \
              "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'"

    def initialize(job, values)
      super
      @engine = variant || 'innodb'
      unless ENGINES.key?(@engine)
        raise "the Ruby client has no variant '#{@engine}' of #{job[:candidate][:store]}; " \
              "it has #{ENGINES.keys.join(', ')}"
      end

      refuse_unknown([], 'give the server arguments')
      at = Address.new(job)
      # The library takes the name localhost for a socket.
      host = at.host == 'localhost' ? '127.0.0.1' : at.host
      @where = {
        username: at.user, password: at.password, database: at.database, encoding: 'utf8mb4', reconnect: false,
        # An update that leaves a row as it was met it too.
        flags: ['FOUND_ROWS'], init_command: SESSION,
        # A server that does not answer at all is not waited for for ever.
        connect_timeout: 30, read_timeout: patience.ceil + 2, write_timeout: patience.ceil + 2,
        **(at.query['socket'] ? { socket: at.query['socket'] } : { host:, port: at.port || 3306 }),
      }
    end

    def libraries = { mysql2: Mysql2::VERSION, mysqlclient: Mysql2::Client.info[:version] }

    def capabilities
      operations = PARTS[@engine] || super[:operations]
      operations += ['search'] if @engine == 'archive' && ints? && indexed.empty?
      # The one index that an archive can have is on a number that counts up. A load inserts: it is refused where the
      # row is there.
      able = { operations:, passes: false, max_value_bytes: 60 << 20 }
      able[:insert] = PARTS.key?(@engine) ? 'upsert' : 'exists'
      able[:key_types] = %w[int64] if @engine == 'archive'
      able.merge!(transactions: false, read_scopes: %w[each]) unless %w[innodb rocksdb].include?(@engine)
      super.merge(able)
    end

    def link = MysqlLink.new(@where)

    def lost?(error) = super || (error.is_a?(Mysql2::Error) && LOST.include?(error.error_number))

    def snapshot(link) = link.exec('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')

    # In a longer transaction an UPDATE that meets no row locks the gap, and others that make counters there wait for it.
    def increment_text = @together ? make_text : "UPDATE #{@counters} SET count = count + 1 WHERE id = ?"

    def keeps_counters? = @engine != 'blackhole'

    def make_text = "INSERT INTO #{@counters} VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1"

    def deadlock?(code) = code == DEADLOCK

    def call_info
      version, build = one('SELECT VERSION(), @@version_comment')
      { version:, build: }
    end

    def call_settings
      with do |link|
        told = link.query("SHOW GLOBAL VARIABLES WHERE variable_name IN (#{listed(SETTINGS)})")
        told += link.query("SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'")
        told.to_h.transform_keys(&:downcase).merge({ 'engine' => engine(link) }.compact)
      end
    end

    # A server that lacks an engine may take another in its place, so the table is looked at again.
    def call_create
      with do |link|
        drop(link)
        definitions.each { |sql| link.exec(sql) }
        made = engine(link) || 'none'
        next if made == @engine

        drop(link)
        raise "the server made a table of engine #{made} where #{@engine} was asked for; SHOW ENGINES tells what it has"
      end
      true
    end

    def call_count = @engine == 'blackhole' ? nil : super

    def call_sum = PARTS.key?(@engine) ? nil : super

    private

    def engine(link)
      where = "table_schema = DATABASE() AND table_name = '#{@job[:namespace]}'"
      link.query("SELECT engine FROM information_schema.tables WHERE #{where}").dig(0, 0)&.downcase
    end

    # Statements that make the tables.
    def definitions
      engine = "ENGINE=#{ENGINES[@engine]}"
      columns = @columns.each_with_index.map { |column, at| "#{column} #{type(@fields[at], at)} NOT NULL" }
      keys = ["PRIMARY KEY (#{@columns[0]})", *indexed.map { |column, _field| "KEY (#{column})" }]
      if @engine == 'archive'
        columns[0] += ' AUTO_INCREMENT'
        keys = ["KEY (#{@columns[0]})"]
      end
      rows = "CREATE TABLE #{@table} (#{(columns + keys).join(', ')}) #{engine} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
      return [rows] if @engine == 'archive'

      [rows, "CREATE TABLE #{@counters} (id BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (id)) #{engine}"]
    end

    def type(field, at)
      return 'BIGINT' if field[:type] == 'int64'

      if at.zero?
        key = @values.key(0)
        return key.ascii_only? ? "VARCHAR(#{key.bytesize}) CHARACTER SET ascii COLLATE ascii_bin" : "VARBINARY(#{key.bytesize})"
      end
      text = field[:type] == 'text'
      len = field.fetch(:len_bytes, 0)
      return "#{text ? 'VARCHAR' : 'VARBINARY'}(#{[1, len].max})" if len <= SHORT_BYTES && short_fit?

      size = len <= 0xffff ? '' : (len < 1 << 24 ? 'MEDIUM' : 'LONG')
      "#{size}#{text ? 'TEXT' : 'BLOB'}"
    end

    # Whether all short fields fit into a row.
    def short_fit?
      short = @fields.drop(1).map { |field| [field.fetch(:len_bytes, 0), field[:type]] }.select { |len, _type| len <= SHORT_BYTES }
      short.sum { |len, type| type == 'text' ? 4 * len : len } <= SHORT_FIELDS_BYTES
    end
  end
end

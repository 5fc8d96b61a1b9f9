# SQLite through ruby-sqlite3: one handle a connection.

require 'sqlite3'
require_relative 'sql'

module Kurabe
  class SqliteLink
    def initialize(path, patience)
      @database = SQLite3::Database.new(path)
      # One that finds the file locked waits in the library.
      @database.busy_timeout([1, (patience * 1000).to_i].max)
      @database.extended_result_codes = true
      @prepared = []
    end

    def exec(sql)
      query(sql)
      nil
    end

    def query(sql) = @database.execute(sql)

    def prepare(sql, _types)
      @prepared << @database.prepare(sql)
      SqlitePrepared.new(@database, @prepared.last)
    end

    def code(error) = error.is_a?(SQLite3::Exception) ? error.code : nil

    # Statements must go before the handle.
    def close
      @prepared.each(&:close)
      @database.close
    end
  end

  SqlitePrepared = Struct.new(:database, :statement) do
    def rows(values)
      statement.bind_params(*values)
      rows = []
      while (row = statement.step)
        rows << row.to_a
      end
      rows
    ensure
      statement.reset!
    end

    def matched(values)
      rows(values)
      database.changes
    end
  end

  class SqliteStore < SqlStore
    # In the order in which they must be set: a page's size before the first table, WAL before what is checked against
    # it.
    PRAGMAS = %w[page_size journal_mode synchronous cache_size mmap_size wal_autocheckpoint].freeze
    SYNCHRONOUS = %w[off normal full extra].freeze
    TYPES = { 'int64' => 'INTEGER', 'text' => 'TEXT', 'bytes' => 'BLOB' }.freeze
    DUPLICATE = 1555

    def initialize(job, values)
      super
      refuse_unknown([*PRAGMAS, 'text_type'], "it has #{PRAGMAS.join(', ')}, text_type")
      @settings.each do |name, value|
        raise "setting #{name} cannot be '#{value}': a word or a number is expected" unless value.match?(/\A-?\w+\z/)
      end
      @text_type = @settings.fetch('text_type', 'text').upcase
      raise "text_type cannot be '#{@settings['text_type']}'; it is text or string" unless %w[TEXT STRING].include?(@text_type)

      @path = File.join(folder, 'data.sqlite')
    end

    def libraries = { 'ruby-sqlite3': SQLite3::VERSION, sqlite: SQLite3::SQLITE_VERSION }

    def capabilities = super.merge(max_value_bytes: 1_000_000_000)

    # A handle with the pragmas of the job.
    def link
      link = SqliteLink.new(@path, patience)
      PRAGMAS.each { |name| link.exec("PRAGMA #{name} = #{@settings[name]}") if @settings[name] }
      link
    end

    def snapshot(link)
      link.exec('BEGIN')
      # The first read takes the snapshot.
      link.query("SELECT #{@columns[0]} FROM #{@table} LIMIT 1")
    end

    def load_text = @insert.sub('INSERT', 'INSERT OR REPLACE')

    def begin_text = 'BEGIN IMMEDIATE'

    def call_info
      version, source = one('SELECT sqlite_version(), sqlite_source_id()')
      { version:, source: }
    end

    def call_settings
      with do |link|
        # The size of the memory map is not told where it is compiled out.
        told = PRAGMAS.to_h { |name| [name, link.query("PRAGMA #{name}").dig(0, 0)] }.compact
        told['synchronous'] = SYNCHRONOUS[told['synchronous']]
        told.transform_values(&:to_s)
      end
    end

    def call_create
      types = @types.each_with_index.map { |type, at| type == 'text' && at.positive? ? @text_type : TYPES[type] }
      types[0] += ' PRIMARY KEY'
      columns = @columns.zip(types).map { |pair| pair.join(' ') }
      with do |link|
        drop(link)
        link.exec("CREATE TABLE #{@table} (#{columns.join(', ')})")
        indexed.each do |column, field|
          link.exec("CREATE INDEX #{quoted("#{@job[:namespace]}_#{field[:name]}")} ON #{@table} (#{column})")
        end
        link.exec("CREATE TABLE #{@counters} (id INTEGER PRIMARY KEY, count INTEGER NOT NULL)")
      end
      true
    end

    # Pages of the database, those that are still in the write-ahead log too, times their size.
    def call_size = { bytes: one('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size')[0] }

    def call_check
      detail = one('PRAGMA integrity_check(1)')[0]
      { sound: detail == 'ok', detail: }
    end
  end
end

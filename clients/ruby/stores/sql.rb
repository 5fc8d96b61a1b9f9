# What stores that speak a kind of SQL have in common: statements, calls, and the operations of a connection. A link is a
# driver behind one interface: `exec`, `query` (rows as arrays), `prepare` (what has `rows` and `matched`), `code`, `close`.

module Kurabe
  # One column a field, the key first. All places of statements are `?`.
  class Table
    attr_reader :fields, :plain, :name, :counters, :columns, :key, :scan

    def initialize(job, quote)
      @quote = quote
      @fields = job[:schema][:fields]
      @plain = job[:namespace]
      @name = quoted(@plain)
      @counters = quoted("#{@plain}_counters")
      @columns = @fields.map { |field| quoted(field[:name]) }
      @key = @columns[0]
      @scan = "SELECT #{@columns.join(', ')} FROM #{@name}"
    end

    def quoted(name) = "#{@quote}#{name.gsub(@quote, @quote * 2)}#{@quote}"

    def types = @fields.map { |field| field[:type] }

    def insert(verb = 'INSERT') = "#{verb} INTO #{@name} (#{@columns.join(', ')}) VALUES (#{places(@columns.size)})"

    def read = "SELECT #{@columns.drop(1).join(', ')} FROM #{@name} WHERE #{@key} = ?"

    # The key is the last parameter.
    def update = "UPDATE #{@name} SET #{@columns.drop(1).map { |column| "#{column} = ?" }.join(', ')} WHERE #{@key} = ?"

    def delete = "DELETE FROM #{@name} WHERE #{@key} = ?"

    def latest = "#{@scan} ORDER BY #{@key} DESC LIMIT ?"

    def search(field) = "#{@scan} WHERE #{@columns[field]} BETWEEN ? AND ?"

    def many(keys) = "#{@scan} WHERE #{@key} IN (#{places(keys)})"

    # Columns that have an index, with their fields.
    def indexed = @columns.zip(@fields).select { |_column, field| field[:indexed] }

    def ints? = types.drop(1).include?('int64')

    private

    def places(count) = (['?'] * count).join(', ')
  end

  # A store by its table.
  class SqlStore < Store
    attr_reader :table

    def initialize(job, values, quote)
      super(job, values)
      @table = Table.new(job, quote)
    end

    def keeps_columns? = true

    # Text of the statement of a load.
    def load_text = @table.insert

    # Text of that of an insert; whether writes are committed together.
    def insert_text(_together) = @table.insert

    # Whether the code of an error ends the transaction that it happens in, and not the statement alone.
    def ends_transaction?(code) = !duplicate?(code)

    # How a transaction begins.
    def begin_text = 'BEGIN'

    def deadlock?(_code) = false

    def connect(phase, _told) = SqlLane.new(self, link, phase)

    def call_ping
      one('SELECT 1')
      true
    end

    def call_reset
      with { |link| drop(link) }
      true
    end

    def call_count = { rows: one("SELECT count(*) FROM #{@table.name}")[0].to_i }

    def call_sum = { sum: one("SELECT COALESCE(SUM(count), 0) FROM #{@table.counters}")[0].to_i }

    private

    # The operations that every one of them can have, and that which needs a column to search.
    def operations
      all = %w[load insert read update delete scan latest multi-read increment open]
      @table.ints? ? all + ['search'] : all
    end

    # The first row of an answer.
    def one(sql) = with { |link| link.query(sql).first }

    def drop(link)
      [@table.name, @table.counters].each { |name| link.exec("DROP TABLE IF EXISTS #{name}") }
    end
  end

  # A connection with the statements of a phase.
  class SqlLane < Lane
    RETRIES = 1000

    def initialize(store, link, phase)
      @store, @link, @table = store, link, store.table
      @together = phase[:commit_every] > 1
      @is_open = false
      # What rolled writes back since the last commit, which the next one tells.
      @cause = nil
      # Those of multi-reads, by their number of keys, which nothing tells before.
      @many = {}
      types = @table.types
      @statements = phase[:operations].to_h do |operation|
        sql, places =
          case operation
          when 'load' then [store.load_text, types]
          when 'insert' then [store.insert_text(@together), types]
          when 'read' then [@table.read, types.take(1)]
          when 'update' then [@table.update, types.drop(1) + types.take(1)]
          when 'delete' then [@table.delete, types.take(1)]
          when 'scan' then [@table.scan, []]
          when 'latest' then [@table.latest, ['int64']]
          when 'increment' then [store.increment_text, ['int64']]
          when 'search' then [@table.search(phase[:search_field]), %w[int64 int64]]
          end
        [operation.to_sym, sql && link.prepare(sql, places)]
      end
    end

    def load(key, fields)
      write(:load, [key, *fields])
      DONE
    end

    def insert(key, fields)
      write(:insert, [key, *fields]).positive? ? DONE : EXISTS
    rescue StandardError => error
      @store.duplicate?(@link.code(error)) ? EXISTS : raise
    end

    def update(key, fields) = write(:update, [*fields, key]).positive? ? DONE : MISSING

    def delete(key) = write(:delete, [key]).positive? ? DONE : MISSING

    # Connections that make the same counters may deadlock; where the statement is its own transaction it is tried again.
    def increment(row)
      turns = 0
      begin
        write(:increment, [row])
        DONE
      rescue StandardError => error
        raise if @together || (turns += 1) > RETRIES || !@store.deadlock?(@link.code(error))

        retry
      end
    end

    def read(key) = @statements[:read].rows([key]).first

    def scan = pairs(@statements[:scan].rows([]))

    def latest(rows) = pairs(@statements[:latest].rows([rows]))

    def search(least, greatest) = pairs(@statements[:search].rows([least, greatest]))

    def multi_read(keys)
      statement = @many[keys.size] ||= @link.prepare(@table.many(keys.size), @table.types.take(1) * keys.size)
      found = statement.rows(keys).to_h { |key, *fields| [plain(key), fields] }
      found.values_at(*keys.map { |key| plain(key) })
    end

    def open(keys)
      @store.with do |link|
        read = link.prepare(@table.read, @table.types.take(1))
        keys.map { |key| read.rows([key]).first }
      end
    end

    def commit
      cause, @cause = @cause, nil
      if @is_open
        begin
          @link.exec('COMMIT')
          @is_open = false
        rescue StandardError
          roll_back
          raise
        end
      end
      raise "writes of this transaction were rolled back after: #{cause.message}" if cause
    end

    def close = @link.close

    private

    # Does a write, in a transaction where writes are committed together; how many rows it met.
    def write(name, values)
      if @together && !@is_open
        @link.exec(@store.begin_text)
        @is_open = true
      end
      @statements[name].matched(values)
    rescue StandardError => error
      if @is_open && @store.ends_transaction?(@link.code(error))
        @cause = error
        roll_back
      end
      raise
    end

    def roll_back
      @is_open = false
      @link.exec('ROLLBACK')
    rescue StandardError
      # A connection that cannot even roll back fails in the next statement.
    end

    # Rows as pairs of key and fields.
    def pairs(rows) = rows.each { |row| row.replace([row.shift, row.dup]) }
  end
end

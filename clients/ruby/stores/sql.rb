# What stores that speak a kind of SQL have in common: statements, calls, and the operations of the connection. A link
# is a driver behind one interface: `exec`, `query` (rows as arrays), `prepare` (what has `rows` and `matched`),
# `code`, `close`.

module Kurabe
  # A store by its table: one column a field, the key first. All places of statements are `?`. A subclass has `link`,
  # `snapshot` (begins one over a link), and as constants the code of an error that means that a key is there already
  # (`DUPLICATE`) and the quotation mark of names (`QUOTE`).
  class SqlStore < Store
    RETRIES = 1000
    QUOTE = '"'

    def initialize(job, values)
      super
      @fields = job[:schema][:fields]
      @types = @fields.map { |field| field[:type] }
      @columns = @fields.map { |field| quoted(field[:name]) }
      @table, @counters = quoted(job[:namespace]), quoted("#{job[:namespace]}_counters")
      key, *rest = @columns
      @scan = "SELECT #{@columns.join(', ')} FROM #{@table}"
      @insert = "INSERT INTO #{@table} (#{@columns.join(', ')}) VALUES (#{places(@columns.size)})"
      @read = "SELECT #{rest.join(', ')} FROM #{@table} WHERE #{key} = ?"
      @update = "UPDATE #{@table} SET #{rest.map { |column| "#{column} = ?" }.join(', ')} WHERE #{key} = ?"
      @delete = "DELETE FROM #{@table} WHERE #{key} = ?"
      @latest = "#{@scan} ORDER BY #{key} DESC LIMIT ?"
    end

    def keeps_columns? = true

    def capabilities
      operations = %w[load insert read update delete scan latest multi-read increment open]
      operations << 'search' if ints?
      { operations:, transactions: true, read_scopes: %w[each snapshot], empty_values: true }
    end

    # Text of the statement of a load.
    def load_text = @insert

    # Text of that of an insert; whether writes are committed together.
    def insert_text(_together) = @insert

    # Text of that which adds 1 to a counter; that which makes the counter may be another one.
    def increment_text = make_text

    # Whether a counter is there once it was made.
    def keeps_counters? = true

    # Text of that which makes a counter, or adds 1 to one that is there.
    def make_text
      "INSERT INTO #{@counters} AS c VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET count = c.count + 1"
    end

    # Whether the code of an error ends the transaction that it happens in, and not the statement alone.
    def ends_transaction?(code) = code != self.class::DUPLICATE

    # How a transaction begins.
    def begin_text = 'BEGIN'

    def deadlock?(_code) = false

    def connect(phase, told)
      super
      @together = phase[:commit_every] > 1
      @is_open = false
      # What rolled writes back since the last commit, which the next one tells.
      @cause = nil
      # Those of multi-reads, by their number of keys, which nothing tells before.
      @many = {}
      snapshot(@link) if phase[:read_scope] == 'snapshot'
      @statements = phase[:operations].to_h { |operation| [operation.to_sym, prepared(operation, phase)] }
    end

    def load(key, fields)
      write(:load, [key, *fields])
      DONE
    end

    def insert(key, fields)
      write(:insert, [key, *fields]).positive? ? DONE : EXISTS
    rescue StandardError => error
      @link.code(error) == self.class::DUPLICATE ? EXISTS : raise
    end

    def update(key, fields) = write(:update, [*fields, key]).positive? ? DONE : MISSING

    def delete(key) = write(:delete, [key]).positive? ? DONE : MISSING

    # Connections that make the same counters may deadlock; where the statement is its own transaction it is tried
    # again.
    def increment(row)
      turns = 0
      begin
        if write(:increment, [row]).zero? && keeps_counters?
          # Another connection may make it first: the statement adds to it then.
          @statements[:make] ||= @link.prepare(make_text, %w[int64])
          write(:make, [row])
        end
        DONE
      rescue StandardError => error
        raise if @together || (turns += 1) > RETRIES || !deadlock?(@link.code(error))

        retry
      end
    end

    def read(key) = @statements[:read].rows([key]).first

    def scan = pairs(@statements[:scan].rows([]))

    def latest(rows) = pairs(@statements[:latest].rows([rows]))

    def search(least, greatest) = pairs(@statements[:search].rows([least, greatest]))

    def multi_read(keys)
      count = keys.size
      @many[count] ||= @link.prepare("#{@scan} WHERE #{@columns[0]} IN (#{places(count)})", @types.take(1) * count)
      found = @many[count].rows(keys).to_h { |key, *fields| [plain(key), fields] }
      found.values_at(*keys.map { |key| plain(key) })
    end

    def open(keys)
      with do |link|
        read = link.prepare(@read, @types.take(1))
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

    def call_ping
      one('SELECT 1')
      true
    end

    def call_reset
      with { |link| drop(link) }
      true
    end

    def call_count = { rows: one("SELECT count(*) FROM #{@table}")[0].to_i }

    def call_sum = { sum: one("SELECT COALESCE(SUM(count), 0) FROM #{@counters}")[0].to_i }

    private

    def quoted(name) = "#{self.class::QUOTE}#{name.gsub(self.class::QUOTE, self.class::QUOTE * 2)}#{self.class::QUOTE}"

    def places(count) = (['?'] * count).join(', ')

    # Columns that have an index, with their fields.
    def indexed = @columns.zip(@fields).select { |_column, field| field[:indexed] }

    def ints? = @types.drop(1).include?('int64')

    # The statement of an operation, where it has one that is known before.
    def prepared(operation, phase)
      key, *rest = @types
      sql, types =
        case operation
        when 'load' then [load_text, @types]
        when 'insert' then [insert_text(@together), @types]
        when 'read' then [@read, [key]]
        when 'update' then [@update, [*rest, key]]
        when 'delete' then [@delete, [key]]
        when 'scan' then [@scan, []]
        when 'latest' then [@latest, ['int64']]
        when 'increment' then [increment_text, ['int64']]
        when 'search' then ["#{@scan} WHERE #{@columns[phase[:search_field]]} BETWEEN ? AND ?", %w[int64 int64]]
        end
      sql && @link.prepare(sql, types)
    end

    # Does a write, in a transaction where writes are committed together; how many rows it met.
    def write(name, values)
      if @together && !@is_open
        @link.exec(begin_text)
        @is_open = true
      end
      @statements[name].matched(values)
    rescue StandardError => error
      if @is_open && ends_transaction?(@link.code(error))
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

    # The first row of an answer.
    def one(sql) = with { |link| link.query(sql).first }

    # Names of settings, as a list of SQL.
    def listed(names) = names.map { |name| "'#{name}'" }.join(', ')

    def drop(link)
      [@table, @counters].each { |name| link.exec("DROP TABLE IF EXISTS #{name}") }
    end
  end
end

# Tokyo Cabinet in this process, through ruby-tokyocabinet. A file is open once, as long as no phase measures the
# opening. Counters are in a second database of the same kind.

require 'tokyocabinet'

module Kurabe
  class TokyoStore < Store
    MODES = %w[put putasync sync tran tran-sync].freeze
    SETTINGS = %w[mode large bnum xmsiz limsiz].freeze
    ENDINGS = { 'hash' => 'tch', 'btree' => 'tcb', 'fixed' => 'tcf', 'table' => 'tct' }.freeze
    # Address space of a fixed-length database where the job says nothing: more than any job writes.
    LIMIT_BYTES = 1 << 40
    COUNTER_BYTES = 4
    KEEP, NO_RECORD = TokyoCabinet::HDB::EKEEP, TokyoCabinet::HDB::ENOREC

    def initialize(job, values)
      super
      @kind = variant || 'hash'
      raise "tokyocabinet has no variant '#{@kind}'; it has #{ENDINGS.keys.join(', ')}" unless ENDINGS.key?(@kind)
      if fixed? && values.text_key?
        raise 'keys of variant fixed are numbers; take a schema with an int64 key'
      end

      refuse_unknown(SETTINGS, "it has #{SETTINGS.join(', ')}")
      @mode = @settings.fetch('mode', 'put')
      raise "tokyocabinet has no mode '#{@mode}'; it has #{MODES.join(', ')}" unless MODES.include?(@mode)
      raise "mode 'putasync' is for the variant hash alone" if @mode == 'putasync' && @kind != 'hash'

      @large = { 'no' => false, 'yes' => true }.fetch(@settings.fetch('large', 'no')) do |word|
        raise "large '#{word}' is neither yes nor no"
      end
      @buckets, @map_bytes, @limit_bytes = %w[bnum xmsiz limsiz].map { |name| number(name) }
      @path = File.join(folder, job[:namespace])
      @open, @dirty = {}, []
      @put = @mode == 'putasync' ? :putasync : :put
      @names = values.fields.map { |field| field[:name] }
    end

    def fixed? = @kind == 'fixed'

    def table? = @kind == 'table'

    alias keeps_columns? table?

    def transactions? = @mode.start_with?('tran')

    def libraries
      gem = Gem::Specification.find_all_by_name('tokyocabinet').first
      { 'ruby-tokyocabinet': gem&.version&.to_s, tokyocabinet: TokyoCabinet::VERSION }.compact
    end

    def capabilities
      operations = %w[load insert read update delete scan multi-read increment open]
      operations << 'latest' if fixed? || @kind == 'btree'
      operations << 'search' if table? && @values.fields.any? { |field| field[:type] == 'int64' }
      {
        operations:, transactions: transactions?, empty_values: true, key_types: fixed? ? %w[int64] : %w[int64 text],
        # A file is for one process as long as it is open to write.
        processes: false,
        # Sizes are ints; a row of a table has names beside its values.
        max_value_bytes: 1 << 30,
      }
    end

    def connect(phase, _told)
      # Each operation opens the file, which a process can have open once only.
      phase[:operations].include?('open') ? close : rows
      counters if phase[:operations].include?('increment')
      @searched = @names[phase[:search_field] - 1] if phase[:search_field]
    end

    # The handles stay open for the phases that follow.
    def disconnect = finish(:tranabort)

    def load(key, value)
      write(stored(key), value)
      DONE
    end

    def insert(key, value)
      rows = begun(:rows)
      unless?(rows, rows.putkeep(stored(key), columns(value)), KEEP) ? DONE : EXISTS
    end

    # No kind has a write that demands an existing row: a lookup comes first.
    def update(key, value)
      rows = begun(:rows)
      bytes = stored(key)
      return MISSING unless unless?(rows, rows.vsiz(bytes) >= 0, NO_RECORD)

      write(bytes, value)
      DONE
    end

    def delete(key)
      rows = begun(:rows)
      unless?(rows, rows.out(stored(key)), NO_RECORD) ? DONE : MISSING
    end

    def increment(row)
      counters = begun(:counters)
      # The gem answers no number where the library failed.
      done(counters, counters.addint(stored(row), 1))
      DONE
    end

    def read(key) = value(rows, key)

    def multi_read(keys)
      rows = self.rows
      keys.map { |key| value(rows, key) }
    end

    def open(keys) = with_reader { |rows| keys.map { |key| value(rows, key) } }

    def scan
      found = []
      rows.each { |key, kept| found << [given(key), fields(kept)] }
      found
    end

    def latest(count) = fixed? ? latest_of_fixed(count) : latest_of_tree(count)

    def search(least, greatest)
      query = TokyoCabinet::TDBQRY.new(rows)
      query.addcond(@searched, TokyoCabinet::TDBQRY::QCNUMBT, "#{least} #{greatest}")
      found = []
      walked = query.proc do |key, kept|
        found << [given(key), fields(kept)]
        # Nothing is done to the record.
        0
      end
      done(rows, walked)
      found
    end

    def commit = finish(:trancommit)

    # The handle of the rows.
    def rows = @open[:rows] ||= handle('')

    # The handle of the counters.
    def counters = @open[:counters] ||= handle('-counters')

    # Does something with a handle of its own that reads.
    def with_reader
      database = handle('', TokyoCabinet::HDB::OREADER)
      yield database
    ensure
      database&.close
    end

    def close
      handles, @open = @open.values, {}
      handles.each { |database| done(database, database.close) }
    end

    def call_info = { version: TokyoCabinet::VERSION }

    # The gem asks the library for none of these, so they are read from the head of the file; whether transactions are
    # synced stands there neither, and is what the file was opened with.
    def call_settings
      rows
      told = { mode: @mode, mutex: 'yes', tsync: @mode == 'tran-sync' ? 'yes' : 'no' }
      head = File.binread(file(''), 128)
      return told.merge(limsiz: read_number(head, 72, 64)) if fixed?

      told.merge(large: head.getbyte(36).anybits?(TokyoCabinet::HDB::TLARGE) ? 'yes' : 'no', bnum: read_number(head, 40, 40))
    end

    def call_create
      call_reset
      database = rows
      indexed = table? ? @values.fields.select { |field| field[:indexed] } : []
      indexed.each { |field| done(database, database.setindex(field[:name], TokyoCabinet::TDB::ITDECIMAL)) }
      true
    end

    # Beside each file are its log and the indexes, named after it.
    def call_reset
      close
      ours = ['', '-counters'].map { |which| File.basename(file(which)) }
      Dir.children(folder).each do |name|
        File.delete(File.join(folder, name)) if ours.any? { |own| name.start_with?(own) }
      end
      true
    end

    def call_count
      write_delayed
      { rows: rows.rnum }
    end

    # Length of the file of the rows; a fixed-length database and a table's indexes are more on the disk.
    def call_size
      write_delayed
      { bytes: rows.fsiz }
    end

    def call_sum
      return { sum: 0 } unless @open[:counters] || File.exist?(file('-counters'))

      sum = 0
      # The library adds to an int as the machine has it, and in a table to one column.
      counters.each { |_key, value| sum += table? ? value.values.first.to_i : value.unpack1('l') }
      { sum: }
    end

    private

    # The handle of `which`; begins a transaction where writes need one and none is open.
    def begun(which)
      database = public_send(which)
      return database if @dirty.include?(which)

      done(database, database.tranbegin) if transactions?
      @dirty << which
      database
    end

    def finish(how)
      dirty, @dirty = @dirty, []
      dirty.each do |which|
        database = public_send(which)
        done(database, database.sync) if @mode == 'sync'
        done(database, database.public_send(how)) if transactions?
      end
    end

    def write(bytes, value)
      rows = begun(:rows)
      done(rows, rows.public_send(@put, bytes, columns(value)))
    end

    # What is stored: all columns of a table are texts.
    def columns(value) = table? ? @names.zip(value.map(&:to_s)).to_h : value

    def fields(kept) = table? ? kept.values_at(*@names) : kept

    def value(rows, key)
      kept = rows.get(stored(key))
      kept.nil? ? unless?(rows, false, NO_RECORD) || nil : fields(kept)
    end

    def latest_of_tree(count)
      cursor = TokyoCabinet::BDBCUR.new(rows)
      found = []
      more = cursor.last
      while more && found.size < count
        found << [given(cursor.key), cursor.val]
        more = cursor.prev if found.size < count
      end
      unless?(rows, found.size == count, NO_RECORD)
      found
    end

    # From the highest number down; numbers without a record are passed over.
    def latest_of_fixed(count)
      rows = self.rows
      found = []
      id = rows.range('[max,max]', 1).first.to_i
      while id.positive? && found.size < count
        kept = rows.get(id)
        kept.nil? ? unless?(rows, false, NO_RECORD) : found << [id - 1, kept]
        id -= 1
      end
      found
    end

    # An answer of the library, which is false where it failed.
    def done(database, answer)
      answer || raise(failure(database))
    end

    # Whether it was done; not where the last error is the expected one.
    def unless?(database, answer, expected)
      answer || (database.ecode == expected ? false : raise(failure(database)))
    end

    # The key as it is stored.
    def stored(key)
      return key if key.is_a?(String)
      return (key + 1).to_s if fixed?

      table? ? key.to_s : [key].pack('q>')
    end

    # A stored key as it was given.
    def given(bytes)
      return bytes if @values.text_key?
      return bytes.to_i - 1 if fixed?

      table? ? bytes.to_i : bytes.unpack1('q>')
    end

    def number(name)
      text = @settings[name] or return
      raise "#{name} '#{text}' is no number; write digits only" unless text.match?(/\A\d+\z/) && text.to_i.positive?

      text.to_i
    end

    # The number at `at`. Libraries are built in either byte order; the number at `small`, which is below 2^32, tells
    # which: in the other it is larger.
    def read_number(head, at, small)
      order = %w[Q< Q>].min_by { |one| head.unpack1("@#{small}#{one}") }
      head.unpack1("@#{at}#{order}").to_s
    end

    def file(which) = "#{@path}#{which}.#{ENDINGS[@kind]}"

    # An open database.
    def handle(which, mode = nil)
      kind = { 'hash' => :HDB, 'btree' => :BDB, 'fixed' => :FDB, 'table' => :TDB }[@kind]
      database = TokyoCabinet.const_get(kind).new
      constants = TokyoCabinet::HDB
      synced = @mode == 'tran-sync' ? constants::OTSYNC : 0
      tune(database, which)
      return database if database.open(file(which), mode || constants::OWRITER | constants::OCREAT | synced)

      raise "cannot open #{File.basename(file(which))}: #{failure(database).message}"
    end

    # Numbers that are not positive leave the library's own.
    def tune(database, which)
      options = @large ? TokyoCabinet::HDB::TLARGE : 0
      buckets = @buckets || 0
      tuned =
        case @kind
        when 'hash', 'table' then database.tune(buckets, -1, -1, options)
        when 'btree' then database.tune(0, 0, buckets, -1, -1, options)
        else database.tune(which.empty? ? @values.raw(@values.made(0, 0)).bytesize : COUNTER_BYTES, @limit_bytes || LIMIT_BYTES)
        end
      done(database, tuned && (fixed? || @map_bytes.nil? || database.setxmsiz(@map_bytes)))
    end

    def failure(database) = RuntimeError.new("#{database.errmsg} (code #{database.ecode})")

    # Puts that a hash database still holds back are neither in its number of records nor in its file. Any lookup writes
    # them first; this one is for a key that nobody has.
    def write_delayed
      rows.vsiz('') if @kind == 'hash'
    end
  end
end

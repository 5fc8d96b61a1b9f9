# The worker of a phase, and what it is to do and what came of it: its script and its tape (docs/PROTOCOL.md, "A
# phase").

module Kurabe
  # Kinds of operations by their codes, as the methods of a connection are named.
  KINDS = %i[load insert read update delete scan latest multi_read increment search open].freeze
  WRITES = %i[load insert update delete increment].freeze
  # Added to the code of a kind: a commit is due.
  COMMIT = 256
  # What came of an operation.
  DONE, EXISTS, MISSING, FAILED, COMMIT_FAILED, REST_COMMITTED, REST_NOT_COMMITTED, BEGINS, TAKEN = *0..8

  # The entries of a script, in their order.
  class Script
    def initialize(path)
      @file = File.open(path, 'rb')
    end

    # Kind, whether a commit is due, row, argument, and the rows behind the entry; nothing at the end.
    def next
      bytes = @file.read(12)
      return if bytes.nil? || bytes.bytesize < 12

      code, row, argument = bytes.unpack('V3')
      kind = KINDS.fetch(code % COMMIT)
      rows = %i[multi_read open].include?(kind) ? @file.read(4 * argument).to_s.unpack('V*') : []
      [kind, code >= COMMIT, row, argument, rows]
    end

    def close = @file.close
  end

  # The planned starts of an open loop, which come when it is their time.
  class Starts
    def initialize
      @file = IO.for_fd(4, 'rb', autoclose: false)
    end

    # Waits for the next one, in ns; nothing where there is no further one. What is read ahead would be begun too late.
    def next
      start = @file.sysread(8).unpack1('Q<')
      start if start.positive?
    rescue EOFError
      nil
    end
  end

  # The records of a worker.
  class Tape
    CHUNK_BYTES = 1 << 16

    def initialize(path)
      @file = File.open(path, 'wb')
      @chunk = String.new
    end

    # Notes an operation: the digests of the rows that it gave, 8 bytes each, or the message of its failure.
    def note(start, finish, outcome, bytes = '')
      count = [FAILED, COMMIT_FAILED, REST_NOT_COMMITTED].include?(outcome) ? bytes.bytesize : bytes.bytesize / 8
      @chunk << [start, finish, outcome, count].pack('Q<Q<VV') << bytes.b
      flush if @chunk.bytesize >= CHUNK_BYTES
    end

    def flush
      @file.write(@chunk)
      @file.flush
      @chunk.clear
    end

    def close
      flush
      @file.close
    end
  end

  class Worker
    FAILURES_IN_A_ROW = 100
    # Or, where the store is restarted amid the phase, when nothing has succeeded for so long.
    PATIENCE_NS = 10_000_000_000

    def initialize(store, values, told, phase)
      @store, @values, @told, @phase = store, values, told, phase
      @script = Script.new(told[:script])
      @tape = Tape.new(told[:tape])
      @starts = Starts.new if phase[:planned]
      store.connect(phase, told)
      # What ended the connection. Unless it is made again, all that follows fails with this.
      @lost = nil
    end

    def warm_up
      # Without a count or a time it would work for ever.
      work(@told[:warmup] || (@phase[:warmup_ns] ? nil : 0), @phase[:warmup_ns])
    end

    def measure
      begins = now
      @tape.note(begins, begins, BEGINS)
      # Starts come once this is read.
      @tape.flush if @starts
      work(@told[:count], @phase[:duration_ns])
    end

    def close
      @store.disconnect
      @script.close
      @tape.close
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

    # Works until the script ends, so many operations are done, or so long has passed.
    def work(most, lasts_ns)
      deadline = lasts_ns ? now + lasts_ns : Float::INFINITY
      left, finish, failed, failing_since, writes_fail = most || Float::INFINITY, 0, 0, 0, false
      due, uncommitted, reconnects = false, false, @phase[:on_loss] == 'reconnect'
      while left.positive? && finish < deadline && (reconnects || failed < FAILURES_IN_A_ROW)
        break if failed.positive? && reconnects && !find_again(failed, [deadline, failing_since + PATIENCE_NS].min)
        break if @starts && !await_start
        break unless (entry = @script.next)

        left -= 1
        kind, commits, row, argument, rows = entry
        writes = WRITES.include?(kind)
        due ||= commits
        uncommitted ||= writes
        # Made before the clock is read: keys, and the value of a write.
        given = given(kind, row, argument, rows)
        answer, error, outcome = nil, nil, FAILED
        commits_now = writes && due
        start = now
        begin
          raise @lost if @lost

          answer = @store.public_send(kind, *given)
          if commits_now
            outcome = COMMIT_FAILED
            due = uncommitted = false
            @store.commit
          end
        rescue StandardError => error
          # Told below, behind the clock.
        end
        finish = now
        if error
          failing_since = finish if failed.zero?
          failed += 1
          writes_fail ||= writes && kind != :load
          fail(start, finish, outcome, error)
        else
          # What is written between two commits that fail ends no row of failures.
          failed, writes_fail = 0, false if commits_now || reconnects || !writes_fail
          note(kind, row, rows, start, finish, answer)
        end
      end
      commit_rest if uncommitted
    end

    # Waits for the planned start of the next operation; whether there is one.
    def await_start
      free = now
      start = @starts.next
      @tape.note(start, free, TAKEN) if start
      !start.nil?
    end

    # Makes the connection anew, with pauses that grow; whether there is one before it is too late.
    def find_again(tries, latest)
      loop do
        sleep([2**[tries, 7].min, 100].min / 1000.0)
        tries += 1
        return false if now >= latest

        begin
          @store.disconnect
        rescue StandardError
          # It is gone already.
        end
        begin
          @store.connect(@phase, @told)
          @lost = nil
          return true
        rescue StandardError
          # It is not there yet.
        end
      end
    end

    # What the method of the connection is given.
    def given(kind, row, argument, rows)
      case kind
      when :read, :delete then [@values.key(row)]
      when :multi_read, :open then [rows.map { |one| @values.key(one) }]
      when :increment then [row]
      when :latest then [argument]
      when :search then [row, argument]
      when :scan then []
      else
        fields = @values.made(row, argument)
        [@values.key(row), @store.takes_fields? ? fields : @values.raw(fields)]
      end
    end

    def note(kind, row, rows, start, finish, answer)
      return @tape.note(start, finish, answer) if WRITES.include?(kind)

      pairs =
        case kind
        when :read then [[@values.key(row), answer]]
        when :multi_read, :open then rows.map { |one| @values.key(one) }.zip(answer)
        else answer
        end
      digests = pairs.each_with_object(String.new) { |(key, value), bytes| bytes << @values.digest(key, value) }
      @tape.note(start, finish, DONE, digests)
    end

    def fail(start, finish, outcome, error)
      @lost ||= error if @store.lost?(error)
      @tape.note(start, finish, outcome, Words.of(error))
    end

    def commit_rest
      start = now
      raise @lost if @lost

      @store.commit
      @tape.note(start, now, REST_COMMITTED)
    rescue StandardError => error
      fail(start, now, REST_NOT_COMMITTED, error)
    end
  end
end

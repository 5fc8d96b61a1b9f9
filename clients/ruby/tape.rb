# Script and tape of a worker: what it is to do, and what came of it (docs/PROTOCOL.md, "A phase").

module Kurabe
  # Kinds of operations by their codes, as the methods of a connection are named.
  KINDS = %i[load insert read update delete scan latest multi_read increment search open].freeze
  WRITES = %i[load insert update delete increment].freeze
  # Added to the code of a kind: a commit is due.
  COMMIT = 256
  # What came of an operation.
  DONE, EXISTS, MISSING, FAILED, COMMIT_FAILED, REST_COMMITTED, REST_NOT_COMMITTED, BEGINS = *0..7

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

    def close
      flush
      @file.close
    end

    private

    def flush
      @file.write(@chunk)
      @chunk.clear
    end
  end
end

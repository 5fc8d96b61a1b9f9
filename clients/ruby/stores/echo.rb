# No store: it answers what is expected, and keeps what was written since the load in a hash of Ruby. What is left is
# the language, the loop, values and tapes.

module Kurabe
  class EchoStore < Store
    def initialize(job, values)
      super
      refuse_unknown([], 'it has none')
      call_reset
    end

    def libraries = {}

    def capabilities
      # Encoded rows would be made again from their fields.
      { operations: %w[load insert read update delete scan latest multi-read increment], key_types: %w[int64], empty_values: true }
    end

    # What was written is there in the next phase.
    def connect(_phase, _told) = nil

    def disconnect = nil

    def call_reset
      @rows = @highest = @job[:rows]
      @sum = 0
      # Values by row, nil where it was deleted.
      @written = {}
      true
    end

    # Each process counts for itself, so of several nobody knows the sum.
    def call_sum = @job.fetch(:processes, 1) > 1 ? nil : { sum: @sum }

    def load(_row, _raw) = DONE

    def insert(row, raw)
      return EXISTS if there?(row)

      @highest = row + 1 if row >= @highest
      @written[row] = raw
      DONE
    end

    def update(row, raw)
      return MISSING unless there?(row)

      @written[row] = raw
      DONE
    end

    def delete(row)
      return MISSING unless there?(row)

      @written[row] = nil
      DONE
    end

    def increment(_row)
      @sum += 1
      DONE
    end

    # One that nobody wrote since the load is made anew.
    def read(row)
      return @written[row] if @written.key?(row)

      @values.raw(@values.made(row, 0)) if row < @rows
    end

    def multi_read(rows) = rows.map { |row| read(row) }

    def scan = found(0.upto(@highest - 1))

    def latest(most) = found((@highest - 1).downto(0).lazy).first(most)

    private

    def there?(row) = @written.key?(row) ? !@written[row].nil? : row < @rows

    def found(rows) = rows.map { |row| [row, read(row)] }.reject { |_, raw| raw.nil? }
  end
end

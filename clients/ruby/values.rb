# Keys and values, as docs/PROTOCOL.md has them.

require 'zlib'

module Kurabe
  # How the rows of one schema look.
  class Values
    # The fields after the key.
    attr_reader :fields

    def initialize(schema, pool)
      key, *@fields = schema[:fields]
      @text_key = key[:type] == 'text'
      @key_format = "#{key.fetch(:prefix, 'k').gsub('%', '%%')}%0#{key.fetch(:digits, 10)}d"
      @bare = @fields.size == 1 && @fields[0][:type] != 'int64'
      # Filler begins anywhere and goes round.
      longest = @fields.map { |field| field.fetch(:len_bytes, 0) }.max || 0
      @pool = pool * (2 + longest / pool.bytesize)
    end

    def text_key? = @text_key

    # The key of a row. Texts say that they are UTF-8, bytes that they are none, which some libraries go by.
    def key(row) = @text_key ? format(@key_format, row) : row

    # The fields after the key: numbers and texts.
    def made(row, version)
      start = (row * 7919 + version * 104_729) % 1_048_573
      @fields.each_with_index.map do |field, at|
        number = at + 1
        if field[:type] == 'int64'
          value = (row * 31 + version * 17 + number) % (1 << 31)
          field[:distinct] ? 1 + value % field[:distinct] : value
        else
          text = filled(field, row, version, number, start)
          field[:type] == 'text' ? text.force_encoding(::Encoding::UTF_8) : text
        end
      end
    end

    # The raw encoding of fields, written or read.
    def raw(fields)
      return fields[0].to_s.b if @bare

      @fields.zip(fields).each_with_object(String.new) do |(field, value), raw|
        if field[:type] == 'int64'
          raw << [value.to_i].pack('q<')
        else
          text = value.to_s.b
          raw << [text.bytesize].pack('V') << text
        end
      end
    end

    # The digest of a row that came: its key, and its fields or raw value.
    def digest(key, value)
      return "\0\0\0\0\0\0\0\0".b if value.nil?

      key_bytes = @text_key ? key.to_s : [key.to_i].pack('q<')
      [Zlib.crc32(key_bytes), Zlib.crc32(value.is_a?(Array) ? raw(value) : value)].pack('VV')
    end

    private

    def filled(field, row, version, number, start)
      len = field.fetch(:len_bytes, 0)
      return ('1234567890' * (1 + len / 10)).byteslice(0, len).b if field[:constant]
      return @pool.byteslice(start, len) if len < 25

      format('%010d:%010d:%02d:', row, version, number).b << @pool.byteslice(start, len - 25)
    end
  end
end

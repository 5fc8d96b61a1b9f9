# Keys and values, as docs/PROTOCOL.md has them, and encodings other than raw.

require 'delegate'
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

  # A store of bytes that is given fields. Encoding is inside the time of a write, decoding inside that of a read,
  # since both are done by the connection.
  module Encoding
    # Bytes that stand around a field at most: quotes, colons, ends of lines, heads.
    AROUND_BYTES = 32

    # Those whose libraries are there.
    def self.known = %w[raw json yaml messagepack protobuf].select { |name| name == 'raw' || library(name) }

    def self.library(name)
      require({ 'json' => 'json', 'yaml' => 'yaml', 'messagepack' => 'msgpack', 'protobuf' => 'google/protobuf' }.fetch(name))
      require 'google/protobuf/descriptor_pb' if name == 'protobuf'
      true
    rescue LoadError
      false
    end

    # The store as the job has it, with what it can do then. One whose library is missing is not in the receipt.
    def self.around(store, name, values, capabilities)
      return store if [nil, 'raw'].include?(name)
      raise "#{name} is no encoding for a store that keeps columns; take raw" if store.keeps_columns?
      return store unless known.include?(name)

      codec = Codec.new(name, values.fields)
      capabilities[:max_value_bytes] -= codec.longer_bytes
      EncodedStore.new(store, codec)
    end

    # Writes and reads the rows of one schema in one encoding.
    class Codec
      def initialize(name, fields)
        @name = name
        @fields = fields
        @names = fields.map { |field| field[:name] }
        # Bytes are texts in base64 where they have no form of their own.
        @base64 = !%w[messagepack protobuf].include?(name)
        @binary = fields.each_index.select { |at| fields[at][:type] == 'bytes' }
        @message = name == 'protobuf' ? message : nil
        @numbered = fields.each_index.map { |at| :"column_#{at + 1}" }
      end

      def longer_bytes
        @fields.sum { |field| AROUND_BYTES + field[:name].bytesize + (field[:type] == 'bytes' ? field.fetch(:len_bytes, 0) / 3 + 4 : 20) }
      end

      def libraries
        case @name
        when 'json' then { json: JSON::VERSION }
        when 'yaml' then { psych: Psych::VERSION, libyaml: Psych.libyaml_version.join('.') }
        when 'protobuf' then { 'google-protobuf': Gem.loaded_specs['google-protobuf']&.version.to_s }
        else { msgpack: MessagePack::VERSION }
        end
      end

      def encode(fields)
        return @message.encode(@message.new(@numbered.zip(fields).to_h)) if @message

        fields = fields.dup if @base64 && @binary.any?
        @binary.each { |at| fields[at] = [fields[at]].pack('m0') } if @base64
        row = @names.zip(fields).to_h
        case @name
        when 'json' then JSON.generate(row)
        when 'yaml' then YAML.dump(row)
        else MessagePack.pack(row)
        end
      end

      # The fields. What is no row of this schema is given as it is, which is no right answer to anything.
      def decode(kept)
        return of_message(kept) if @message

        row =
          case @name
          when 'json' then JSON.parse(text(kept))
          when 'yaml' then YAML.safe_load(text(kept))
          else MessagePack.unpack(kept)
          end
        return kept unless row.is_a?(Hash) && row.keys == @names

        fields = row.values
        @binary.each { |at| fields[at] = fields[at].unpack1('m0') } if @base64
        fits?(fields) ? fields : kept
      rescue StandardError
        kept
      end

      private

      TYPES = { 'int64' => :TYPE_INT64, 'text' => :TYPE_STRING, 'bytes' => :TYPE_BYTES }.freeze
      private_constant :TYPES

      # The class of a row's message: its fields are the columns, required and numbered from 1.
      def message
        numbered = @fields.each_with_index.map do |field, at|
          Google::Protobuf::FieldDescriptorProto.new(
            name: "column_#{at + 1}", number: at + 1, label: :LABEL_REQUIRED, type: TYPES.fetch(field[:type])
          )
        end
        row = Google::Protobuf::DescriptorProto.new(name: 'Row', field: numbered)
        file = Google::Protobuf::FileDescriptorProto.new(name: 'row.proto', syntax: 'proto2', message_type: [row])
        pool = Google::Protobuf::DescriptorPool.new
        pool.add_serialized_file(Google::Protobuf::FileDescriptorProto.encode(file))
        pool.lookup('Row').msgclass
      end

      # A message that lacks a column has it not among its values.
      def of_message(kept)
        row = @message.decode(kept).to_h
        row.size == @numbered.size ? row.values_at(*@numbered) : kept
      rescue Google::Protobuf::ParseError
        kept
      end

      # The libraries of texts take UTF-8.
      def text(kept) = kept.dup.force_encoding(::Encoding::UTF_8)

      def fits?(fields)
        @fields.each_with_index.all? { |field, at| fields[at].is_a?(field[:type] == 'int64' ? Integer : String) }
      end
    end

    # A store of bytes, given fields: rows are encoded and decoded between it and the caller.
    class EncodedStore < SimpleDelegator
      def initialize(store, codec)
        super(store)
        @store, @codec = store, codec
      end

      def takes_fields? = true

      def libraries = super.merge(@codec.libraries)

      %i[load insert update].each do |kind|
        define_method(kind) { |key, fields| @store.public_send(kind, key, @codec.encode(fields)) }
      end
      %i[delete increment].each { |kind| define_method(kind) { |given| @store.public_send(kind, given) } }
      %i[multi_read open].each do |kind|
        define_method(kind) { |keys| @store.public_send(kind, keys).map { |kept| decoded(kept) } }
      end

      def read(key) = decoded(@store.read(key))

      def scan = decoded_pairs(@store.scan)

      def latest(rows) = decoded_pairs(@store.latest(rows))

      def commit = @store.commit

      private

      def decoded(kept) = kept && @codec.decode(kept)

      def decoded_pairs(pairs) = pairs.map { |key, kept| [key, decoded(kept)] }
    end
  end
end

# Encodings other than raw: a store of bytes that is given fields. Encoding is inside the time of a write, decoding inside
# that of a read, since both are done by the connection (docs/PROTOCOL.md, "Values").

require 'delegate'

module Kurabe
  module Encoding
    # Bytes that stand around a field at most: quotes, colons, ends of lines, heads.
    AROUND_BYTES = 32

    # Those whose libraries are there.
    def self.known = %w[raw json yaml messagepack].select { |name| name == 'raw' || library(name) }

    def self.library(name)
      require({ 'json' => 'json', 'yaml' => 'yaml', 'messagepack' => 'msgpack' }.fetch(name))
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
        @base64 = name != 'messagepack'
        @binary = fields.each_index.select { |at| fields[at][:type] == 'bytes' }
      end

      def longer_bytes
        @fields.sum { |field| AROUND_BYTES + field[:name].bytesize + (field[:type] == 'bytes' ? field.fetch(:len_bytes, 0) / 3 + 4 : 20) }
      end

      def libraries
        case @name
        when 'json' then { json: JSON::VERSION }
        when 'yaml' then { psych: Psych::VERSION, libyaml: Psych.libyaml_version.join('.') }
        else { msgpack: MessagePack::VERSION }
        end
      end

      def encode(fields)
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

      # The libraries of texts take UTF-8.
      def text(kept) = kept.dup.force_encoding(::Encoding::UTF_8)

      def fits?(fields)
        @fields.each_with_index.all? { |field, at| fields[at].is_a?(field[:type] == 'int64' ? Integer : String) }
      end
    end

    # A store of bytes, given fields.
    class EncodedStore < SimpleDelegator
      def initialize(store, codec)
        super(store)
        @codec = codec
      end

      def takes_fields? = true

      def libraries = super.merge(@codec.libraries)

      def connect(phase, told) = EncodedLane.new(super, @codec)
    end

    # A connection between which and the caller rows are encoded and decoded.
    class EncodedLane
      def initialize(lane, codec)
        @lane = lane
        @codec = codec
      end

      %i[load insert update].each { |kind| define_method(kind) { |key, fields| @lane.public_send(kind, key, @codec.encode(fields)) } }
      %i[delete increment].each { |kind| define_method(kind) { |given| @lane.public_send(kind, given) } }
      %i[multi_read open].each { |kind| define_method(kind) { |keys| @lane.public_send(kind, keys).map { |kept| decoded(kept) } } }

      def read(key) = decoded(@lane.read(key))

      def scan = decoded_pairs(@lane.scan)

      def latest(rows) = decoded_pairs(@lane.latest(rows))

      def commit = @lane.commit

      def close = @lane.close

      private

      def decoded(kept) = kept && @codec.decode(kept)

      def decoded_pairs(pairs) = pairs.map { |key, kept| [key, decoded(kept)] }
    end
  end
end

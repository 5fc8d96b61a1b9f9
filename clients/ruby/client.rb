# Kurabe's Ruby client: works on one job from stdin (docs/PROTOCOL.md). One process is one connection.

# The lines of the profile have a descriptor of their own: what libraries print is for people.
LINES = IO.for_fd(3, 'w')

require 'json'
require_relative 'values'
require_relative 'worker'
require_relative 'stores/store'

module Kurabe
  # The state of one job.
  class Session
    # Calls that only tell of a server, and what is missing where it refuses to.
    TOLD = {
      'info' => 'version of the server', 'settings' => 'settings of the server', 'size' => 'size of the data',
      'evicts' => 'whether the server throws keys away',
    }.freeze

    def initialize(driver)
      @driver = driver
    end

    # Does what a line says; the status of the process, where it ends it.
    def hear(told)
      case told
      in { kurabe: version } then start(version, told[:job])
      in { call: name, id: } then call(name, id)
      in { prepare: phase } then prepare(phase)
      in { go: phase } then go(phase)
      in { skip: _ } then leave
      in { stop: _ } then return stop
      else nil
      end
      nil
    rescue StandardError, ScriptError => error
      say(error: Words.of(error))
      told.key?(:kurabe) ? 2 : 1
    end

    private

    def start(version, job)
      raise "version #{version} of the protocol is not spoken here, only 2" unless version == 2

      pool = File.binread(job[:pool])
      @values = Values.new(job[:schema], pool)
      @store = Store.of(job, @values, @driver)
      usual = { key_types: %w[int64 text], max_connections: 1, processes: true, schedules: true,
                keeps_columns: @store.keeps_columns? }
      capabilities = usual.merge(@store.capabilities)
      capabilities[:encodings] = Encoding.known unless @store.keeps_columns?
      @store = Encoding.around(@store, job[:encoding], @values, capabilities)
      @lacks = job[:encoding] unless [nil, 'raw', *capabilities[:encodings]].include?(job[:encoding])
      libraries = { ruby: RUBY_VERSION }.merge(@store.libraries)
      say(hello: { client: 'ruby', version: '0.1.0', libraries:, capabilities: })
    end

    def call(name, id)
      method = "call_#{name}"
      answer = @store.public_send(method) if @store.respond_to?(method)
      say(reply: id, **(answer.nil? ? { unsupported: true } : { ok: answer }))
    rescue StandardError => error
      missing = TOLD[name] if @store.refuses?(error)
      say(reply: id, **(missing ? { unsupported: true, absent: ["#{missing}: #{Words.of(error)}"] } : { error: Words.of(error) }))
    end

    def prepare(phase)
      leave
      raise 'a process of Ruby has one connection; start one process a connection' if phase[:workers].size > 1
      raise "the Ruby client has no encoding '#{@lacks}' here; install its library" if @lacks

      phase[:workers].each do |told|
        @worker = Worker.new(@store, @values, told, phase)
        @worker.warm_up
      end
      say(ready: phase[:phase])
    end

    def go(phase)
      @worker&.measure
      leave
      say(result: phase)
    end

    def leave
      worker, @worker = @worker, nil
      worker&.close
    end

    def stop
      leave
      @store&.close
      say(end: true)
      0
    end

    def say(line)
      LINES.puts(JSON.generate(line))
      LINES.flush
    end
  end
end

session = Kurabe::Session.new(ARGV.fetch(0, ''))
while (line = $stdin.gets)
  status = session.hear(JSON.parse(line, symbolize_names: true))
  exit(status) if status
end
exit(3)

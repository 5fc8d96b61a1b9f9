<?php
// Redis and Valkey through phpredis or Predis: a string a row, `namespace:key`. Neither tries anything again by itself.
declare(strict_types=1);
namespace Kurabe;

/** What the adapter asks of a library. */
interface RedisLink
{
    public function set(string $key, string $value): void;

    /** With NX or XX; whether it was written. */
    public function setIf(string $key, string $value, string $condition): bool;

    public function get(string $key): ?string;

    /** @return (string|null)[] */
    public function many(array $keys): array;

    /** How many there were. */
    public function delete(array $keys): int;

    public function increment(string $key): void;

    /** A command that no method is for. */
    public function ask(string ...$words): mixed;

    public function close(): void;
}

/** The extension phpredis. */
final class PhpRedis implements RedisLink
{
    private \Redis $redis;

    public function __construct(Address $at, float $patience)
    {
        $this->redis = new \Redis();
        $done = $at->scheme === 'unix'
            ? $this->redis->connect($at->path, -1, $patience, null, 0, $patience)
            : $this->redis->connect($at->host, $at->port ?? 6379, $patience, null, 0, $patience);
        if (!$done) {
            throw new ConnectionLost('cannot connect to the server');
        }
        // A command whose connection is gone fails; it would be sent again over a new one.
        $this->redis->setOption(\Redis::OPT_MAX_RETRIES, 0);
    }

    /** An answer; false may be an error that the library has kept. */
    private function told(mixed $answer): mixed
    {
        $error = $answer === false ? $this->redis->getLastError() : null;
        if ($error !== null) {
            $this->redis->clearLastError();
            throw new \RuntimeException($error);
        }
        return $answer;
    }

    public function set(string $key, string $value): void
    {
        if ($this->told($this->redis->set($key, $value)) !== true) {
            throw new \RuntimeException('the server did not say OK');
        }
    }

    public function setIf(string $key, string $value, string $condition): bool
    {
        return $this->told($this->redis->set($key, $value, [$condition]));
    }

    public function get(string $key): ?string
    {
        $value = $this->told($this->redis->get($key));
        return $value === false ? null : $value;
    }

    public function many(array $keys): array
    {
        $values = $this->told($this->redis->mget($keys));
        return array_map(fn (string|false $value): ?string => $value === false ? null : $value, $values);
    }

    public function delete(array $keys): int
    {
        return $this->told($this->redis->del($keys));
    }

    public function increment(string $key): void
    {
        $this->told($this->redis->incr($key));
    }

    public function ask(string ...$words): mixed
    {
        return $this->told($this->redis->rawCommand(...$words));
    }

    public function close(): void
    {
        $this->redis->close();
    }
}

/** Predis, in PHP alone. */
final class Predis implements RedisLink
{
    private \Predis\Client $client;

    public function __construct(Address $at, float $patience)
    {
        $where = $at->scheme === 'unix'
            ? ['scheme' => 'unix', 'path' => $at->path]
            : ['scheme' => 'tcp', 'host' => $at->host, 'port' => $at->port ?? 6379];
        $this->client = new \Predis\Client($where + ['timeout' => $patience, 'read_write_timeout' => $patience]);
        $this->client->connect();
    }

    public function set(string $key, string $value): void
    {
        $this->client->set($key, $value);
    }

    public function setIf(string $key, string $value, string $condition): bool
    {
        return $this->client->set($key, $value, $condition) !== null;
    }

    public function get(string $key): ?string
    {
        return $this->client->get($key);
    }

    public function many(array $keys): array
    {
        return $this->client->mget($keys);
    }

    public function delete(array $keys): int
    {
        return $this->client->del($keys);
    }

    public function increment(string $key): void
    {
        $this->client->incr($key);
    }

    public function ask(string ...$words): mixed
    {
        $answer = $this->client->executeRaw($words, $isError);
        return $isError ? throw new \RuntimeException((string) $answer) : $answer;
    }

    public function close(): void
    {
        $this->client->disconnect();
    }
}

final class Redis extends Store
{
    private const SETTINGS = ['appendonly', 'appendfsync', 'io-threads', 'no-appendfsync-on-rewrite', 'save', 'maxmemory', 'maxmemory-policy'];
    private const AT_ONCE = 1000;

    public readonly string $rows;
    public readonly string $counters;
    private readonly Address $address;

    public function __construct(private readonly array $job, Values $values, private readonly string $driver)
    {
        $this->address = Address::of($job);
        if (!in_array($this->address->scheme, ['redis', 'unix'], true)) {
            throw new \RuntimeException('expected redis://[user:password@]host:port[/database] or unix:///path');
        }
        self::refuseUnknown($job, [], 'give the server arguments');
        $this->rows = "{$job['namespace']}:";
        $this->counters = "{$job['namespace']}+";
        match ($driver) {
            'phpredis' => null,
            'predis' => require_once 'Predis/autoload.php',
            default => throw self::unknownDriver($job, $driver),
        };
    }

    public function libraries(): array
    {
        return [$this->driver => $this->driver === 'predis' ? \Predis\Client::VERSION : phpversion('redis')];
    }

    public function capabilities(): array
    {
        return [
            'operations' => ['load', 'insert', 'read', 'update', 'delete', 'multi-read', 'increment', 'open'],
            'empty_values' => true,
            'max_value_bytes' => 512 << 20,
        ];
    }

    public function lost(\Throwable $error): bool
    {
        // phpredis throws some errors of the server too, which begin with a word in capitals.
        return parent::lost($error) || $error instanceof \Predis\Connection\ConnectionException
            || ($error instanceof \RedisException && preg_match('/^[A-Z]{2,} /', $error->getMessage()) !== 1);
    }

    /** A new connection. */
    public function link(): RedisLink
    {
        $patience = $this->job['limits']['operation_ns'] / 1e9;
        $link = $this->driver === 'predis' ? new Predis($this->address, $patience) : new PhpRedis($this->address, $patience);
        ['user' => $user, 'password' => $password] = get_object_vars($this->address);
        if ($password !== '') {
            $link->ask('AUTH', ...($user === '' ? [$password] : [$user, $password]));
        }
        $database = $this->address->scheme === 'unix' ? ($this->address->query['db'] ?? '') : ltrim($this->address->path, '/');
        if ($database !== '' && $database !== '0') {
            $link->ask('SELECT', $database);
        }
        return $link;
    }

    public function connect(array $phase, array $told): Lane
    {
        return new RedisLane($this, $this->link());
    }

    /** Does something over a connection of its own. */
    public function with(callable $work): mixed
    {
        $link = $this->link();
        try {
            return $work($link);
        } finally {
            $link->close();
        }
    }

    /** All names that begin so, by SCAN, which may give one twice. */
    private function names(RedisLink $link, string $prefix): array
    {
        $names = [];
        $cursor = '0';
        do {
            [$cursor, $some] = $link->ask('SCAN', (string) $cursor, 'MATCH', "$prefix*", 'COUNT', (string) self::AT_ONCE);
            $names += array_fill_keys($some, true);
        } while ((string) $cursor !== '0');
        return array_map(strval(...), array_keys($names));
    }

    private function told(RedisLink $link, string $section, string $name): ?string
    {
        return preg_match("/^$name:(.*?)\\r?$/m", $link->ask('INFO', $section), $found) === 1 ? $found[1] : null;
    }

    /** Some users may not ask, and hosted servers do not know the command. */
    public function refuses(\Throwable $error): bool
    {
        return preg_match('/NOPERM|unknown command/i', $error->getMessage()) === 1;
    }

    public function callPing(): bool
    {
        $this->with(fn (RedisLink $link) => $link->ask('PING'));
        return true;
    }

    public function callInfo(): array
    {
        return $this->with(function (RedisLink $link): array {
            $isValkey = $this->told($link, 'server', 'server_name') === 'valkey';
            if ($isValkey !== ($this->job['candidate']['store'] === 'valkey')) {
                $other = $isValkey ? 'Valkey' : 'Redis';
                throw new \RuntimeException("the server is $other; for it there is the store '" . strtolower($other) . "'");
            }
            $about = [
                'version' => $this->told($link, 'server', $isValkey ? 'valkey_version' : 'redis_version') ?? 'unknown',
                'redis_mode' => $this->told($link, 'server', 'redis_mode'),
                'server_mode' => $this->told($link, 'server', 'server_mode'),
                'role' => $this->told($link, 'replication', 'role'),
            ];
            return array_filter($about, fn (?string $value) => $value !== null);
        });
    }

    public function callSettings(): array
    {
        return $this->with(function (RedisLink $link): array {
            $found = [];
            foreach (self::SETTINGS as $name) {
                // One name a command: servers before version 7 take no more.
                [$key, $value] = $link->ask('CONFIG', 'GET', $name) + [null, ''];
                $found += $key === null ? [] : [$key => $value];
            }
            return $found;
        });
    }

    public function callEvicts(): array
    {
        return $this->with(function (RedisLink $link): array {
            $limit = (int) $this->told($link, 'memory', 'maxmemory');
            $policy = $this->told($link, 'memory', 'maxmemory_policy') ?? 'noeviction';
            $evicts = $limit > 0 && $policy !== 'noeviction';
            return $evicts ? ['policy' => "maxmemory $limit, maxmemory-policy $policy"] : [];
        });
    }

    public function callCreate(): bool
    {
        return $this->callReset();
    }

    public function callReset(): bool
    {
        $this->with(function (RedisLink $link): void {
            $names = [...$this->names($link, $this->rows), ...$this->names($link, $this->counters)];
            array_map($link->delete(...), array_chunk($names, self::AT_ONCE));
        });
        return true;
    }

    public function callCount(): array
    {
        return ['rows' => $this->with(fn (RedisLink $link) => count($this->names($link, $this->rows)))];
    }

    public function callSum(): array
    {
        return ['sum' => $this->with(function (RedisLink $link): int {
            $chunks = array_chunk($this->names($link, $this->counters), self::AT_ONCE);
            return (int) array_sum(array_map(fn (array $names) => array_sum($link->many($names)), $chunks));
        })];
    }

    /** Memory of the whole server: it knows no size of a part of its keys. */
    public function callSize(): array
    {
        return ['bytes' => (int) $this->with(fn (RedisLink $link) => $this->told($link, 'memory', 'used_memory'))];
    }
}

final class RedisLane extends Lane
{
    public function __construct(private readonly Redis $store, private readonly RedisLink $link) {}

    public function load(int|string $key, string $raw): int
    {
        $this->link->set($this->store->rows . $key, $raw);
        return DONE;
    }

    public function insert(int|string $key, string $raw): int
    {
        return $this->link->setIf($this->store->rows . $key, $raw, 'NX') ? DONE : EXISTS;
    }

    public function update(int|string $key, string $raw): int
    {
        return $this->link->setIf($this->store->rows . $key, $raw, 'XX') ? DONE : MISSING;
    }

    public function delete(int|string $key): int
    {
        return $this->link->delete([$this->store->rows . $key]) > 0 ? DONE : MISSING;
    }

    public function increment(int $row): int
    {
        $this->link->increment($this->store->counters . $row);
        return DONE;
    }

    public function read(int|string $key): ?string
    {
        return $this->link->get($this->store->rows . $key);
    }

    public function multiRead(array $keys): array
    {
        return $this->link->many(array_map(fn (int|string $key): string => $this->store->rows . $key, $keys));
    }

    public function open(array $keys): array
    {
        $read = fn (RedisLink $link): array => array_map(fn ($key) => $link->get($this->store->rows . $key), $keys);
        return $this->store->with($read);
    }

    public function close(): void
    {
        $this->link->close();
    }
}

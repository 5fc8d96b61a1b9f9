<?php
// Redis, and what speaks as it does, through phpredis, Predis or Rediska: a string a row, `namespace:key`. None tries anything
// again by itself.
declare(strict_types=1);
namespace Kurabe;

final class Redis extends LinkedStore
{
    protected const DRIVERS = ['phpredis', 'predis', 'rediska'];
    private const SETTINGS = [
        'appendonly', 'appendfsync', 'io-threads', 'no-appendfsync-on-rewrite', 'save', 'maxmemory', 'maxmemory-policy',
    ];
    private const AT_ONCE = 1000;

    /** Whether the library is written in PHP, and called as Predis is. */
    private readonly bool $isPhp;
    /** Conditions of a write, as the library takes them. */
    private readonly array|string $ifNew;
    private readonly array|string $ifThere;
    private readonly string $rows;
    private readonly string $counters;
    private readonly Address $address;
    /** The connection of the worker. */
    private \Redis|\Predis\Client|RediskaLink|null $link = null;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $this->address = Address::of($job);
        if (!in_array($this->address->scheme, ['redis', 'unix'], true)) {
            throw new \RuntimeException('expected redis://[user:password@]host:port[/database] or unix:///path');
        }
        $this->rows = "{$job['namespace']}:";
        $this->counters = "{$job['namespace']}+";
        $this->isPhp = $driver !== 'phpredis';
        [$this->ifNew, $this->ifThere] = $this->isPhp ? ['NX', 'XX'] : [['NX'], ['XX']];
        if ($this->isPhp) {
            require_once $driver === 'predis' ? 'Predis/autoload.php' : __DIR__ . '/rediska_link.php';
        }
        if ($driver === 'rediska' && $this->address->scheme === 'unix') {
            throw new \RuntimeException('Rediska connects by TCP only; expected redis://[user:password@]host:port[/database]');
        }
    }

    public function libraries(): array
    {
        return [$this->driver => match ($this->driver) {
            'phpredis' => phpversion('redis'),
            'predis' => \Predis\Client::VERSION,
            'rediska' => RediskaLink::version(),
        }];
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
            || ($error instanceof \Rediska_Connection_Exception && !$error instanceof \Rediska_Connection_Exec_Exception)
            || ($error instanceof \RedisException && preg_match('/^[A-Z]{2,} /', $error->getMessage()) !== 1);
    }

    protected function link(): \Redis|\Predis\Client|RediskaLink
    {
        $patience = $this->job['limits']['operation_ns'] / 1e9;
        $link = match ($this->driver) {
            'phpredis' => $this->phpredis($patience),
            'predis' => $this->predis($patience),
            'rediska' => new RediskaLink($this->address->host, $this->address->port ?? 6379, $patience),
        };
        ['user' => $user, 'password' => $password] = get_object_vars($this->address);
        if ($password !== '') {
            $this->ask($link, 'AUTH', ...($user === '' ? [$password] : [$user, $password]));
        }
        $at = $this->address;
        $database = $at->scheme === 'unix' ? ($at->query['db'] ?? '') : ltrim($at->path, '/');
        if ($database !== '' && $database !== '0') {
            $this->ask($link, 'SELECT', $database);
        }
        return $link;
    }

    private function phpredis(float $patience): \Redis
    {
        $at = $this->address;
        $link = new \Redis();
        $done = $at->scheme === 'unix'
            ? $link->connect($at->path, -1, $patience, null, 0, $patience)
            : $link->connect($at->host, $at->port ?? 6379, $patience, null, 0, $patience);
        if (!$done) {
            throw new ConnectionLost('cannot connect to the server');
        }
        // A command whose connection is gone fails; it would be sent again over a new one.
        $link->setOption(\Redis::OPT_MAX_RETRIES, 0);
        return $link;
    }

    private function predis(float $patience): \Predis\Client
    {
        $at = $this->address;
        $where = $at->scheme === 'unix'
            ? ['scheme' => 'unix', 'path' => $at->path]
            : ['scheme' => 'tcp', 'host' => $at->host, 'port' => $at->port ?? 6379];
        $link = new \Predis\Client($where + ['timeout' => $patience, 'read_write_timeout' => $patience]);
        $link->connect();
        return $link;
    }

    protected function unlink(mixed $link): void
    {
        $this->isPhp ? $link->disconnect() : $link->close();
    }

    public function connect(array $phase, array $told): void
    {
        $this->link = $this->link();
    }

    public function disconnect(): void
    {
        $this->unlink($this->link);
    }

    /** An answer; false may be an error that phpredis has kept. */
    private function told(mixed $link, mixed $answer): mixed
    {
        $error = $answer === false ? $link->getLastError() : null;
        if ($error !== null) {
            $link->clearLastError();
            throw new \RuntimeException($error);
        }
        return $answer;
    }

    /** A command that no method is for. */
    private function ask(mixed $link, string ...$words): mixed
    {
        if (!$this->isPhp) {
            return $this->told($link, $link->rawCommand(...$words));
        }
        $answer = $link->executeRaw($words, $isError);
        return $isError ? throw new \RuntimeException((string) $answer) : $answer;
    }

    public function load(int|string $key, string $raw): int
    {
        return $this->told($this->link, $this->link->set($this->rows . $key, $raw))
            ? DONE : throw new \RuntimeException('the server did not say OK');
    }

    public function insert(int|string $key, string $raw): int
    {
        return $this->told($this->link, $this->link->set($this->rows . $key, $raw, $this->ifNew)) ? DONE : EXISTS;
    }

    public function update(int|string $key, string $raw): int
    {
        return $this->told($this->link, $this->link->set($this->rows . $key, $raw, $this->ifThere)) ? DONE : MISSING;
    }

    public function delete(int|string $key): int
    {
        return $this->told($this->link, $this->link->del([$this->rows . $key])) > 0 ? DONE : MISSING;
    }

    public function increment(int $row): int
    {
        $this->told($this->link, $this->link->incr($this->counters . $row));
        return DONE;
    }

    public function read(int|string $key): ?string
    {
        $value = $this->told($this->link, $this->link->get($this->rows . $key));
        return $value === false ? null : $value;
    }

    public function multiRead(array $keys): array
    {
        return $this->many($this->link, array_map(fn (int|string $key): string => $this->rows . $key, $keys));
    }

    private function many(mixed $link, array $names): array
    {
        if ($this->isPhp) {
            return $link->mget($names);
        }
        return array_map(fn ($value) => $value === false ? null : $value, $this->told($link, $link->mget($names)));
    }

    /** Reads by a connection that has the place of the worker's. */
    public function open(array $keys): array
    {
        $kept = $this->link;
        try {
            return $this->with(function (mixed $link) use ($keys): array {
                $this->link = $link;
                return array_map($this->read(...), $keys);
            });
        } finally {
            $this->link = $kept;
        }
    }

    /** All names that begin so, by SCAN, which may give one twice. */
    private function names(mixed $link, string $prefix): array
    {
        $names = [];
        $cursor = '0';
        do {
            [$cursor, $some] = $this->ask($link, 'SCAN', "$cursor", 'MATCH', "$prefix*", 'COUNT', (string) self::AT_ONCE);
            $names += array_fill_keys($some, true);
        } while ((string) $cursor !== '0');
        return array_map(strval(...), array_keys($names));
    }

    /** A section of what the server tells of itself, by names. */
    private function info(mixed $link, string $section): array
    {
        preg_match_all('/^(\w+):(.*?)\r?$/m', $this->ask($link, 'INFO', $section), $found);
        return array_combine($found[1], $found[2]);
    }

    /** Some users may not ask, and hosted servers do not know the command. */
    public function refuses(\Throwable $error): bool
    {
        return preg_match('/NOPERM|unknown command/i', $error->getMessage()) === 1;
    }

    public function callPing(): bool
    {
        $this->with(fn (mixed $link) => $this->ask($link, 'PING'));
        return true;
    }

    /** What the server tells to be: whether that is what was asked for, Kurabe decides. */
    public function callInfo(): array
    {
        $parts = fn (mixed $link): array => [$this->info($link, 'server'), $this->info($link, 'replication')];
        [$server, $replication] = $this->with($parts);
        $names = preg_grep('/_version$|^(server_name|redis_mode|server_mode)$/', array_keys($server));
        // Its own version stands under its name, or beside that of the Redis that it is like.
        $others = array_values(preg_grep('/(?<!^redis)(?<!^gcc)_version$/', $names));
        $version = $server[($server['server_name'] ?? '') . '_version']
            ?? $server[count($others) === 1 ? $others[0] : 'redis_version'] ?? 'unknown';
        $told = array_intersect_key($server, array_flip($names));
        return ['version' => $version] + $told + array_intersect_key($replication, ['role' => true]);
    }

    public function callSettings(): array
    {
        return $this->with(function (mixed $link): array {
            $found = [];
            foreach (self::SETTINGS as $name) {
                // One name a command: servers before version 7 take no more.
                [$key, $value] = $this->ask($link, 'CONFIG', 'GET', $name) + [null, ''];
                $found += $key === null ? [] : [$key => $value];
            }
            return $found;
        });
    }

    private function memory(): array
    {
        return $this->with(fn (mixed $link): array => $this->info($link, 'memory'));
    }

    public function callEvicts(): array
    {
        $memory = $this->memory();
        $limit = (int) ($memory['maxmemory'] ?? 0);
        $policy = $memory['maxmemory_policy'] ?? 'noeviction';
        $evicts = $limit > 0 && $policy !== 'noeviction';
        return $evicts ? ['policy' => "maxmemory $limit, maxmemory-policy $policy"] : [];
    }

    public function callReset(): bool
    {
        $this->with(function (mixed $link): void {
            $names = [...$this->names($link, $this->rows), ...$this->names($link, $this->counters)];
            foreach (array_chunk($names, self::AT_ONCE) as $some) {
                $this->told($link, $link->del($some));
            }
        });
        return true;
    }

    public function callCount(): array
    {
        return ['rows' => $this->with(fn (mixed $link) => count($this->names($link, $this->rows)))];
    }

    public function callSum(): array
    {
        return ['sum' => $this->with(function (mixed $link): int {
            $chunks = array_chunk($this->names($link, $this->counters), self::AT_ONCE);
            return (int) array_sum(array_map(fn (array $names) => array_sum($this->many($link, $names)), $chunks));
        })];
    }

    /** Memory of the whole server: it knows no size of a part of its keys. */
    public function callSize(): array
    {
        return ['bytes' => (int) ($this->memory()['used_memory'] ?? 0)];
    }
}

<?php
// memcached through the extension of that name, which is libmemcached: an item a row, `namespace:key`.
declare(strict_types=1);
namespace Kurabe;

final class Memcached extends LinkedStore
{
    protected const DRIVERS = ['memcached'];
    private const SETTINGS = ['evictions', 'item_size_max', 'maxbytes', 'maxconns', 'num_threads'];
    /** Longest item where the server does not tell, and what of it is not the value: name and head. */
    private const ITEM_BYTES = 1 << 20;
    private const ITEM_HEAD_BYTES = 63;
    private const NAME_BYTES = 250;
    private const AT_ONCE = 100;
    /** So many rows that are not there, one after the other, are the end of those that were inserted. */
    private const LONGEST_GAP = 20_000;
    /** Errors that say nothing of the connection. */
    private const REFUSALS = [
        \Memcached::RES_BAD_KEY_PROVIDED, \Memcached::RES_CLIENT_ERROR, \Memcached::RES_E2BIG, \Memcached::RES_NOTFOUND,
        \Memcached::RES_NOTSTORED, \Memcached::RES_SERVER_ERROR, \Memcached::RES_SERVER_MEMORY_ALLOCATION_FAILURE,
    ];

    private readonly string $rows;
    private readonly string $counters;
    private readonly Address $address;
    /** The extension takes a key beyond ASCII in the binary protocol alone, whatever `OPT_VERIFY_KEY` says. */
    private readonly bool $binary;
    /** Evictions when the namespace was made. */
    private int $evicted = 0;
    /** First keys of inserts: nothing else tells which rows there can be. */
    private array $firstInserted;
    /** Length of the longest name that a row can have. */
    private readonly int $longestName;
    /** The connection of the worker, and whether it has inserted. */
    private ?\Memcached $link = null;
    private bool $inserted = false;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $this->address = Address::of($job);
        if ($this->address->scheme !== 'memcache') {
            throw new \RuntimeException('expected memcache://host:port or memcache:///path as the address of the server');
        }
        $this->rows = "{$job['namespace']}:";
        $this->counters = "{$job['namespace']}+";
        $this->binary = preg_match('/[^\x21-\x7e]/', (string) $values->key(0)) === 1;
        $this->firstInserted = [$values->key($job['rows'])];
        $this->longestName = strlen($this->rows) + max(10, strlen((string) $values->key(0)));
    }

    public function libraries(): array
    {
        // The constant is of the headers that it was built with; the library in use is told here alone.
        ob_start();
        (new \ReflectionExtension('memcached'))->info();
        preg_match('/libmemcached library version => (\S+)/', (string) ob_get_clean(), $found);
        return ['memcached' => phpversion('memcached'), 'libmemcached' => $found[1] ?? 'unknown'];
    }

    public function capabilities(): array
    {
        try {
            // It may not be up yet.
            $longest = (int) self::stats($this->link(1000), 'settings')['item_size_max'];
        } catch (\RuntimeException) {
            $longest = self::ITEM_BYTES;
        }
        return [
            'operations' => ['load', 'insert', 'read', 'update', 'delete', 'multi-read', 'increment', 'open'],
            'max_value_bytes' => $longest - self::ITEM_HEAD_BYTES - $this->longestName,
            'max_key_bytes' => self::NAME_BYTES - strlen($this->rows),
        ];
    }

    protected function link(?int $patienceMs = null): \Memcached
    {
        $patience = $patienceMs ?? intdiv($this->job['limits']['operation_ns'], 1_000_000);
        $link = new \Memcached();
        $link->setOptions([
            \Memcached::OPT_BINARY_PROTOCOL => $this->binary,
            // Values are kept as they are: longer ones would be compressed.
            \Memcached::OPT_COMPRESSION => false,
            // A request of several packets waits for nothing.
            \Memcached::OPT_TCP_NODELAY => true,
            \Memcached::OPT_CONNECT_TIMEOUT => $patience,
            \Memcached::OPT_POLL_TIMEOUT => $patience,
            \Memcached::OPT_STORE_RETRY_COUNT => 0,
        ]);
        $isSocket = $this->address->scheme === 'memcache' && $this->address->host === '';
        $link->addServer($isSocket ? $this->address->path : $this->address->host, $isSocket ? 0 : $this->address->port ?? 11211);
        // It connects with its first request.
        if ($link->getVersion() === false) {
            throw self::failure($link);
        }
        return $link;
    }

    protected function unlink(mixed $link): void
    {
        $link->quit();
    }

    private static function failure(\Memcached $link): \RuntimeException
    {
        $code = $link->getResultCode();
        $words = strtolower($link->getLastErrorMessage() ?: $link->getResultMessage()) . " (code $code)";
        // The library would connect again with the next request.
        return in_array($code, self::REFUSALS, true) ? new \RuntimeException($words) : new ConnectionLost($words);
    }

    public function connect(array $phase, array $told): void
    {
        [$this->link, $this->inserted] = [$this->link(), false];
    }

    public function disconnect(): void
    {
        $this->link->quit();
    }

    /** What a write came to, where `$otherwise` is what it answers to a key that is (not) there. */
    private function written(bool $done, int $otherwise): int
    {
        if ($done) {
            return DONE;
        }
        $code = $this->link->getResultCode();
        $refused = $code === \Memcached::RES_NOTSTORED || $code === \Memcached::RES_NOTFOUND || $code === \Memcached::RES_DATA_EXISTS;
        return $refused ? $otherwise : throw self::failure($this->link);
    }

    public function load(int|string $key, string $raw): int
    {
        return $this->link->set($this->rows . $key, $raw) ? DONE : throw self::failure($this->link);
    }

    public function insert(int|string $key, string $raw): int
    {
        if (!$this->inserted) {
            $this->inserted = true;
            $this->firstInserted[] = $key;
        }
        return $this->written($this->link->add($this->rows . $key, $raw), EXISTS);
    }

    public function update(int|string $key, string $raw): int
    {
        return $this->written($this->link->replace($this->rows . $key, $raw), MISSING);
    }

    public function delete(int|string $key): int
    {
        return $this->written($this->link->delete($this->rows . $key), MISSING);
    }

    /** The text protocol makes no counter: where there is none it is added, unless another was quicker. */
    public function increment(int $row): int
    {
        $name = $this->counters . $row;
        while ($this->link->increment($name) === false) {
            if ($this->link->getResultCode() !== \Memcached::RES_NOTFOUND) {
                throw self::failure($this->link);
            }
            if ($this->written($this->link->add($name, '1'), EXISTS) === DONE) {
                break;
            }
        }
        return DONE;
    }

    public function read(int|string $key): ?string
    {
        return self::item($this->link, $this->rows . $key);
    }

    private static function item(\Memcached $link, string $name): ?string
    {
        $value = $link->get($name);
        if ($value === false && $link->getResultCode() !== \Memcached::RES_NOTFOUND) {
            throw self::failure($link);
        }
        return $value === false ? null : (string) $value;
    }

    public function multiRead(array $keys): array
    {
        $names = array_map(fn (int|string $key): string => $this->rows . $key, $keys);
        $found = self::found($this->link, $names);
        return array_map(fn (string $name): ?string => $found[$name] ?? null, $names);
    }

    public function open(array $keys): array
    {
        $read = fn (\Memcached $link): array => array_map(fn ($key) => self::item($link, $this->rows . $key), $keys);
        return $this->with($read);
    }

    /** The row of a key. */
    private function row(int|string $key): int
    {
        for ($digits = 1; is_string($key) && $digits <= 10; $digits++) {
            $row = (int) substr($key, -$digits);
            if ($this->values->key($row) === $key) {
                return $row;
            }
        }
        return (int) $key;
    }

    private static function stats(\Memcached $link, ?string $kind = null): array
    {
        $all = $kind === null ? $link->getStats() : $link->getStats($kind);
        return ($all === false ? [] : current($all)) ?: throw self::failure($link);
    }

    private function stat(string $name): int
    {
        return (int) $this->with(fn (\Memcached $link) => self::stats($link)[$name]);
    }

    /** The items of so many names that are there. */
    private static function found(\Memcached $link, array $names): array
    {
        $found = $link->getMulti($names);
        return is_array($found) ? $found : throw self::failure($link);
    }

    /** Gives `$take` the names of the rows that are there, some at a time. */
    private function eachRow(\Memcached $link, callable $take): void
    {
        $ask = function (int $first, int $count) use ($link, $take): int {
            $names = array_map(fn (int $row): string => $this->rows . $this->values->key($row), range($first, $first + $count - 1));
            $found = array_map(strval(...), array_keys(self::found($link, $names)));
            $take($found);
            return count($found);
        };
        for ($row = 0; $row < $this->job['rows']; $row += self::AT_ONCE) {
            $ask($row, min(self::AT_ONCE, $this->job['rows'] - $row));
        }
        // Those of the load were asked for above.
        $next = $this->job['rows'];
        $starts = array_map($this->row(...), $this->firstInserted);
        sort($starts);
        foreach ($starts as $start) {
            $next = max($next, $start);
            for ($missing = 0; $missing < self::LONGEST_GAP; $next += self::AT_ONCE) {
                $missing = $ask($next, self::AT_ONCE) > 0 ? 0 : $missing + self::AT_ONCE;
            }
        }
    }

    /** Gives `$take` the counters that are there, some at a time. */
    private function eachCounter(\Memcached $link, callable $take): void
    {
        for ($row = 0; $row < $this->job['rows']; $row += self::AT_ONCE) {
            $rows = range($row, min($row + self::AT_ONCE, $this->job['rows']) - 1);
            $take(self::found($link, array_map(fn (int $row): string => $this->counters . $row, $rows)));
        }
    }

    public function callPing(): bool
    {
        return $this->with(fn (): bool => true);
    }

    public function callInfo(): array
    {
        return ['version' => (string) $this->with(fn (\Memcached $link) => self::stats($link)['version'])];
    }

    public function callSettings(): array
    {
        $settings = $this->with(fn (\Memcached $link) => self::stats($link, 'settings'));
        $protocol = ['protocol' => $this->binary ? 'binary' : 'text'];
        return $protocol + array_map(strval(...), array_intersect_key($settings, array_flip(self::SETTINGS)));
    }

    /** It throws items away where its memory (`-m`) is full, unless it was told to refuse new ones instead (`-M`). */
    public function callEvicts(): array
    {
        if (($this->callSettings()['evictions'] ?? '') === 'off') {
            return [];
        }
        [$limit, $used] = [$this->stat('limit_maxbytes'), $this->stat('bytes')];
        return ['policy' => "evictions on, limit_maxbytes $limit", 'room_bytes' => max(0, $limit - $used)];
    }

    public function callCreate(): bool
    {
        $this->callReset();
        $this->evicted = $this->stat('evictions');
        return true;
    }

    public function callReset(): bool
    {
        $this->with(function (\Memcached $link): void {
            $this->eachRow($link, fn (array $names) => $link->deleteMulti($names));
            $this->eachCounter($link, fn (array $counters) => $link->deleteMulti(array_keys($counters)));
        });
        return true;
    }

    /** Rows by asking for each. A server that threw items away for want of room has lost rows, whichever they were. */
    public function callCount(): array
    {
        $evicted = $this->stat('evictions') - $this->evicted;
        if ($evicted > 0) {
            throw new \RuntimeException("the server threw $evicted items away for want of memory; start it with more (-m), or with -M");
        }
        $rows = 0;
        $this->with(function (\Memcached $link) use (&$rows): void {
            $this->eachRow($link, function (array $names) use (&$rows): void {
                $rows += count($names);
            });
        });
        return ['rows' => $rows];
    }

    public function callSum(): array
    {
        $sum = 0;
        $this->with(function (\Memcached $link) use (&$sum): void {
            $this->eachCounter($link, function (array $counters) use (&$sum): void {
                $sum += array_sum(array_map(intval(...), $counters));
            });
        });
        return ['sum' => $sum];
    }

    /** Bytes of all items of the whole server. */
    public function callSize(): array
    {
        return ['bytes' => $this->stat('bytes')];
    }
}

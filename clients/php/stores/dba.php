<?php
// What the databases of the extension dba have in common that can be written at any time. A row is a record; counters are in a
// second file of the same kind.
declare(strict_types=1);
namespace Kurabe;

/** Keys of stores that know bytes alone: an int64 key is 8 bytes big-endian, a text key its bytes. */
final class KeyBytes
{
    public static function of(int|string $key): string
    {
        return is_int($key) ? pack('J', $key) : $key;
    }

    public static function key(string $bytes, bool $isText): int|string
    {
        return $isText || strlen($bytes) !== 8 ? $bytes : unpack('J', $bytes)[1];
    }
}

/** @return string[] all keys as they are stored */
function dbaKeys(mixed $file): \Generator
{
    for ($key = dba_firstkey($file); $key !== false; $key = dba_nextkey($file)) {
        yield $key;
    }
}

abstract class Dba extends Store
{
    /** Name of the handler, and of the files behind their dot. */
    protected const HANDLER = '';

    private readonly string $path;

    public function __construct(protected readonly array $job, public readonly Values $values, string $driver)
    {
        if ($driver !== 'dba') {
            throw self::unknownDriver($job, $driver);
        }
        $this->path = self::folder($job) . '/' . $job['namespace'];
    }

    /** The version of the library, which stands in the words of the handler. */
    public function version(): string
    {
        return trim(dba_handlers(true)[static::HANDLER]);
    }

    public function libraries(): array
    {
        return ['dba' => phpversion('dba'), static::HANDLER => $this->version()];
    }

    /** Whether a commit has to sync what was written. */
    abstract public function syncs(): bool;

    /** What opens a file beside its path, how, and the handler. @return int[] */
    protected function opening(): array
    {
        return [];
    }

    private function name(bool $isCounters): string
    {
        return $this->path . ($isCounters ? '-counters.' : '.') . static::HANDLER;
    }

    /** Opens the file of the rows or that of the counters: `r` to read, `c` to write. */
    public function file(bool $isCounters, string $how): mixed
    {
        return @dba_open($this->name($isCounters), $how, static::HANDLER, ...$this->opening())
            ?: throw new \RuntimeException('cannot open the database: ' . (error_get_last()['message'] ?? 'no reason is told'));
    }

    /** Does something with a file open to read. */
    public function with(bool $isCounters, callable $work): mixed
    {
        $file = $this->file($isCounters, 'r');
        try {
            return $work($file);
        } finally {
            dba_close($file);
        }
    }

    public function connect(array $phase, array $told): Lane
    {
        return new DbaLane($this, $phase);
    }

    public function callPing(): bool
    {
        return true;
    }

    public function callInfo(): array
    {
        return ['version' => $this->version()];
    }

    public function callCreate(): bool
    {
        $this->callReset();
        array_map(fn (bool $isCounters) => dba_close($this->file($isCounters, 'c')), [false, true]);
        return true;
    }

    public function callReset(): bool
    {
        foreach (glob("$this->path*." . static::HANDLER . '*') ?: [] as $path) {
            if (!unlink($path)) {
                throw new \RuntimeException('the file of the job cannot be removed');
            }
        }
        return true;
    }

    public function callCount(): array
    {
        return ['rows' => $this->with(false, fn (mixed $file): int => iterator_count(dbaKeys($file)))];
    }

    public function callSum(): array
    {
        return ['sum' => $this->with(true, function (mixed $file): int {
            $sum = 0;
            foreach (dbaKeys($file) as $key) {
                $sum += unpack('P', dba_fetch($key, $file))[1];
            }
            return $sum;
        })];
    }

    public function callSize(): array
    {
        clearstatcache();
        return ['bytes' => (int) filesize($this->name(false))];
    }
}

/** Reads a file of dba. */
abstract class DbaReader extends Lane
{
    /** The rows; not open in a phase that measures the opening. */
    protected mixed $rows = null;

    public function __construct(protected readonly Store $store)
    {
    }

    /** Does something with the rows opened anew. */
    abstract protected function withRows(callable $work): mixed;

    protected static function value(mixed $file, int|string $key): ?string
    {
        $value = dba_fetch(KeyBytes::of($key), $file);
        return $value === false ? null : $value;
    }

    public function read(int|string $key): ?string
    {
        return self::value($this->rows, $key);
    }

    public function multiRead(array $keys): array
    {
        return array_map(fn (int|string $key): ?string => self::value($this->rows, $key), $keys);
    }

    public function open(array $keys): array
    {
        return $this->withRows(fn (mixed $file): array => array_map(fn ($key) => self::value($file, $key), $keys));
    }

    public function scan(): array
    {
        $rows = [];
        foreach (dbaKeys($this->rows) as $bytes) {
            $rows[] = [KeyBytes::key($bytes, $this->store->values->textKey), dba_fetch($bytes, $this->rows)];
        }
        return $rows;
    }
}

final class DbaLane extends DbaReader
{
    /** Open where the rows are. */
    private mixed $counters = null;
    /** Files with writes that wait for a commit. */
    private array $dirty = [];

    public function __construct(Dba $store, array $phase)
    {
        parent::__construct($store);
        if (!in_array('open', $phase['operations'], true)) {
            $this->rows = $store->file(false, 'c');
            $this->counters = $store->file(true, 'c');
        }
    }

    private function put(mixed $file, string $name, string $key, string $value): void
    {
        $this->dirty[$name] = $file;
        if (!dba_replace($key, $value, $file)) {
            throw self::failure();
        }
    }

    /** The words of the library, which the extension gives as a warning. */
    private static function failure(): \RuntimeException
    {
        return new \RuntimeException(error_get_last()['message'] ?? 'the database took no row and told no reason');
    }

    public function load(int|string $key, string $raw): int
    {
        $this->put($this->rows, 'rows', KeyBytes::of($key), $raw);
        return DONE;
    }

    public function insert(int|string $key, string $raw): int
    {
        $this->dirty['rows'] = $this->rows;
        error_clear_last();
        if (dba_insert(KeyBytes::of($key), $raw, $this->rows)) {
            return DONE;
        }
        return error_get_last() === null ? EXISTS : throw self::failure();
    }

    /** The library has no write that demands an existing row: a lookup comes first. */
    public function update(int|string $key, string $raw): int
    {
        $bytes = KeyBytes::of($key);
        if (!dba_exists($bytes, $this->rows)) {
            return MISSING;
        }
        $this->put($this->rows, 'rows', $bytes, $raw);
        return DONE;
    }

    public function delete(int|string $key): int
    {
        $this->dirty['rows'] = $this->rows;
        // Some handlers tell a missing row by a warning too.
        return @dba_delete(KeyBytes::of($key), $this->rows) ? DONE : MISSING;
    }

    /** Nor has it counters: read, add, write. */
    public function increment(int $row): int
    {
        $old = self::value($this->counters, $row);
        $this->put($this->counters, 'counters', KeyBytes::of($row), pack('P', ($old === null ? 0 : unpack('P', $old)[1]) + 1));
        return DONE;
    }

    protected function withRows(callable $work): mixed
    {
        return $this->store->with(false, $work);
    }

    public function commit(): void
    {
        foreach ($this->store->syncs() ? $this->dirty : [] as $file) {
            if (!dba_sync($file)) {
                throw new \RuntimeException('the file cannot be synced');
            }
        }
        $this->dirty = [];
    }

    public function close(): void
    {
        foreach (array_filter([$this->rows, $this->counters]) as $file) {
            dba_close($file);
        }
    }
}

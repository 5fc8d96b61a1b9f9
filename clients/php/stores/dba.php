<?php
// The databases of the extension dba: a row is a record. Those that can be written at any time have counters in a
// second file of the same kind; a constant one is made once, then read.
declare(strict_types=1);
namespace Kurabe;

/** The file of the rows, and reading it. An int64 key is 8 bytes big-endian there, a text key its bytes. */
abstract class Dba extends LinkedStore
{
    protected const DRIVERS = ['dba'];
    /** Name of the handler, and of the files behind their dot. */
    protected const HANDLER = '';

    /** Path of the files without their ending. */
    protected readonly string $path;
    /** The rows; not open in a phase that measures the opening. */
    protected mixed $rows = null;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $this->path = "{$this->folder()}/{$job['namespace']}";
    }

    /** The version of the library, which stands in the words of the handler. */
    protected function version(): string
    {
        return trim(dba_handlers(true)[static::HANDLER]);
    }

    public function libraries(): array
    {
        return ['dba' => phpversion('dba'), static::HANDLER => $this->version()];
    }

    /** Opens a file, `$how` as dba has it. */
    protected function opened(string $path, string $how, int ...$more): mixed
    {
        return @dba_open($path, $how, static::HANDLER, ...$more)
            ?: throw new \RuntimeException('cannot open the database: '
                . (error_get_last()['message'] ?? 'no reason is told'));
    }

    protected function unlink(mixed $link): void
    {
        dba_close($link);
    }

    protected static function bytes(int|string $key): string
    {
        return is_int($key) ? pack('J', $key) : $key;
    }

    /** @return string[] all keys as they are stored */
    protected static function keys(mixed $file): \Generator
    {
        for ($key = dba_firstkey($file); $key !== false; $key = dba_nextkey($file)) {
            yield $key;
        }
    }

    protected static function value(mixed $file, int|string $key): ?string
    {
        $value = dba_fetch(self::bytes($key), $file);
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
        return $this->with(fn (mixed $file): array => array_map(fn ($key) => self::value($file, $key), $keys));
    }

    public function scan(): array
    {
        $rows = [];
        foreach (self::keys($this->rows) as $bytes) {
            $key = $this->values->textKey || strlen($bytes) !== 8 ? $bytes : unpack('J', $bytes)[1];
            $rows[] = [$key, dba_fetch($bytes, $this->rows)];
        }
        return $rows;
    }

    public function callInfo(): array
    {
        return ['version' => $this->version()];
    }

    public function callReset(): bool
    {
        $ending = '.' . static::HANDLER . '*';
        foreach ([...glob($this->path . $ending), ...glob("$this->path-counters$ending")] as $path) {
            if (!unlink($path)) {
                throw new \RuntimeException('the file of the job cannot be removed');
            }
        }
        return true;
    }

    public function callCount(): array
    {
        return ['rows' => $this->with(fn (mixed $file): int => iterator_count(self::keys($file)))];
    }

    public function callSize(): array
    {
        clearstatcache();
        return ['bytes' => (int) filesize("$this->path." . static::HANDLER)];
    }
}

/** One that can be written at any time. */
abstract class WritableDba extends Dba
{
    /** Open where the rows are. */
    private mixed $counters = null;
    /** Files with writes that wait for a commit. */
    private array $dirty = [];

    /** Whether a commit has to sync what was written. */
    protected function syncs(): bool
    {
        return false;
    }

    /** What opens a file beside its path, how, and the handler. @return int[] */
    protected function opening(): array
    {
        return [];
    }

    /** Opens the file of the rows or that of the counters. */
    private function file(bool $isCounters, string $how): mixed
    {
        $path = $this->path . ($isCounters ? '-counters.' : '.') . static::HANDLER;
        return $this->opened($path, $how, ...$this->opening());
    }

    protected function link(): mixed
    {
        return $this->file(false, 'r');
    }

    public function connect(array $phase, array $told): void
    {
        $this->dirty = [];
        if (!in_array('open', $phase['operations'], true)) {
            $this->rows = $this->file(false, 'c');
            $this->counters = $this->file(true, 'c');
        }
    }

    public function disconnect(): void
    {
        array_map(dba_close(...), array_filter([$this->rows, $this->counters]));
        [$this->rows, $this->counters] = [null, null];
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
        $this->put($this->rows, 'rows', self::bytes($key), $raw);
        return DONE;
    }

    public function insert(int|string $key, string $raw): int
    {
        $this->dirty['rows'] = $this->rows;
        error_clear_last();
        if (dba_insert(self::bytes($key), $raw, $this->rows)) {
            return DONE;
        }
        return error_get_last() === null ? EXISTS : throw self::failure();
    }

    /** The library has no write that demands an existing row: a lookup comes first. */
    public function update(int|string $key, string $raw): int
    {
        $bytes = self::bytes($key);
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
        return @dba_delete(self::bytes($key), $this->rows) ? DONE : MISSING;
    }

    /** Nor has it counters: read, add, write. */
    public function increment(int $row): int
    {
        $old = self::value($this->counters, $row);
        $count = $old === null ? 0 : unpack('P', $old)[1];
        $this->put($this->counters, 'counters', self::bytes($row), pack('P', $count + 1));
        return DONE;
    }

    public function commit(): void
    {
        foreach ($this->syncs() ? $this->dirty : [] as $file) {
            if (!dba_sync($file)) {
                throw new \RuntimeException('the file cannot be synced');
            }
        }
        $this->dirty = [];
    }

    public function callCreate(): bool
    {
        $this->callReset();
        dba_close($this->file(false, 'c'));
        dba_close($this->file(true, 'c'));
        return true;
    }

    public function callSum(): array
    {
        $file = $this->file(true, 'r');
        $sum = 0;
        foreach (self::keys($file) as $key) {
            $sum += unpack('P', dba_fetch($key, $file))[1];
        }
        dba_close($file);
        return ['sum' => $sum];
    }
}

/** QDBM's hash, Depot. */
final class Qdbm extends WritableDba
{
    protected const HANDLER = 'qdbm';
    protected const TAKES = ['mode'];

    private readonly string $mode;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $variant = $job['candidate']['variant'] ?? 'hash';
        if ($variant !== 'hash') {
            throw new \RuntimeException("dba has Depot alone, the variant hash of qdbm; '$variant' cannot be driven by it");
        }
        $this->mode = $job['settings']['mode'] ?? 'put';
        if (!in_array($this->mode, ['put', 'sync'], true)) {
            throw new \RuntimeException("qdbm has no mode '$this->mode' here; it has put, sync");
        }
    }

    public function capabilities(): array
    {
        return [
            'operations' => ['load', 'insert', 'read', 'update', 'delete', 'scan', 'multi-read', 'increment', 'open'],
            // A file is for one process as long as it is open to write, and a whole one has at most 2 GiB.
            'processes' => false,
            'max_value_bytes' => 1 << 30,
        ];
    }

    protected function syncs(): bool
    {
        return $this->mode === 'sync';
    }

    public function callSettings(): array
    {
        return ['mode' => $this->mode];
    }
}

/** LMDB. Each write is a transaction, which the library syncs: dba has neither a flag nor a longer transaction. */
final class Lmdb extends WritableDba
{
    protected const HANDLER = 'lmdb';
    protected const TAKES = ['flags', 'map_size'];
    // As other clients have it: address space, of which a file takes what is written. dba itself would take 1 MiB.
    private const MAP_BYTES = 1 << 40;
    private const PERMISSION = 0644;

    private readonly int $mapBytes;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $flags = $job['settings']['flags'] ?? 'none';
        if ($flags !== 'none') {
            throw new \RuntimeException("dba syncs every write to LMDB, it has no flag '$flags'; give none");
        }
        $size = $job['settings']['map_size'] ?? (string) self::MAP_BYTES;
        if (!ctype_digit($size)) {
            throw new \RuntimeException("map_size '$size' is no number of bytes; write digits only");
        }
        $this->mapBytes = (int) $size;
    }

    protected function version(): string
    {
        // "LMDB 0.9.24: (July 24, 2019)"
        return preg_match('/[0-9]+(\.[0-9]+)+/', parent::version(), $found) === 1 ? $found[0] : parent::version();
    }

    public function capabilities(): array
    {
        $operations = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'multi-read', 'open'];
        return [
            // An increment is a read and a write here, between which another process may write.
            'operations' => ($this->job['processes'] ?? 1) > 1 ? $operations : [...$operations, 'increment'],
            // With a longer one dba ends the process.
            'max_key_bytes' => 511,
            'max_value_bytes' => (1 << 32) - 1,
        ];
    }

    protected function opening(): array
    {
        return [self::PERMISSION, $this->mapBytes];
    }

    public function callSettings(): array
    {
        return ['flags' => 'none', 'map_size' => (string) $this->mapBytes];
    }
}

/** A constant database, made by another handler under another name, which it loses when the last row is committed. */
final class Tinycdb extends Dba
{
    protected const HANDLER = 'cdb';
    protected const TAKES = ['sync', 'duplicates'];

    private readonly bool $syncs;
    /** The file that is made, and how many rows it lacks. */
    private mixed $made = null;
    private int $left = 0;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $settings = $job['settings'] ?? [];
        $this->syncs = match ($settings['sync'] ?? 'no') {
            'yes' => true,
            'no' => false,
            default => throw new \RuntimeException("sync '{$settings['sync']}' is neither yes nor no"),
        };
        if (($settings['duplicates'] ?? 'keep') !== 'keep') {
            throw new \RuntimeException("duplicates '{$settings['duplicates']}' cannot be had of dba, which only adds; give keep");
        }
    }

    protected function version(): string
    {
        // A version, and then the name of a file.
        return strtok(parent::version(), ',');
    }

    public function capabilities(): array
    {
        return [
            'operations' => ['load', 'read', 'scan', 'multi-read', 'open'],
            // A whole file has at most 4 GiB.
            'max_value_bytes' => 1 << 30,
            // A file keeps each copy of a row, which the judge of the profile does not know.
            'passes' => false,
        ];
    }

    /** The finished file, open to read. It needs no lock, since it never changes. */
    protected function link(): mixed
    {
        return $this->opened("$this->path.cdb", 'r-');
    }

    public function connect(array $phase, array $told): void
    {
        if (in_array('load', $phase['operations'], true)) {
            $this->begin($told);
        } elseif (!in_array('open', $phase['operations'], true)) {
            $this->rows = $this->link();
        }
    }

    /** A load that did not come to its end is finished here, outside of any measured time. */
    public function disconnect(): void
    {
        $this->finish();
        if ($this->rows !== null) {
            dba_close($this->rows);
        }
        $this->rows = null;
    }

    private function begin(array $told): void
    {
        if ($told['worker'] > 0) {
            throw new \RuntimeException('a constant database is made by one process; load it over one connection');
        }
        if (file_exists("$this->path.cdb")) {
            throw new \RuntimeException('the file is made already, and a constant database takes no more rows');
        }
        $this->left = ($told['warmup'] ?? 0) + ($told['count'] ?? 0);
        $this->made = dba_open("$this->path.cdb.new", 'n-', 'cdb_make')
            ?: throw new \RuntimeException('the file cannot be begun');
    }

    public function load(int|string $key, string $raw): int
    {
        if (!dba_insert(self::bytes($key), $raw, $this->made)) {
            throw new \RuntimeException('cannot add a row (a file has at most 4 GiB)');
        }
        $this->left--;
        return DONE;
    }

    public function commit(): void
    {
        if ($this->left <= 0) {
            $this->finish();
        }
    }

    private function finish(): void
    {
        if ($this->made === null) {
            return;
        }
        dba_close($this->made);
        $this->made = null;
        $this->sync("$this->path.cdb.new");
        if (!rename("$this->path.cdb.new", "$this->path.cdb")) {
            throw new \RuntimeException('the finished file cannot be given its name');
        }
        $this->sync(dirname($this->path));
    }

    private function sync(string $path): void
    {
        if (!$this->syncs) {
            return;
        }
        $opened = fopen($path, 'r');
        if ($opened === false || !fsync($opened)) {
            throw new \RuntimeException('the finished file cannot be synced');
        }
        fclose($opened);
    }

    public function callSettings(): array
    {
        return ['sync' => $this->syncs ? 'yes' : 'no', 'duplicates' => 'keep'];
    }

    public function callCount(): array
    {
        return file_exists("$this->path.cdb") ? parent::callCount() : ['rows' => 0];
    }
}

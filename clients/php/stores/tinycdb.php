<?php
// Constant databases through the extension dba: made once by its handler `cdb_make`, then read by `cdb`.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/dba.php';

final class Tinycdb extends Store
{
    public readonly string $path;
    public readonly bool $syncs;

    public function __construct(private readonly array $job, public readonly Values $values, string $driver)
    {
        if ($driver !== 'dba') {
            throw self::unknownDriver($job, $driver);
        }
        self::refuseUnknown($job, ['sync', 'duplicates'], 'it has sync, duplicates');
        $settings = $job['settings'] ?? [];
        $this->syncs = match ($settings['sync'] ?? 'no') {
            'yes' => true,
            'no' => false,
            default => throw new \RuntimeException("sync '{$settings['sync']}' is neither yes nor no"),
        };
        if (($settings['duplicates'] ?? 'keep') !== 'keep') {
            throw new \RuntimeException("duplicates '{$settings['duplicates']}' cannot be had of dba, which only adds; give keep");
        }
        $this->path = self::folder($job) . "/{$job['namespace']}.cdb";
    }

    public function libraries(): array
    {
        // A version, and then the name of a file.
        return ['dba' => phpversion('dba'), 'cdb' => strtok(dba_handlers(true)['cdb'], ',')];
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

    public function connect(array $phase, array $told): Lane
    {
        return in_array('load', $phase['operations'], true) ? new CdbMaker($this, $told) : new CdbReader($this, $phase);
    }

    /** The finished file, open to read. It needs no lock, since it never changes. */
    public function reader(): mixed
    {
        return @dba_open($this->path, 'r-', 'cdb')
            ?: throw new \RuntimeException('no finished database to read from: ' . (error_get_last()['message'] ?? 'no reason is told'));
    }

    /** Does something with the finished file open. */
    public function with(callable $work): mixed
    {
        $file = $this->reader();
        try {
            return $work($file);
        } finally {
            dba_close($file);
        }
    }

    public function callPing(): bool
    {
        return true;
    }

    public function callInfo(): array
    {
        return ['version' => $this->libraries()['cdb']];
    }

    public function callSettings(): array
    {
        return ['sync' => $this->syncs ? 'yes' : 'no', 'duplicates' => 'keep'];
    }

    public function callCreate(): bool
    {
        return $this->callReset();
    }

    public function callReset(): bool
    {
        foreach ([$this->path, "$this->path.new"] as $path) {
            if (file_exists($path) && !unlink($path)) {
                throw new \RuntimeException('the file of the job cannot be removed');
            }
        }
        return true;
    }

    public function callCount(): array
    {
        $rows = fn (mixed $file): int => iterator_count(dbaKeys($file));
        return ['rows' => file_exists($this->path) ? $this->with($rows) : 0];
    }

    public function callSize(): array
    {
        clearstatcache();
        return ['bytes' => (int) filesize($this->path)];
    }
}

/** Makes the file: it gets its name when its last row is committed, and can be read then. */
final class CdbMaker extends Lane
{
    private mixed $file;
    private int $left;

    public function __construct(private readonly Tinycdb $store, array $told)
    {
        if ($told['worker'] > 0) {
            throw new \RuntimeException('a constant database is made by one process; load it over one connection');
        }
        if (file_exists($store->path)) {
            throw new \RuntimeException('the file is made already, and a constant database takes no more rows');
        }
        $this->left = ($told['warmup'] ?? 0) + ($told['count'] ?? 0);
        $this->file = dba_open("$store->path.new", 'n-', 'cdb_make') ?: throw new \RuntimeException('the file cannot be begun');
    }

    public function load(int|string $key, string $raw): int
    {
        if (!dba_insert(KeyBytes::of($key), $raw, $this->file)) {
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
        if ($this->file === null) {
            return;
        }
        dba_close($this->file);
        $this->file = null;
        if ($this->store->syncs) {
            self::sync("{$this->store->path}.new");
        }
        if (!rename("{$this->store->path}.new", $this->store->path)) {
            throw new \RuntimeException('the finished file cannot be given its name');
        }
        if ($this->store->syncs) {
            self::sync(dirname($this->store->path));
        }
    }

    private static function sync(string $path): void
    {
        $opened = fopen($path, 'r');
        if ($opened === false || !fsync($opened)) {
            throw new \RuntimeException('the finished file cannot be synced');
        }
        fclose($opened);
    }

    /** A load that did not come to its end is finished here, outside of any measured time. */
    public function close(): void
    {
        $this->finish();
    }
}

/** Reads the finished file. */
final class CdbReader extends DbaReader
{
    public function __construct(Tinycdb $store, array $phase)
    {
        parent::__construct($store);
        $this->rows = in_array('open', $phase['operations'], true) ? null : $store->reader();
    }

    protected function withRows(callable $work): mixed
    {
        return $this->store->with($work);
    }

    public function close(): void
    {
        if ($this->rows !== null) {
            dba_close($this->rows);
        }
    }
}

<?php
// QDBM through the extension dba: Depot, its hash.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/dba.php';

final class Qdbm extends Dba
{
    protected const HANDLER = 'qdbm';

    private readonly string $mode;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        self::refuseUnknown($job, ['mode'], 'dba has mode alone, and no number of buckets');
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

    public function syncs(): bool
    {
        return $this->mode === 'sync';
    }

    public function callSettings(): array
    {
        return ['mode' => $this->mode];
    }
}

<?php
// LMDB through the extension dba. Each write is a transaction of its own, which the library syncs: dba has neither a flag nor a
// longer transaction.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/dba.php';

final class Lmdb extends Dba
{
    protected const HANDLER = 'lmdb';
    /** As other clients have it: address space, of which a file takes what is written. Where nothing is told dba takes 1 MiB. */
    private const MAP_BYTES = 1 << 40;
    private const PERMISSION = 0644;

    private readonly int $mapBytes;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        self::refuseUnknown($job, ['flags', 'map_size'], 'it has flags, map_size');
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

    public function version(): string
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

    /** The library has done it. */
    public function syncs(): bool
    {
        return false;
    }

    public function callSettings(): array
    {
        return ['flags' => 'none', 'map_size' => (string) $this->mapBytes];
    }
}

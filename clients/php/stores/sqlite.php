<?php
// SQLite through PDO: one handle a connection.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/sql.php';

final class Sqlite extends SqlStore
{
    // In the order in which they must be set: a page's size before the first table, WAL before what is checked against it.
    private const PRAGMAS = [
        'page_size', 'journal_mode', 'synchronous', 'cache_size', 'mmap_size', 'wal_autocheckpoint',
    ];
    private const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
    private const TYPES = ['int64' => 'INTEGER', 'text' => 'TEXT', 'bytes' => 'BLOB'];
    protected const TAKES = [...self::PRAGMAS, 'text_type'];
    protected const DUPLICATE = 1555;
    protected const LOAD = 'INSERT OR REPLACE';

    private readonly string $dsn;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        foreach ($job['settings'] ?? [] as $name => $value) {
            if (preg_match('/^-?\w+$/D', $value) !== 1) {
                throw new \RuntimeException("setting $name cannot be '$value': a word or a number is expected");
            }
        }
        if (!in_array($this->textType(), ['TEXT', 'STRING'], true)) {
            throw new \RuntimeException("text_type cannot be '{$job['settings']['text_type']}'; it is text or string");
        }
        $this->dsn = 'sqlite:' . $this->folder() . '/data.sqlite';
    }

    private function textType(): string
    {
        return strtoupper($this->job['settings']['text_type'] ?? 'text');
    }

    public function libraries(): array
    {
        $memory = new \PDO('sqlite::memory:');
        return ['pdo_sqlite' => phpversion('pdo_sqlite'), 'sqlite' => $memory->getAttribute(\PDO::ATTR_CLIENT_VERSION)];
    }

    public function capabilities(): array
    {
        return parent::capabilities() + ['max_value_bytes' => 1_000_000_000];
    }

    /** A handle with the pragmas of the job. One that finds the file locked waits in the library. */
    protected function link(): SqlLink
    {
        $patience = max(1, intdiv($this->job['limits']['operation_ns'], 1_000_000_000));
        $options = [\PDO::ATTR_TIMEOUT => $patience, \PDO::SQLITE_ATTR_EXTENDED_RESULT_CODES => true];
        $link = new PdoLink($this->dsn, '', '', $options, 'BEGIN IMMEDIATE');
        foreach (self::PRAGMAS as $name) {
            if (isset($this->job['settings'][$name])) {
                $link->exec("PRAGMA $name = {$this->job['settings'][$name]}");
            }
        }
        return $link;
    }

    protected function snapshot(SqlLink $link): void
    {
        $link->exec('BEGIN');
        // The first read takes the snapshot.
        $link->query("SELECT {$this->columns[0]} FROM $this->table LIMIT 1");
    }

    public function callInfo(): array
    {
        [$told, $source] = $this->one('SELECT sqlite_version(), sqlite_source_id()');
        return ['version' => $told, 'source' => $source];
    }

    public function callSettings(): array
    {
        return $this->with(function (SqlLink $link): array {
            $found = [];
            foreach (self::PRAGMAS as $name) {
                // The size of the memory map is not told where it is compiled out.
                $value = $link->query("PRAGMA $name")[0][0] ?? null;
                $value = $name === 'synchronous' ? self::SYNCHRONOUS[$value] : $value;
                $found += $value === null ? [] : [$name => (string) $value];
            }
            return $found;
        });
    }

    public function callCreate(): bool
    {
        $column = fn (string $name, array $field, int $at): string => "$name " . match (true) {
            $at === 0 => self::TYPES[$field['type']] . ' PRIMARY KEY',
            $field['type'] === 'text' => $this->textType(),
            default => self::TYPES[$field['type']],
        };
        $columns = implode(', ', array_map($column, $this->columns, $this->fields, array_keys($this->fields)));
        $index = fn (string $name, int $at): string => 'CREATE INDEX '
            . $this->quoted("{$this->job['namespace']}_{$this->fields[$at]['name']}") . " ON $this->table ($name)";
        return $this->execute([
            ...$this->drop(),
            "CREATE TABLE $this->table ($columns)",
            ...array_map($index, $this->indexed(), array_keys($this->indexed())),
            "CREATE TABLE $this->counters (id INTEGER PRIMARY KEY, count INTEGER NOT NULL)",
        ]);
    }

    /** Pages of the database, those that are still in the write-ahead log too, times their size. */
    public function callSize(): array
    {
        return ['bytes' => (int) $this->one('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size')[0]];
    }

    public function callCheck(): array
    {
        $detail = (string) $this->one('PRAGMA integrity_check(1)')[0];
        return ['sound' => $detail === 'ok', 'detail' => $detail];
    }
}

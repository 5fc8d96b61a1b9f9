<?php
// PostgreSQL through PDO.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/sql.php';

final class Postgres extends SqlStore
{
    private const TYPES = ['int64' => 'BIGINT', 'text' => 'TEXT', 'bytes' => 'BYTEA'];
    protected const TAKES = ['synchronous_commit'];
    protected const DUPLICATE = '23505';
    /** A duplicate key would end a transaction, so it is asked for without an error where there is one. */
    protected const IF_NEW = ' ON CONFLICT DO NOTHING';
    /** Settings that decide what is kept and what it costs. */
    private const SETTINGS = [
        'autovacuum', 'checkpoint_timeout', 'commit_delay', 'data_checksums', 'effective_cache_size', 'fsync',
        'full_page_writes', 'huge_pages', 'io_method', 'jit', 'max_connections', 'max_wal_size', 'random_page_cost',
        'shared_buffers', 'synchronous_commit', 'transaction_read_only', 'wal_compression', 'wal_level',
        'wal_sync_method', 'wal_writer_delay',
    ];

    private readonly Address $address;
    private readonly string $dsn;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $variant = $job['candidate']['variant'] ?? 'logged';
        if (!in_array($variant, ['logged', 'unlogged'], true)) {
            throw new \RuntimeException("no variant '$variant'; there are logged, unlogged");
        }
        $this->address = Address::of($job);
        $this->dsn = $this->dsn($job['settings']['synchronous_commit'] ?? null);
    }

    private function dsn(?string $commit): string
    {
        if ($commit !== null && preg_match('/^\w+$/D', $commit) !== 1) {
            throw new \RuntimeException("setting synchronous_commit cannot be '$commit': one word is expected");
        }
        $at = $this->address;
        $parts = [
            'host' => $at->host !== '' ? $at->host : ($at->query['host'] ?? '127.0.0.1'),
            'port' => (string) ($at->port ?? $at->query['port'] ?? 5432),
            'dbname' => ltrim($at->path, '/'),
            'connect_timeout' => '30',
            'options' => '-c client_min_messages=warning' . ($commit === null ? '' : " -c synchronous_commit=$commit"),
        ];
        $quoted = fn (string $name): string => "$name='" . addcslashes($parts[$name], "'\\") . "'";
        return 'pgsql:' . implode(';', array_map($quoted, array_keys(array_filter($parts, fn ($part) => $part !== ''))));
    }

    public function libraries(): array
    {
        return ['pdo_pgsql' => phpversion('pdo_pgsql')] + (defined('PGSQL_LIBPQ_VERSION') ? ['libpq' => PGSQL_LIBPQ_VERSION] : []);
    }

    public function capabilities(): array
    {
        // A load inserts: it is refused where the row is there.
        return parent::capabilities() + ['passes' => false, 'max_value_bytes' => (1 << 30) - 1024];
    }

    protected function link(): SqlLink
    {
        return new PdoLink($this->dsn, $this->address->user, $this->address->password, []);
    }

    protected function snapshot(SqlLink $link): void
    {
        $link->exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    }

    protected function endsTransaction(int|string|null $code): bool
    {
        return true;
    }

    public function callInfo(): array
    {
        [$told, $build] = $this->one("SELECT current_setting('server_version'), version()");
        return ['version' => $told, 'build' => $build];
    }

    public function callSettings(): array
    {
        return $this->with(function (SqlLink $link): array {
            $names = self::listed(self::SETTINGS);
            $found = array_column($link->query("SELECT name, current_setting(name) FROM pg_settings WHERE name IN ($names)"), 1, 0);
            $kind = $link->query("SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass({$this->text($this->table)})");
            return $found + ($kind === [] ? [] : ['relpersistence' => $kind[0][0]]);
        });
    }

    private function text(string $words): string
    {
        return "'" . str_replace("'", "''", $words) . "'";
    }

    public function callCreate(): bool
    {
        $kind = ($this->job['candidate']['variant'] ?? '') === 'unlogged' ? 'UNLOGGED TABLE' : 'TABLE';
        // Text is compared by bytes, as in the other stores.
        $column = fn (string $name, array $field, int $at): string => "$name " . self::TYPES[$field['type']]
            . ($field['type'] === 'text' ? ' COLLATE "C"' : '') . ($at === 0 ? ' PRIMARY KEY' : ' NOT NULL');
        $columns = implode(', ', array_map($column, $this->columns, $this->fields, array_keys($this->fields)));
        return $this->execute([
            ...$this->drop(),
            "CREATE $kind $this->table ($columns)",
            ...array_map(fn (string $name): string => "CREATE INDEX ON $this->table ($name)", $this->indexed()),
            "CREATE $kind $this->counters (id BIGINT PRIMARY KEY, count BIGINT NOT NULL)",
        ]);
    }

    public function callSize(): array
    {
        return ['bytes' => (int) $this->one("SELECT pg_total_relation_size({$this->text($this->table)})")[0]];
    }
}

<?php
// MySQL, and what speaks as it does, through PDO, Doctrine DBAL or PEAR DB.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/sql.php';

final class Mysql extends SqlStore
{
    /** Which of them a server has it tells itself. */
    private const ENGINES = [
        'innodb' => 'InnoDB', 'myisam' => 'MyISAM', 'aria' => 'Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE',
        'rocksdb' => 'ROCKSDB', 'archive' => 'ARCHIVE', 'blackhole' => 'BLACKHOLE',
    ];
    /** What engines can do that cannot do everything. */
    private const PARTS = [
        'archive' => ['load', 'insert', 'read', 'scan', 'latest', 'multi-read', 'open'],
        // An increment is the UPDATE, which meets no row.
        'blackhole' => ['load', 'insert', 'increment'],
    ];
    protected const DRIVERS = ['pdo', 'dbal', 'pear-db'];
    protected const QUOTE = '`';
    protected const DUPLICATE = 1062;
    protected const INCREMENT = 'VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1';
    private const DEADLOCK = 1213;
    private const RETRIES = 1000;
    /** Longest field that is made VARCHAR or VARBINARY, and what all of these may hold; a character of text counts four. */
    private const SHORT_BYTES = 255;
    private const SHORT_FIELDS_BYTES = 60_000;
    /** Settings that decide what is kept and what it costs. */
    private const SETTINGS = [
        'aria_group_commit', 'aria_pagecache_buffer_size', 'aria_sync_log_dir', 'binlog_format', 'binlog_row_image',
        'delay_key_write', 'innodb_adaptive_hash_index', 'innodb_buffer_pool_size', 'innodb_change_buffering',
        'innodb_doublewrite', 'innodb_flush_log_at_timeout', 'innodb_flush_log_at_trx_commit', 'innodb_flush_method',
        'innodb_io_capacity', 'innodb_log_buffer_size', 'innodb_log_file_size', 'innodb_redo_log_capacity',
        'innodb_use_fdatasync', 'key_buffer_size', 'log_bin', 'max_allowed_packet', 'max_connections',
        'myisam_recover_options', 'performance_schema', 'read_only', 'rocksdb_block_cache_size',
        'rocksdb_flush_log_at_trx_commit', 'rocksdb_manual_wal_flush', 'rocksdb_write_disable_wal', 'sync_binlog',
        'transaction_isolation', 'tx_isolation',
    ];
    /** Begins every session, whatever the mode of the server is; row 0 of an archive keeps its number. */
    private const SESSION = "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,"
        . "ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'";

    private readonly string $variant;
    private readonly Address $address;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $this->address = Address::of($job);
        $this->variant = $job['candidate']['variant'] ?? 'innodb';
        if (!isset(self::ENGINES[$this->variant])) {
            $known = implode(', ', array_keys(self::ENGINES));
            $store = $job['candidate']['store'];
            throw new \RuntimeException("the PHP client has no variant '$this->variant' of $store; it has $known");
        }
        if ($driver !== 'pdo') {
            require_once $driver === 'dbal' ? 'Doctrine/DBAL/autoload.php' : 'DB.php';
        }
        // A server that does not answer at all is not waited for for a day.
        ini_set('mysqlnd.net_read_timeout', (string) (2 + intdiv($job['limits']['operation_ns'], 1_000_000_000)));
    }

    public function libraries(): array
    {
        $layer = match ($this->driver) {
            'pdo' => ['pdo_mysql' => phpversion('pdo_mysql')],
            'dbal' => ['doctrine-dbal' => self::dbalVersion(), 'pdo_mysql' => phpversion('pdo_mysql')],
            'pear-db' => ['pear-db' => (new \DB())->apiVersion(), 'mysqli' => phpversion('mysqli')],
        };
        return $layer + ['mysqlnd' => str_replace('mysqlnd ', '', phpversion('mysqlnd'))];
    }

    /** It tells none itself; Composer does where it installed it, else the package manager. */
    private static function dbalVersion(): string
    {
        if (class_exists(\Composer\InstalledVersions::class) && \Composer\InstalledVersions::isInstalled('doctrine/dbal')) {
            return (string) \Composer\InstalledVersions::getPrettyVersion('doctrine/dbal');
        }
        $asked = "dpkg-query -W -f='\${source:Upstream-Version}' php-doctrine-dbal 2>/dev/null";
        return trim((string) shell_exec($asked)) ?: 'unknown';
    }

    public function capabilities(): array
    {
        $isArchive = $this->variant === 'archive';
        $operations = self::PARTS[$this->variant] ?? parent::capabilities()['operations'];
        if ($isArchive && $this->hasInts() && $this->indexed() === []) {
            $operations[] = 'search';
        }
        $hasTransactions = in_array($this->variant, ['innodb', 'rocksdb'], true);
        return [
            'operations' => $operations,
            // The one index that an archive can have is on a number that counts up.
            ...($isArchive ? ['key_types' => ['int64']] : []),
            'insert' => isset(self::PARTS[$this->variant]) ? 'upsert' : 'exists',
            ...($hasTransactions ? [] : ['transactions' => false, 'read_scopes' => ['each']]),
            // A load inserts: it is refused where the row is there.
            'passes' => false,
            'max_value_bytes' => 60 << 20,
        ] + parent::capabilities();
    }

    protected function link(): SqlLink
    {
        $at = $this->address;
        // The libraries take the name localhost for a socket.
        $host = $at->host === 'localhost' ? '127.0.0.1' : $at->host;
        $socket = $at->query['socket'] ?? null;
        $database = ltrim($at->path, '/');
        $port = $at->port ?? 3306;
        if ($this->driver === 'pear-db') {
            $where = $socket === null ? ['protocol' => 'tcp', 'hostspec' => $host, 'port' => $port]
                : ['protocol' => 'unix', 'hostspec' => 'localhost', 'socket' => $socket];
            $link = new PearLink($where + [
                'phptype' => 'mysqli', 'username' => $at->user, 'password' => $at->password, 'database' => $database,
            ]);
            $link->exec(self::SESSION);
            return $link;
        }
        // An update that leaves a row as it was met it too.
        $options = [\PDO::MYSQL_ATTR_FOUND_ROWS => true, \PDO::MYSQL_ATTR_INIT_COMMAND => self::SESSION, \PDO::ATTR_TIMEOUT => 30];
        if ($this->driver === 'dbal') {
            $where = $socket === null ? ['host' => $host, 'port' => $port] : ['unix_socket' => $socket];
            return new DbalLink($where + [
                'driver' => 'pdo_mysql', 'user' => $at->user, 'password' => $at->password, 'dbname' => $database,
                'charset' => 'utf8mb4', 'driverOptions' => $options + [\PDO::ATTR_EMULATE_PREPARES => false],
            ]);
        }
        $where = $socket === null ? "host=$host;port=$port" : "unix_socket=$socket";
        return new PdoLink("mysql:$where;dbname=$database;charset=utf8mb4", $at->user, $at->password, $options);
    }

    protected function snapshot(SqlLink $link): void
    {
        $link->exec('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    }

    public function lost(\Throwable $error): bool
    {
        // DBAL would connect again.
        return parent::lost($error) || $error instanceof \Doctrine\DBAL\Exception\ConnectionLost;
    }

    /** In a longer transaction an UPDATE that meets no row locks the gap, and others that make counters there wait for it. */
    protected function addsFirst(): bool
    {
        return !$this->together;
    }

    protected function keepsCounters(): bool
    {
        return $this->variant !== 'blackhole';
    }

    /** Connections that make the same counters may deadlock; where the statement is its own transaction it is tried again. */
    public function increment(int $row): int
    {
        for ($turn = 0; ; $turn++) {
            try {
                return parent::increment($row);
            } catch (\Throwable $error) {
                if ($this->together || $turn >= self::RETRIES || $this->link->code($error) !== self::DEADLOCK) {
                    throw $error;
                }
            }
        }
    }

    public function callInfo(): array
    {
        [$told, $build] = $this->one('SELECT VERSION(), @@version_comment');
        return ['version' => $told, 'build' => $build];
    }

    private function engine(SqlLink $link): ?string
    {
        $where = "table_schema = DATABASE() AND table_name = '{$this->job['namespace']}'";
        $engine = $link->query("SELECT engine FROM information_schema.tables WHERE $where")[0][0] ?? null;
        return $engine === null ? null : strtolower($engine);
    }

    public function callSettings(): array
    {
        return $this->with(function (SqlLink $link): array {
            $names = self::listed(self::SETTINGS);
            $rows = [
                ...$link->query("SHOW GLOBAL VARIABLES WHERE variable_name IN ($names)"),
                ...$link->query("SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'"),
            ];
            $found = array_map(strval(...), array_column($rows, 1, 0));
            return array_change_key_case($found) + array_filter(['engine' => $this->engine($link)]);
        });
    }

    /** A server that lacks an engine may take another in its place, so the table is looked at again. */
    public function callCreate(): bool
    {
        $this->execute([...$this->drop(), ...$this->definitions()]);
        $engine = $this->with($this->engine(...)) ?? 'none';
        if ($engine !== $this->variant) {
            $this->callReset();
            throw new \RuntimeException("the server made a table of engine $engine where $this->variant was asked for; "
                . 'SHOW ENGINES tells what it has');
        }
        return true;
    }

    /** Statements that make the tables. */
    private function definitions(): array
    {
        $engine = 'ENGINE=' . self::ENGINES[$this->variant];
        $types = array_map($this->type(...), $this->fields, array_keys($this->fields));
        $columns = array_map(fn ($column, $type): string => "$column $type NOT NULL", $this->columns, $types);
        $key = "KEY ({$this->columns[0]})";
        if ($this->variant === 'archive') {
            $columns[0] .= ' AUTO_INCREMENT';
            $keys = [$key];
        } else {
            $keys = ["PRIMARY $key", ...array_map(fn (string $column): string => "KEY ($column)", $this->indexed())];
        }
        $parts = implode(', ', [...$columns, ...$keys]);
        $rows = "CREATE TABLE $this->table ($parts) $engine CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
        $counters = "CREATE TABLE $this->counters (id BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (id)) $engine";
        return $this->variant === 'archive' ? [$rows] : [$rows, $counters];
    }

    private function type(array $field, int $at): string
    {
        if ($field['type'] === 'int64') {
            return 'BIGINT';
        }
        if ($at === 0) {
            $key = $this->values->key(0);
            $isAscii = preg_match('/^[\x00-\x7f]*$/D', $key) === 1;
            return sprintf($isAscii ? 'VARCHAR(%d) CHARACTER SET ascii COLLATE ascii_bin' : 'VARBINARY(%d)', strlen($key));
        }
        $isText = $field['type'] === 'text';
        $len = $field['len_bytes'] ?? 0;
        if ($len <= self::SHORT_BYTES && $this->shortFit()) {
            return sprintf($isText ? 'VARCHAR(%d)' : 'VARBINARY(%d)', max(1, $len));
        }
        $size = $len <= 0xffff ? '' : ($len < 1 << 24 ? 'MEDIUM' : 'LONG');
        return $size . ($isText ? 'TEXT' : 'BLOB');
    }

    /** Whether all short fields fit into a row. */
    private function shortFit(): bool
    {
        $bytes = function (array $field): int {
            $len = $field['len_bytes'] ?? 0;
            return $len > self::SHORT_BYTES ? 0 : ($field['type'] === 'text' ? 4 * $len : $len);
        };
        return array_sum(array_map($bytes, array_slice($this->fields, 1))) <= self::SHORT_FIELDS_BYTES;
    }

    public function callCount(): ?array
    {
        return $this->variant === 'blackhole' ? null : parent::callCount();
    }

    public function callSum(): ?array
    {
        return isset(self::PARTS[$this->variant]) ? null : parent::callSum();
    }
}

/** Doctrine DBAL, above PDO. */
final class DbalLink implements SqlLink
{
    private readonly \Doctrine\DBAL\Connection $connection;

    public function __construct(array $parameters)
    {
        $this->connection = \Doctrine\DBAL\DriverManager::getConnection($parameters);
        // It connects with its first request.
        $this->connection->getNativeConnection();
    }

    public function exec(string $sql): void
    {
        $this->connection->executeStatement($sql);
    }

    public function query(string $sql): array
    {
        return $this->connection->executeQuery($sql)->fetchAllNumeric();
    }

    public function prepare(string $sql, array $types): Prepared
    {
        return new DbalPrepared($this->connection->prepare($sql), $types);
    }

    public function begin(): void
    {
        $this->connection->beginTransaction();
    }

    public function commit(): void
    {
        $this->connection->commit();
    }

    public function rollBack(): void
    {
        $this->connection->rollBack();
    }

    public function code(\Throwable $error): int|string|null
    {
        return $error instanceof \Doctrine\DBAL\Exception\DriverException ? $error->getCode() : null;
    }

    public function close(): void
    {
        $this->connection->close();
    }
}

final class DbalPrepared implements Prepared
{
    private const KINDS = [
        'int64' => \Doctrine\DBAL\ParameterType::INTEGER,
        'text' => \Doctrine\DBAL\ParameterType::STRING,
        'bytes' => \Doctrine\DBAL\ParameterType::BINARY,
    ];

    private readonly array $kinds;

    public function __construct(private readonly \Doctrine\DBAL\Statement $statement, array $types)
    {
        $this->kinds = array_map(fn (string $type): int => self::KINDS[$type], $types);
    }

    private function bind(array $values): void
    {
        foreach ($values as $at => $value) {
            $this->statement->bindValue($at + 1, $value, $this->kinds[$at]);
        }
    }

    public function rows(array $values): array
    {
        $this->bind($values);
        return $this->statement->executeQuery()->fetchAllNumeric();
    }

    public function matched(array $values): int
    {
        $this->bind($values);
        return (int) $this->statement->executeStatement();
    }
}

/** PEAR DB, above mysqli. It writes values into the text of a statement by itself. */
final class PearLink implements SqlLink
{
    public readonly \DB_common $db;

    public function __construct(array $dsn)
    {
        // Errors are told by the layer, as objects.
        mysqli_report(MYSQLI_REPORT_OFF);
        $db = \DB::connect($dsn, ['persistent' => false]);
        if (\DB::isError($db)) {
            throw new \RuntimeException('cannot connect: ' . (mysqli_connect_error() ?? $db->getMessage()));
        }
        $this->db = $db;
        mysqli_set_charset($db->connection, 'utf8mb4');
    }

    /** An answer of the layer, which may be an error. */
    public function told(mixed $answer): mixed
    {
        if (!\DB::isError($answer)) {
            return $answer;
        }
        $connection = $this->db->connection;
        $words = mysqli_error($connection);
        throw new \RuntimeException($words === '' ? $answer->getMessage() : $words, mysqli_errno($connection));
    }

    public function exec(string $sql): void
    {
        $this->told($this->db->query($sql));
    }

    public function query(string $sql): array
    {
        return $this->told($this->db->getAll($sql, [], DB_FETCHMODE_ORDERED));
    }

    public function prepare(string $sql, array $types): Prepared
    {
        return new PearPrepared($this, $this->told($this->db->prepare($sql)));
    }

    public function begin(): void
    {
        $this->told($this->db->autoCommit(false));
    }

    public function commit(): void
    {
        $this->told($this->db->commit());
        $this->db->autoCommit(true);
    }

    public function rollBack(): void
    {
        $this->told($this->db->rollback());
        $this->db->autoCommit(true);
    }

    public function code(\Throwable $error): int|string|null
    {
        return $error->getCode();
    }

    public function close(): void
    {
        $this->db->disconnect();
    }
}

final class PearPrepared implements Prepared
{
    public function __construct(private readonly PearLink $link, private readonly int $statement) {}

    public function rows(array $values): array
    {
        $result = $this->link->told($this->link->db->execute($this->statement, $values));
        $rows = [];
        while (is_array($row = $this->link->told($result->fetchRow(DB_FETCHMODE_ORDERED)))) {
            $rows[] = $row;
        }
        $result->free();
        return $rows;
    }

    public function matched(array $values): int
    {
        $this->link->told($this->link->db->execute($this->statement, $values));
        $affected = $this->link->db->affectedRows();
        // It counts rows that were changed; an update that left a row as it was met it too.
        if ($affected === 0 && preg_match('/matched: (\d+)/', mysqli_info($this->link->db->connection) ?? '', $found) === 1) {
            return (int) $found[1];
        }
        return (int) $affected;
    }
}

<?php
// MySQL and MariaDB through PDO, Doctrine DBAL or PEAR DB.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/sql.php';

final class Mysql extends SqlStore
{
    private const ENGINES = [
        'mysql' => ['innodb' => 'InnoDB', 'myisam' => 'MyISAM', 'archive' => 'ARCHIVE', 'blackhole' => 'BLACKHOLE'],
        'mariadb' => [
            'innodb' => 'InnoDB', 'myisam' => 'MyISAM', 'aria' => 'Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE',
            'rocksdb' => 'ROCKSDB', 'archive' => 'ARCHIVE', 'blackhole' => 'BLACKHOLE',
        ],
    ];
    /** What engines can do that cannot do everything. */
    private const PARTS = [
        'archive' => ['load', 'insert', 'read', 'scan', 'latest', 'multi-read', 'open'],
        'blackhole' => ['load', 'insert'],
    ];
    private const DUPLICATE = 1062;
    private const DEADLOCK = 1213;
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
        parent::__construct($job, $values, $driver, '`');
        $this->address = Address::of($job);
        $store = $job['candidate']['store'];
        $this->variant = $job['candidate']['variant'] ?? 'innodb';
        if (!isset(self::ENGINES[$store][$this->variant])) {
            $known = implode(', ', array_keys(self::ENGINES[$store]));
            throw new \RuntimeException("the PHP client has no variant '$this->variant' of $store; it has $known");
        }
        self::refuseUnknown($job, [], 'give the server arguments');
        match ($driver) {
            'pdo' => null,
            'dbal' => require_once 'Doctrine/DBAL/autoload.php',
            'pear-db' => require_once 'DB.php',
            default => throw self::unknownDriver($job, $driver),
        };
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
        $transactions = in_array($this->variant, ['innodb', 'rocksdb'], true);
        $operations = self::PARTS[$this->variant] ?? $this->operations();
        if ($this->variant === 'archive' && $this->table->hasInts() && $this->table->indexed() === []) {
            $operations[] = 'search';
        }
        return [
            'operations' => $operations,
            // The one index that an archive can have is on a number that counts up.
            ...($this->variant === 'archive' ? ['key_types' => ['int64']] : []),
            'insert' => isset(self::PARTS[$this->variant]) ? 'upsert' : 'exists',
            'transactions' => $transactions,
            'read_scopes' => $transactions ? ['each', 'snapshot'] : ['each'],
            // A load inserts: it is refused where the row is there.
            'passes' => false,
            'max_value_bytes' => 60 << 20,
        ];
    }

    public function link(): SqlLink
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

    public function connect(array $phase, array $told): Lane
    {
        $link = $this->link();
        if ($phase['read_scope'] === 'snapshot') {
            $link->exec('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
        }
        return new MysqlLane($this, $link, $phase);
    }

    public function lost(\Throwable $error): bool
    {
        // DBAL would connect again.
        return parent::lost($error) || $error instanceof \Doctrine\DBAL\Exception\ConnectionLost;
    }

    public function increment(): string
    {
        return "INSERT INTO {$this->table->counters} VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1";
    }

    public function isDuplicate(int|string|null $code): bool
    {
        return $code === self::DUPLICATE;
    }

    public function isDeadlock(int|string|null $code): bool
    {
        return $code === self::DEADLOCK;
    }

    public function callInfo(): array
    {
        [$told, $build] = $this->one('SELECT VERSION(), @@version_comment');
        $isMariadb = stripos("$told $build", 'mariadb') !== false;
        if ($isMariadb !== ($this->job['candidate']['store'] === 'mariadb')) {
            $other = $isMariadb ? 'MariaDB' : 'MySQL';
            throw new \RuntimeException("the server is $other; for it there is the store '" . strtolower($other) . "'");
        }
        return ['version' => $told, 'build' => $build];
    }

    private function engine(SqlLink $link): ?string
    {
        $where = "table_schema = DATABASE() AND table_name = '{$this->table->plain}'";
        $engine = $link->query("SELECT engine FROM information_schema.tables WHERE $where")[0][0] ?? null;
        return $engine === null ? null : strtolower($engine);
    }

    public function callSettings(): array
    {
        return $this->with(function (SqlLink $link): array {
            $names = implode(', ', array_map(fn (string $name): string => "'$name'", self::SETTINGS));
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
        $this->with(function (SqlLink $link): void {
            $this->drop($link);
            array_map($link->exec(...), $this->definitions());
            $engine = $this->engine($link) ?? 'none';
            if ($engine !== $this->variant) {
                $this->drop($link);
                throw new \RuntimeException("the server made a table of engine $engine where $this->variant was asked for; "
                    . 'SHOW ENGINES tells what it has');
            }
        });
        return true;
    }

    /** Statements that make the tables. */
    private function definitions(): array
    {
        $table = $this->table;
        $engine = 'ENGINE=' . self::ENGINES[$this->job['candidate']['store']][$this->variant];
        $types = array_map($this->type(...), $table->fields, array_keys($table->fields));
        $columns = array_map(fn (string $column, string $type): string => "$column $type NOT NULL", $table->columns, $types);
        if ($this->variant === 'archive') {
            $columns[0] .= ' AUTO_INCREMENT';
            $keys = ["KEY ($table->key)"];
        } else {
            $keys = ["PRIMARY KEY ($table->key)", ...array_map(fn (string $column): string => "KEY ($column)", $table->indexed())];
        }
        $parts = implode(', ', [...$columns, ...array_values($keys)]);
        $rows = "CREATE TABLE $table->name ($parts) $engine CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
        $counters = "CREATE TABLE $table->counters (id BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (id)) $engine";
        return isset(self::PARTS[$this->variant]) ? [$rows] : [$rows, $counters];
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
        return array_sum(array_map($bytes, array_slice($this->table->fields, 1))) <= self::SHORT_FIELDS_BYTES;
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

final class MysqlLane extends SqlLane
{
    private const RETRIES = 1000;

    /** Connections that make the same counters may deadlock; where the statement is its own transaction it is tried again. */
    public function increment(int $row): int
    {
        for ($turn = 0; ; $turn++) {
            try {
                return parent::increment($row);
            } catch (\Throwable $error) {
                if ($this->together || $turn >= self::RETRIES || !$this->store->isDeadlock($this->link->code($error))) {
                    throw $error;
                }
            }
        }
    }
}

<?php
// What stores that speak a kind of SQL have in common: statements, calls, the operations of the connection, and PDO.
declare(strict_types=1);
namespace Kurabe;

/** A store by its table: one column a field, the key first. All places of statements are `?`. */
abstract class SqlStore extends LinkedStore
{
    protected const DRIVERS = ['pdo'];
    /** The quotation mark of names, and the code of an error which means that the key is there already. */
    protected const QUOTE = '"';
    protected const DUPLICATE = 0;
    /** How a row is loaded, what ends an insert that is one of several in a transaction, how 1 is added to a counter or it is made. */
    protected const LOAD = 'INSERT';
    protected const IF_NEW = '';
    protected const INCREMENT = 'AS c VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET count = c.count + 1';

    protected readonly array $fields;
    protected readonly string $table;
    protected readonly string $counters;
    protected readonly array $columns;
    /** Types of all columns, and texts of statements by operations; `many` lacks its places. */
    private readonly array $types;
    private readonly array $sql;

    /** The connection of the worker. */
    protected ?SqlLink $link = null;
    /** @var array<string, Prepared> its statements */
    private array $statements = [];
    /** Those of multi-reads, by their number of keys, which nothing tells before. */
    private array $many = [];
    protected bool $together = false;
    private bool $isOpen = false;
    /** What rolled writes back since the last commit, which the next one tells. */
    private ?\Throwable $cause = null;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $this->fields = $job['schema']['fields'];
        $this->types = array_column($this->fields, 'type');
        $this->table = $this->quoted($job['namespace']);
        $this->counters = $this->quoted("{$job['namespace']}_counters");
        $this->columns = array_map(fn (array $field): string => $this->quoted($field['name']), $this->fields);
        $this->sql = $this->texts();
    }

    private function texts(): array
    {
        [$key, $rest] = [$this->columns[0], array_slice($this->columns, 1)];
        $all = implode(', ', $this->columns);
        $places = implode(', ', array_fill(0, count($this->columns), '?'));
        $scan = "SELECT $all FROM $this->table";
        return [
            'load' => static::LOAD . " INTO $this->table ($all) VALUES ($places)",
            'insert' => "INSERT INTO $this->table ($all) VALUES ($places)",
            'read' => 'SELECT ' . implode(', ', $rest) . " FROM $this->table WHERE $key = ?",
            'update' => "UPDATE $this->table SET " . implode(' = ?, ', $rest) . " = ? WHERE $key = ?",
            'delete' => "DELETE FROM $this->table WHERE $key = ?",
            'scan' => $scan,
            'latest' => "$scan ORDER BY $key DESC LIMIT ?",
            'many' => "$scan WHERE $key IN ",
            'make' => "INSERT INTO $this->counters " . static::INCREMENT,
            'add' => "UPDATE $this->counters SET count = count + 1 WHERE id = ?",
        ];
    }

    protected function quoted(string $name): string
    {
        return static::QUOTE . str_replace(static::QUOTE, static::QUOTE . static::QUOTE, $name) . static::QUOTE;
    }

    /** Whether an increment is an UPDATE, and makes its counter only where that met none. */
    protected function addsFirst(): bool
    {
        return false;
    }

    /** Columns that have an index. */
    protected function indexed(): array
    {
        $fields = array_filter($this->fields, fn (array $field): bool => $field['indexed'] ?? false);
        return array_intersect_key($this->columns, $fields);
    }

    protected function hasInts(): bool
    {
        return in_array('int64', array_slice($this->types, 1), true);
    }

    /** Whether a counter is there once it was made. */
    protected function keepsCounters(): bool
    {
        return true;
    }

    abstract protected function link(): SqlLink;

    protected function unlink(mixed $link): void
    {
        $link->close();
    }

    /** Begins a transaction in which all reads see one snapshot. */
    abstract protected function snapshot(SqlLink $link): void;

    /** Whether an error ends the transaction that it happens in, and not the statement alone. */
    protected function endsTransaction(int|string|null $code): bool
    {
        return $code !== static::DUPLICATE;
    }

    public function keepsColumns(): bool
    {
        return true;
    }

    public function capabilities(): array
    {
        $all = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment', 'open'];
        return [
            'operations' => $this->hasInts() ? [...$all, 'search'] : $all,
            'transactions' => true,
            'read_scopes' => ['each', 'snapshot'],
        ];
    }

    public function connect(array $phase, array $told): void
    {
        [$this->together, $this->isOpen, $this->cause] = [$phase['commit_every'] > 1, false, null];
        $this->link = $this->link();
        if ($phase['read_scope'] === 'snapshot') {
            $this->snapshot($this->link);
        }
        [$types, $sql, $key] = [$this->types, $this->sql, $this->types[0]];
        $all = [
            'load' => [$sql['load'], $types],
            'insert' => [$sql['insert'] . ($this->together ? static::IF_NEW : ''), $types],
            'read' => [$sql['read'], [$key]],
            'update' => [$sql['update'], [...array_slice($types, 1), $key]],
            'delete' => [$sql['delete'], [$key]],
            'scan' => [$sql['scan'], []],
            'latest' => [$sql['latest'], ['int64']],
            'increment' => [$sql[$this->addsFirst() ? 'add' : 'make'], ['int64']],
        ];
        if (isset($phase['search_field'])) {
            $searched = $this->columns[$phase['search_field']];
            $all['search'] = ["{$sql['scan']} WHERE $searched BETWEEN ? AND ?", ['int64', 'int64']];
        }
        foreach (array_intersect_key($all, array_flip($phase['operations'])) as $operation => [$text, $places]) {
            $this->statements[$operation] = $this->link->prepare($text, $places);
        }
    }

    public function disconnect(): void
    {
        [$this->statements, $this->many] = [[], []];
        $this->link->close();
    }

    /** Does a write, in a transaction where writes are committed together; how many rows it met. */
    private function write(string $name, array $values): int
    {
        if ($this->together && !$this->isOpen) {
            $this->link->begin();
            $this->isOpen = true;
        }
        try {
            return $this->statements[$name]->matched($values);
        } catch (\Throwable $error) {
            if ($this->isOpen && $this->endsTransaction($this->link->code($error))) {
                $this->cause = $error;
                $this->rollBack();
            }
            throw $error;
        }
    }

    private function rollBack(): void
    {
        $this->isOpen = false;
        try {
            $this->link->rollBack();
        } catch (\Throwable) {
            // A connection that cannot even roll back fails in the next statement.
        }
    }

    public function commit(): void
    {
        [$cause, $this->cause] = [$this->cause, null];
        if ($this->isOpen) {
            try {
                $this->link->commit();
                $this->isOpen = false;
            } catch (\Throwable $error) {
                $this->rollBack();
                throw $error;
            }
        }
        if ($cause !== null) {
            throw new \RuntimeException('writes of this transaction were rolled back after: ' . $cause->getMessage());
        }
    }

    public function load(int|string $key, array $fields): int
    {
        $this->write('load', [$key, ...$fields]);
        return DONE;
    }

    public function insert(int|string $key, array $fields): int
    {
        try {
            return $this->write('insert', [$key, ...$fields]) > 0 ? DONE : EXISTS;
        } catch (\Throwable $error) {
            return $this->link->code($error) === static::DUPLICATE ? EXISTS : throw $error;
        }
    }

    public function update(int|string $key, array $fields): int
    {
        $fields[] = $key;
        return $this->write('update', $fields) > 0 ? DONE : MISSING;
    }

    public function delete(int|string $key): int
    {
        return $this->write('delete', [$key]) > 0 ? DONE : MISSING;
    }

    public function increment(int $row): int
    {
        if ($this->write('increment', [$row]) === 0 && $this->keepsCounters()) {
            // Another connection may make it first: the statement adds to it then.
            $this->statements['make'] ??= $this->link->prepare($this->sql['make'], ['int64']);
            $this->write('make', [$row]);
        }
        return DONE;
    }

    public function read(int|string $key): ?array
    {
        return $this->statements['read']->rows([$key])[0] ?? null;
    }

    /** Rows as pairs of key and fields. */
    private static function pairs(array $rows): array
    {
        foreach ($rows as &$row) {
            $key = array_shift($row);
            $row = [$key, $row];
        }
        return $rows;
    }

    public function scan(): array
    {
        return self::pairs($this->statements['scan']->rows([]));
    }

    public function latest(int $rows): array
    {
        return self::pairs($this->statements['latest']->rows([$rows]));
    }

    public function search(int $least, int $greatest): array
    {
        return self::pairs($this->statements['search']->rows([$least, $greatest]));
    }

    public function multiRead(array $keys): array
    {
        $count = count($keys);
        $this->many[$count] ??= $this->link->prepare(
            $this->sql['many'] . '(' . implode(', ', array_fill(0, $count, '?')) . ')',
            array_fill(0, $count, $this->types[0]),
        );
        $found = array_column(self::pairs($this->many[$count]->rows($keys)), 1, 0);
        return array_map(fn (int|string $key): ?array => $found[$key] ?? null, $keys);
    }

    public function open(array $keys): array
    {
        return $this->with(function (SqlLink $link) use ($keys): array {
            $read = $link->prepare($this->sql['read'], [$this->types[0]]);
            return array_map(fn (int|string $key): ?array => $read->rows([$key])[0] ?? null, $keys);
        });
    }

    /** The first row of an answer. */
    protected function one(string $sql): ?array
    {
        return $this->with(fn (SqlLink $link): ?array => $link->query($sql)[0] ?? null);
    }

    /** Executes statements without answers, one after the other. */
    protected function execute(array $statements): bool
    {
        $this->with(fn (SqlLink $link) => array_map($link->exec(...), $statements));
        return true;
    }

    /** Statements that take the tables away. */
    protected function drop(): array
    {
        return ["DROP TABLE IF EXISTS $this->table", "DROP TABLE IF EXISTS $this->counters"];
    }

    /** Names of settings, as a list of SQL. */
    protected static function listed(array $names): string
    {
        return "'" . implode("', '", $names) . "'";
    }

    public function callPing(): bool
    {
        $this->one('SELECT 1');
        return true;
    }

    public function callReset(): bool
    {
        return $this->execute($this->drop());
    }

    public function callCount(): ?array
    {
        return ['rows' => (int) $this->one("SELECT count(*) FROM $this->table")[0]];
    }

    public function callSum(): ?array
    {
        return ['sum' => (int) $this->one("SELECT COALESCE(SUM(count), 0) FROM $this->counters")[0]];
    }
}

/** A library that sends SQL. */
interface SqlLink
{
    /** A statement without an answer. */
    public function exec(string $sql): void;

    /** The rows of an answer, as lists. */
    public function query(string $sql): array;

    /** @param string[] $types those of the fields that the places are for */
    public function prepare(string $sql, array $types): Prepared;

    public function begin(): void;

    public function commit(): void;

    public function rollBack(): void;

    /** The code of an error as the database tells it. */
    public function code(\Throwable $error): int|string|null;

    public function close(): void;
}

interface Prepared
{
    /** Executes it; its rows, as lists. */
    public function rows(array $values): array;

    /** Executes it; how many rows it met. */
    public function matched(array $values): int;
}

/** PDO, with prepared statements of the server. */
final class PdoLink implements SqlLink
{
    private ?\PDO $pdo;
    private readonly bool $isPostgres;

    public function __construct(string $dsn, string $user, string $password, array $options, private readonly string $begin = 'BEGIN')
    {
        $this->pdo = new \PDO($dsn, $user, $password, $options + [
            \PDO::ATTR_EMULATE_PREPARES => false,
            \PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION,
        ]);
        $this->isPostgres = str_starts_with($dsn, 'pgsql:');
    }

    public function exec(string $sql): void
    {
        $this->pdo->exec($sql);
    }

    public function query(string $sql): array
    {
        return $this->pdo->query($sql)->fetchAll(\PDO::FETCH_NUM);
    }

    public function prepare(string $sql, array $types): Prepared
    {
        return new PdoPrepared($this->pdo->prepare($sql), $types, $this->isPostgres);
    }

    public function begin(): void
    {
        $this->pdo->exec($this->begin);
    }

    public function commit(): void
    {
        $this->pdo->exec('COMMIT');
    }

    public function rollBack(): void
    {
        $this->pdo->exec('ROLLBACK');
    }

    public function code(\Throwable $error): int|string|null
    {
        return $error instanceof \PDOException ? ($error->errorInfo[$this->isPostgres ? 0 : 1] ?? null) : null;
    }

    public function close(): void
    {
        // It ends with the last reference.
        $this->pdo = null;
    }
}

final class PdoPrepared implements Prepared
{
    private const KINDS = ['int64' => \PDO::PARAM_INT, 'text' => \PDO::PARAM_STR, 'bytes' => \PDO::PARAM_LOB];

    /** The parameters, bound once. */
    private array $places = [];

    /** @param bool $givesStreams whether bytes come as streams */
    public function __construct(private readonly \PDOStatement $statement, array $types, private readonly bool $givesStreams)
    {
        foreach ($types as $at => $type) {
            $this->places[$at] = null;
            $statement->bindParam($at + 1, $this->places[$at], self::KINDS[$type]);
        }
    }

    private function execute(array $values): void
    {
        foreach ($values as $at => $value) {
            $this->places[$at] = $value;
        }
        try {
            $this->statement->execute();
        } catch (\PDOException $error) {
            // SQLite takes no parameters for a statement that failed, until that is reset.
            $this->statement->closeCursor();
            throw $error;
        }
    }

    public function rows(array $values): array
    {
        $this->execute($values);
        $rows = $this->statement->fetchAll(\PDO::FETCH_NUM);
        if ($this->givesStreams && array_filter($rows[0] ?? [], is_resource(...)) !== []) {
            $text = fn (mixed $value): mixed => is_resource($value) ? stream_get_contents($value) : $value;
            return array_map(fn (array $row): array => array_map($text, $row), $rows);
        }
        return $rows;
    }

    public function matched(array $values): int
    {
        $this->execute($values);
        return $this->statement->rowCount();
    }
}

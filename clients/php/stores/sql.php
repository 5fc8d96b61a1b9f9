<?php
// What stores that speak a kind of SQL have in common: statements, calls, and the operations of a connection.
declare(strict_types=1);
namespace Kurabe;

require_once __DIR__ . '/links.php';

/** One column a field, the key first. All places of statements are `?`. */
final class Table
{
    public readonly array $fields;
    public readonly string $plain;
    public readonly string $name;
    public readonly string $counters;
    public readonly array $columns;
    public readonly string $key;
    public readonly string $scan;

    public function __construct(array $job, private readonly string $quote)
    {
        $this->fields = $job['schema']['fields'];
        $this->plain = $job['namespace'];
        $this->name = $this->quoted($job['namespace']);
        $this->counters = $this->quoted("{$job['namespace']}_counters");
        $this->columns = array_map(fn (array $field): string => $this->quoted($field['name']), $this->fields);
        $this->key = $this->columns[0];
        $this->scan = 'SELECT ' . implode(', ', $this->columns) . " FROM $this->name";
    }

    public function quoted(string $name): string
    {
        return $this->quote . str_replace($this->quote, $this->quote . $this->quote, $name) . $this->quote;
    }

    /** Types of all columns. */
    public function types(): array
    {
        return array_column($this->fields, 'type');
    }

    public function insert(string $verb = 'INSERT'): string
    {
        $places = implode(', ', array_fill(0, count($this->columns), '?'));
        return "$verb INTO $this->name (" . implode(', ', $this->columns) . ") VALUES ($places)";
    }

    public function read(): string
    {
        return 'SELECT ' . implode(', ', array_slice($this->columns, 1)) . " FROM $this->name WHERE $this->key = ?";
    }

    /** The key is the last parameter. */
    public function update(): string
    {
        $sets = implode(', ', array_map(fn (string $column): string => "$column = ?", array_slice($this->columns, 1)));
        return "UPDATE $this->name SET $sets WHERE $this->key = ?";
    }

    public function delete(): string
    {
        return "DELETE FROM $this->name WHERE $this->key = ?";
    }

    public function latest(): string
    {
        return "$this->scan ORDER BY $this->key DESC LIMIT ?";
    }

    public function search(int $field): string
    {
        return "$this->scan WHERE {$this->columns[$field]} BETWEEN ? AND ?";
    }

    public function many(int $keys): string
    {
        return "$this->scan WHERE $this->key IN (" . implode(', ', array_fill(0, $keys, '?')) . ')';
    }

    /** Columns that have an index. */
    public function indexed(): array
    {
        return array_intersect_key($this->columns, array_filter($this->fields, fn (array $field) => $field['indexed'] ?? false));
    }

    public function hasInts(): bool
    {
        return in_array('int64', array_slice($this->types(), 1), true);
    }
}

/** A store by its table. */
abstract class SqlStore extends Store
{
    protected readonly Table $table;

    /** @param string $quote the quotation mark of names */
    public function __construct(
        protected readonly array $job,
        protected readonly Values $values,
        protected readonly string $driver,
        string $quote,
    ) {
        $this->table = new Table($job, $quote);
    }

    /** A new connection. */
    abstract public function link(): SqlLink;

    /** Text of the statement that adds 1 to a counter. */
    abstract public function increment(): string;

    /** Whether the code of an error means that the key is there already. */
    abstract public function isDuplicate(int|string|null $code): bool;

    public function table(): Table
    {
        return $this->table;
    }

    /** Text of the statement of a load. */
    public function load(): string
    {
        return $this->table->insert();
    }

    /** Whether an error ends the transaction that it happens in, and not the statement alone. */
    public function endsTransaction(int|string|null $code): bool
    {
        return !$this->isDuplicate($code);
    }

    public function keepsColumns(): bool
    {
        return true;
    }

    /** The operations that every one of them can have, and those that need a column to search. */
    protected function operations(): array
    {
        $all = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment', 'open'];
        return $this->table->hasInts() ? [...$all, 'search'] : $all;
    }

    public function connect(array $phase, array $told): Lane
    {
        return new SqlLane($this, $this->link(), $phase);
    }

    /** Does something over a connection of its own. */
    public function with(callable $work): mixed
    {
        $link = $this->link();
        try {
            return $work($link);
        } finally {
            $link->close();
        }
    }

    /** The first row of an answer. */
    protected function one(string $sql): ?array
    {
        return $this->with(fn (SqlLink $link): ?array => $link->query($sql)[0] ?? null);
    }

    protected function drop(SqlLink $link): void
    {
        $link->exec("DROP TABLE IF EXISTS {$this->table->name}");
        $link->exec("DROP TABLE IF EXISTS {$this->table->counters}");
    }

    public function callPing(): bool
    {
        $this->one('SELECT 1');
        return true;
    }

    public function callReset(): bool
    {
        $this->with($this->drop(...));
        return true;
    }

    public function callCount(): ?array
    {
        return ['rows' => (int) $this->one("SELECT count(*) FROM {$this->table->name}")[0]];
    }

    public function callSum(): ?array
    {
        return ['sum' => (int) $this->one("SELECT COALESCE(SUM(count), 0) FROM {$this->table->counters}")[0]];
    }
}

/** A connection with the statements of a phase. */
class SqlLane extends Lane
{
    /** @var array<string, Prepared> */
    private array $statements = [];
    /** Those of multi-reads, by their number of keys, which nothing tells before. */
    private array $many = [];
    protected readonly bool $together;
    private bool $isOpen = false;
    /** What rolled writes back since the last commit, which the next one tells. */
    private ?\Throwable $cause = null;

    public function __construct(protected readonly SqlStore $store, protected readonly SqlLink $link, array $phase)
    {
        $table = $store->table();
        $this->together = $phase['commit_every'] > 1;
        $types = $table->types();
        $key = $types[0];
        foreach ($phase['operations'] as $operation) {
            [$sql, $places] = match ($operation) {
                'load' => [$store->load(), $types],
                'insert' => [$this->insertText($table), $types],
                'read' => [$table->read(), [$key]],
                'update' => [$table->update(), [...array_slice($types, 1), $key]],
                'delete' => [$table->delete(), [$key]],
                'scan' => [$table->scan, []],
                'latest' => [$table->latest(), ['int64']],
                'increment' => [$store->increment(), ['int64']],
                'search' => [$table->search($phase['search_field']), ['int64', 'int64']],
                default => [null, null],
            };
            if ($sql !== null) {
                $this->statements[$operation] = $link->prepare($sql, $places);
            }
        }
    }

    protected function insertText(Table $table): string
    {
        return $table->insert();
    }

    /** Does a write, in a transaction where writes are committed together; how many rows it met. */
    protected function write(string $name, array $values): int
    {
        if ($this->together && !$this->isOpen) {
            $this->link->begin();
            $this->isOpen = true;
        }
        try {
            return $this->statements[$name]->matched($values);
        } catch (\Throwable $error) {
            if ($this->isOpen && $this->store->endsTransaction($this->link->code($error))) {
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
            return $this->store->isDuplicate($this->link->code($error)) ? EXISTS : throw $error;
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
        $this->write('increment', [$row]);
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
        $type = $this->store->table()->types()[0];
        $this->many[$count] ??= $this->link->prepare($this->store->table()->many($count), array_fill(0, $count, $type));
        $found = array_column(self::pairs($this->many[$count]->rows($keys)), 1, 0);
        return array_map(fn (int|string $key): ?array => $found[$key] ?? null, $keys);
    }

    public function open(array $keys): array
    {
        return $this->store->with(function (SqlLink $link) use ($keys): array {
            $read = $link->prepare($this->store->table()->read(), array_slice($this->store->table()->types(), 0, 1));
            return array_map(fn (int|string $key): ?array => $read->rows([$key])[0] ?? null, $keys);
        });
    }

    public function close(): void
    {
        [$this->statements, $this->many] = [[], []];
        $this->link->close();
    }
}

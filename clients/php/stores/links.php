<?php
// Libraries that send SQL: PDO, Doctrine DBAL and PEAR DB behind one interface.
declare(strict_types=1);
namespace Kurabe;

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

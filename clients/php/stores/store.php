<?php
// What every store has, and the address of a server.
declare(strict_types=1);
namespace Kurabe;

/**
 * A store as one job uses it, and the connection of the worker: a process has one. Its operations are `load`,
 * `insert`, `update`, `delete`, `increment`, which answer DONE, EXISTS or MISSING; `read` (a value or null),
 * `multiRead` and `open` (one of these a key), `scan`, `latest` and `search` (pairs of key and value). A value is the
 * fields of a row, or its raw encoding where the store keeps no columns. Calls are methods: `callPing`, `callCount`
 * and so on; what there is no method for, and what answers null, is unsupported.
 */
abstract class Store
{
    /** File and class by what a store speaks. */
    private const CLASSES = [
        'echo' => ['baseline', 'Baseline'], 'lmdb' => ['dba', 'Lmdb'],
        'memcached' => ['memcached', 'Memcached'], 'mysql' => ['mysql', 'Mysql'],
        'postgres' => ['postgres', 'Postgres'], 'qdbm' => ['dba', 'Qdbm'],
        'redis' => ['redis', 'Redis'], 'sqlite' => ['sqlite', 'Sqlite'],
        'tinycdb' => ['dba', 'Tinycdb'],
    ];
    /** What it can be driven by, settings of a job that it takes, and what to do where it takes none. */
    protected const DRIVERS = [''];
    protected const TAKES = [];
    protected const HINT = 'give the server arguments';

    /** The store of a job, through a driver. */
    public static function of(array $job, Values $values, string $driver): Store
    {
        [$file, $class] = self::CLASSES[$job['candidate']['wire']]
            ?? throw new \RuntimeException("the PHP client has no store '{$job['candidate']['store']}'");
        require_once __DIR__ . "/$file.php";
        $class = __NAMESPACE__ . "\\$class";
        return new $class($job, $values, $driver);
    }

    public function __construct(
        protected readonly array $job,
        protected readonly Values $values,
        protected readonly string $driver,
    ) {
        $name = $job['candidate']['store'];
        if (!in_array($driver, static::DRIVERS, true)) {
            throw new \RuntimeException("the PHP client has no driver '$driver' for $name");
        }
        $hint = static::TAKES === [] ? static::HINT : 'it has ' . implode(', ', static::TAKES);
        foreach (array_diff(array_keys($job['settings'] ?? []), static::TAKES) as $setting) {
            throw new \RuntimeException("$name has no setting '$setting' in the PHP client; $hint");
        }
    }

    /** Names and versions of what it drives the store by. */
    public function libraries(): array
    {
        return [];
    }

    abstract public function capabilities(): array;

    /** The connection of a worker for a phase; `$told` is what the worker was told. */
    abstract public function connect(array $phase, array $told): void;

    abstract public function disconnect(): void;

    /** Commits what was written since the last commit, where there is such a thing. */
    public function commit(): void {}

    /** Whether rows are fields, and not raw values. */
    public function keepsColumns(): bool
    {
        return false;
    }

    /** Whether an error means that the connection is gone. */
    public function lost(\Throwable $error): bool
    {
        return $error instanceof ConnectionLost;
    }

    /** Whether an error means that the server tells nothing to this user. */
    public function refuses(\Throwable $error): bool
    {
        return false;
    }

    /** The folder of an embedded store. */
    protected function folder(): string
    {
        return $this->job['dir']
            ?? throw new \RuntimeException("{$this->job['candidate']['store']} needs a folder: the job has no 'dir'");
    }

    public function callPing(): bool
    {
        return true;
    }

    public function callCreate(): bool
    {
        return $this->callReset();
    }

    abstract public function callReset(): bool;
}

/** A store that is asked over a connection, or through an open file. */
abstract class LinkedStore extends Store
{
    /** A new one. */
    abstract protected function link(): mixed;

    abstract protected function unlink(mixed $link): void;

    /** Does something over one of its own. */
    protected function with(callable $work): mixed
    {
        $link = $this->link();
        try {
            return $work($link);
        } finally {
            $this->unlink($link);
        }
    }
}

/** The connection is gone, and nothing will come over it any more. */
final class ConnectionLost extends \RuntimeException {}

/** The address of a server, taken apart: user, password and path without percent signs. */
final class Address
{
    /** Parts that stand in no line, longest first, and whether they are hidden inside words too. */
    private static array $secrets = [];

    private function __construct(
        public readonly string $scheme,
        public readonly string $host,
        public readonly ?int $port,
        public readonly string $user,
        public readonly string $password,
        public readonly string $path,
        public readonly array $query,
    ) {}

    public static function of(array $job): Address
    {
        $store = $job['candidate']['store'];
        $url = $job['url'] ?? throw new \RuntimeException("store '$store' needs a running server: the job has no 'url'");
        $form = '~^([a-z+]+)://(?:([^/?@]*)@)?(\[[^]]*]|[^/?:]*)(?::(\d+))?(/[^?]*)?(?:\?(.*))?$~i';
        // The text itself could hold a password.
        if (preg_match($form, $url, $found, PREG_UNMATCHED_AS_NULL) !== 1) {
            throw new \RuntimeException('the address of the server cannot be read; write it as scheme://user:password@host:port/path');
        }
        [, $scheme, $login, $host, $port, $path, $query] = $found + array_fill(0, 7, null);
        [$user, $password] = explode(':', $login ?? '', 2) + ['', ''];
        parse_str($query ?? '', $asked);
        $words = [$login, $user, $query, ...array_values(array_filter($asked, is_string(...)))];
        self::keep($words, fn (): bool => false);
        self::keep([$password], fn (string $secret): bool => strlen($secret) >= 6);
        return new Address(
            strtolower($scheme),
            trim($host ?? '', '[]'),
            $port === null ? null : (int) $port,
            rawurldecode($user),
            rawurldecode($password),
            rawurldecode($path ?? ''),
            $asked,
        );
    }

    private static function keep(array $parts, callable $isAnywhere): void
    {
        foreach (array_filter($parts) as $part) {
            foreach ([$part, rawurldecode($part)] as $secret) {
                self::$secrets[$secret] = (self::$secrets[$secret] ?? false) || $isAnywhere($secret);
            }
        }
        uksort(self::$secrets, fn ($one, $other): int => strlen((string) $other) <=> strlen((string) $one));
    }

    /** A text without the secrets of the address. */
    public static function hide(string $text): string
    {
        foreach (self::$secrets as $secret => $isAnywhere) {
            $quoted = preg_quote((string) $secret, '/');
            $text = preg_replace($isAnywhere ? "/$quoted/" : "/(?<!\\w)$quoted(?!\\w)/", '…', $text) ?? '';
        }
        return $text;
    }
}

/** An error in one line, without the secrets of the address. */
function words(\Throwable $error): string
{
    $text = trim((string) preg_replace('/\s+/', ' ', Address::hide($error->getMessage())));
    return substr($text === '' ? $error::class : $text, 0, 500);
}

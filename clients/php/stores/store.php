<?php
// What every store has, and the address of a server.
declare(strict_types=1);
namespace Kurabe;

/**
 * A store as one job uses it. Calls are methods: `callPing`, `callCount` and so on; what there is no method for, and what
 * answers null, is unsupported.
 */
abstract class Store
{
    /** The store of a job, through a driver. */
    public static function of(array $job, Values $values, string $driver): Store
    {
        $name = $job['candidate']['store'];
        $family = ['valkey' => 'redis', 'mariadb' => 'mysql', 'echo' => 'floor'][$name] ?? $name;
        $file = __DIR__ . "/$family.php";
        if (preg_match('/^[a-z]+$/', $family) !== 1 || in_array($family, ['store', 'sql', 'links', 'dba'], true) || !is_file($file)) {
            throw new \RuntimeException("the PHP client has no store '$name'");
        }
        require_once $file;
        $class = __NAMESPACE__ . '\\' . ucfirst($family);
        return new $class($job, $values, $driver);
    }

    /** Names and versions of what it drives the store by. */
    abstract public function libraries(): array;

    abstract public function capabilities(): array;

    /** The connection of a worker for a phase; `$told` is what the worker was told. */
    abstract public function connect(array $phase, array $told): Lane;

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

    /** The first setting of a job that is none of `$known` is refused. */
    protected static function refuseUnknown(array $job, array $known, string $hint): void
    {
        foreach (array_diff(array_keys($job['settings'] ?? []), $known) as $name) {
            throw new \RuntimeException("{$job['candidate']['store']} has no setting '$name' in the PHP client; $hint");
        }
    }

    /** The folder of an embedded store. */
    protected static function folder(array $job): string
    {
        return $job['dir']
            ?? throw new \RuntimeException("{$job['candidate']['store']} needs a folder: the job has no 'dir'");
    }

    protected static function unknownDriver(array $job, string $driver): \RuntimeException
    {
        return new \RuntimeException("the PHP client has no driver '$driver' for {$job['candidate']['store']}");
    }
}

/**
 * A connection. Its operations are `load`, `insert`, `update`, `delete`, `increment`, which answer DONE, EXISTS or MISSING;
 * `read` (a value or null), `multiRead` and `open` (one of these a key), `scan`, `latest` and `search` (pairs of key and
 * value). A value is the fields of a row, or its raw encoding where the store keeps no columns.
 */
abstract class Lane
{
    /** Commits what was written since the last commit, where there is such a thing. */
    public function commit(): void
    {
    }

    abstract public function close(): void;
}

/** The connection is gone, and nothing will come over it any more. */
final class ConnectionLost extends \RuntimeException
{
}

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
    ) {
    }

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

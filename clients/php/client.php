<?php
// Kurabe's PHP client: works on one job from stdin (docs/PROTOCOL.md). One process is one connection,
// as the workers of PHP are.
declare(strict_types=1);
namespace Kurabe;

require __DIR__ . '/tape.php';
require __DIR__ . '/values.php';
require __DIR__ . '/worker.php';
require __DIR__ . '/stores/store.php';

/** The state of one job. */
final class Session
{
    private Store $store;
    private Values $values;
    private ?Worker $worker = null;

    /** The lines of the profile have a descriptor of their own: what is printed, by whatever library, is for people. */
    private $lines;

    public function __construct(private readonly string $driver)
    {
        $this->lines = fopen('php://fd/3', 'wb') ?: throw new \RuntimeException('descriptor 3 cannot be opened');
    }

    /** Does what a line says; the status of the process, where it ends it. */
    public function hear(array $told): ?int
    {
        try {
            match (true) {
                isset($told['kurabe']) => $this->begin($told),
                isset($told['call']) => $this->call($told['call'], $told['id']),
                isset($told['prepare']) => $this->prepare($told['prepare']),
                isset($told['go']) => $this->go($told['go']),
                isset($told['skip']), isset($told['stop']) => $this->leave(),
                default => null,
            };
            return isset($told['stop']) ? $this->say(['end' => true]) : null;
        } catch (\Throwable $error) {
            return $this->say(['error' => words($error)], isset($told['kurabe']) ? 2 : 1);
        }
    }

    private function begin(array $told): void
    {
        if ($told['kurabe'] !== 2) {
            throw new \RuntimeException("version {$told['kurabe']} of the protocol is not spoken here, only 2");
        }
        $job = $told['job'];
        $pool = file_get_contents($job['pool']) ?: throw new \RuntimeException('the pool of filler cannot be read');
        $this->values = new Values($job['schema'], $pool);
        $this->store = Store::of($job, $this->values, $this->driver);
        $usual = ['key_types' => ['int64', 'text'], 'max_connections' => 1, 'processes' => true, 'schedules' => true];
        $this->say(['hello' => [
            'client' => 'php',
            'version' => '0.1.0',
            'libraries' => ['php' => PHP_VERSION] + $this->store->libraries(),
            'capabilities' => $this->store->capabilities() + $usual + ['keeps_columns' => $this->store->keepsColumns()],
        ]]);
    }

    /** Calls that only tell of a server, and what is missing where it refuses to. */
    private const TOLD = [
        'info' => 'version of the server', 'settings' => 'settings of the server', 'size' => 'size of the data',
        'evicts' => 'whether the server throws keys away',
    ];

    private function call(string $name, int $id): void
    {
        $method = 'call' . ucfirst($name);
        try {
            $answer = method_exists($this->store, $method) ? $this->store->$method() : null;
            $this->say(['reply' => $id] + ($answer === null ? ['unsupported' => true] : ['ok' => $answer ?: new \stdClass()]));
        } catch (\Throwable $error) {
            $missing = $this->store->refuses($error) ? self::TOLD[$name] ?? null : null;
            $this->say(['reply' => $id] + ($missing === null
                ? ['error' => words($error)]
                : ['unsupported' => true, 'absent' => ["$missing: " . words($error)]]));
        }
    }

    private function prepare(array $phase): void
    {
        $this->leave();
        if (count($phase['workers']) > 1) {
            throw new \RuntimeException('a process of PHP has one connection; start one process a connection');
        }
        foreach ($phase['workers'] as $told) {
            $this->worker = new Worker($this->store, $this->values, $told, $phase);
            $this->worker->warmUp();
        }
        $this->say(['ready' => $phase['phase']]);
    }

    private function go(string $phase): void
    {
        $this->worker?->measure();
        $this->leave();
        $this->say(['result' => $phase]);
    }

    private function leave(): void
    {
        [$worker, $this->worker] = [$this->worker, null];
        $worker?->close();
    }

    private function say(array $line, int $status = 0): int
    {
        fwrite($this->lines, json_encode($line, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR) . "\n");
        return $status;
    }
}

// Libraries that complain do so for people. Old ones use what PHP advises against by now.
ini_set('display_errors', 'stderr');
ini_set('memory_limit', '-1');
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);

$session = new Session($argv[1] ?? '');
while (($line = fgets(STDIN)) !== false) {
    $status = $session->hear(json_decode($line, true, flags: JSON_THROW_ON_ERROR));
    if ($status !== null) {
        exit($status);
    }
}
exit(3);

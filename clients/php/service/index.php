<?php
// A board in PHP: what each request answers is what Kurabe's own service answers to it. Each begins from nothing, as
// PHP does it: the job, the adapter and the connection are made anew.
declare(strict_types=1);
namespace Kurabe;

require __DIR__ . '/client/tape.php';
require __DIR__ . '/client/values.php';
require __DIR__ . '/client/stores/store.php';

/** A request that cannot be done, and the status that says so. */
final class Refused extends \RuntimeException
{
    public static function with(int $status, string $words): Refused
    {
        return new Refused($words, $status);
    }
}

/** The rows of a job, as JSON. */
final class Board
{
    private readonly Store $store;
    private readonly array $fields;

    public function __construct(private readonly array $job, string $driver)
    {
        $this->fields = $job['schema']['fields'];
        // No rows are made here, so their filler is not needed.
        $this->store = Store::of($job, new Values($job['schema'], ' '), $driver);
    }

    /** Status and content of the answer; nothing where there is no content. */
    public function answer(string $method, string $path, array $query, string $body): array
    {
        $parts = explode('/', trim($path, '/'));
        return match ([$method, $parts[0], count($parts)]) {
            ['GET', 'ping', 1] => [$this->store->callPing() ? 204 : 500, null],
            ['GET', 'operations', 1] => [200, self::json($this->operations())],
            ['POST', 'rows', 1] => $this->insert(self::parsed($body)),
            ['GET', 'rows', 1] => [200, $this->many($query['latest'] ?? null)],
            ['GET', 'rows', 2] => $this->read(rawurldecode($parts[1])),
            ['PUT', 'rows', 2] => $this->update(rawurldecode($parts[1]), self::parsed($body)),
            ['DELETE', 'rows', 2] => $this->met($this->connected('delete')->delete($this->key(rawurldecode($parts[1])))),
            ['POST', 'counters', 2] => $this->met($this->connected('increment')->increment((int) $parts[1])),
            ['POST', 'calls', 2] => [200, $this->call($parts[1])],
            default => throw Refused::with(404, 'there is nothing at this address'),
        };
    }

    /** What can be asked for here, as far as the store has it. */
    private function operations(): array
    {
        $here = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'increment'];
        return array_values(array_intersect($here, $this->store->capabilities()['operations']));
    }

    private static function parsed(string $body): array
    {
        $parsed = json_decode($body, true);
        return is_array($parsed) ? $parsed : throw Refused::with(422, 'the body is no JSON object');
    }

    /** The store, connected for one operation. */
    private function connected(string $operation): Store
    {
        $phase = ['operations' => [$operation], 'commit_every' => 1, 'read_scope' => 'each', 'search_field' => null];
        $this->store->connect($phase, []);
        return $this->store;
    }

    private function key(string $text): int|string
    {
        return $this->fields[0]['type'] === 'int64' ? (int) $text : $text;
    }

    /** Key and value as the store takes them: fields, or the row as JSON where it keeps no columns. */
    private function row(array $body): array
    {
        $row = [];
        foreach ($this->fields as ['name' => $name, 'type' => $type]) {
            $isRight = $type === 'int64' ? is_int($body[$name] ?? null) : is_string($body[$name] ?? null);
            $row[$name] = $isRight ? $body[$name] : throw Refused::with(422, "'$name' is missing or no $type");
        }
        $values = array_values($row);
        return [$values[0], $this->store->keepsColumns() ? array_slice($values, 1) : self::json($row)];
    }

    private static function json(mixed $value): string
    {
        return json_encode($value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
    }

    /** The JSON of a row. */
    private function shown(int|string $key, array|string $value): string
    {
        if (is_string($value)) {
            return $value;
        }
        $row = [];
        foreach ($this->fields as $at => ['name' => $name, 'type' => $type]) {
            $field = $at === 0 ? $key : $value[$at - 1];
            // Some libraries give numbers as texts.
            $row[$name] = $type === 'int64' ? (int) $field : (string) $field;
        }
        return self::json($row);
    }

    private function insert(array $body): array
    {
        [$key, $value] = $this->row($body);
        if ($this->connected('insert')->insert($key, $value) === EXISTS) {
            throw Refused::with(409, 'there is such a row already');
        }
        return [201, self::json(['id' => $key])];
    }

    private function read(string $key): array
    {
        $value = $this->connected('read')->read($this->key($key)) ?? throw Refused::with(404, 'there is no such row');
        return [200, $this->shown($this->key($key), $value)];
    }

    private function update(string $key, array $body): array
    {
        [$key, $value] = $this->row([$this->fields[0]['name'] => $this->key($key)] + $body);
        return $this->met($this->connected('update')->update($key, $value));
    }

    private function met(int $outcome): array
    {
        return $outcome === MISSING ? throw Refused::with(404, 'there is no such row') : [204, null];
    }

    private function many(?string $latest): string
    {
        $rows = $latest === null ? $this->connected('scan')->scan() : $this->connected('latest')->latest((int) $latest);
        return '[' . implode(',', array_map(fn (array $row): string => $this->shown(...$row), $rows)) . ']';
    }

    private function call(string $name): string
    {
        $method = 'call' . ucfirst($name);
        $isKnown = in_array($name, ['create', 'reset', 'count', 'settings', 'sum', 'info'], true);
        try {
            $answer = $isKnown && method_exists($this->store, $method) ? $this->store->$method() : null;
            return self::json($answer === null ? ['unsupported' => true] : ['ok' => $answer ?: new \stdClass()]);
        } catch (\Throwable $error) {
            return self::json(['error' => words($error)]);
        }
    }
}

try {
    $job = json_decode(file_get_contents(getenv('KURABE_JOB')), true, flags: JSON_THROW_ON_ERROR);
    $path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    $board = new Board($job, (string) getenv('KURABE_DRIVER'));
    [$status, $content] = $board->answer($_SERVER['REQUEST_METHOD'], $path, $_GET, (string) file_get_contents('php://input'));
} catch (Refused $refused) {
    [$status, $content] = [$refused->getCode(), json_encode(['error' => $refused->getMessage()])];
} catch (\Throwable $error) {
    [$status, $content] = [500, json_encode(['error' => words($error)], JSON_INVALID_UTF8_SUBSTITUTE)];
}
http_response_code($status);
if ($content !== null) {
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($content));
    echo $content;
}

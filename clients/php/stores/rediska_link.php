<?php
// Rediska, wherever the include path has it: a library of 2010, whose last version is of 2014. What Redis needs of a library is here
// in the words of Predis.
declare(strict_types=1);
namespace Kurabe;

require_once 'Rediska.php';

/** A connection that says so when it is gone: by itself version 0.5.10 gives nothing then, as if no key were there. */
final class RediskaConnection extends \Rediska_Connection
{
    public function readLine()
    {
        $line = parent::readLine();
        return $line ?? $this->isGone('no answer');
    }

    /** An empty value is one: by itself it is taken for none. */
    public function read($length)
    {
        return parent::read($length) ?? '';
    }

    protected function _readAndThrowException($length)
    {
        $bytes = parent::_readAndThrowException($length);
        return strlen($bytes) === $length ? $bytes : $this->isGone('half an answer');
    }

    private function isGone(string $instead): never
    {
        $this->disconnect();
        throw new ConnectionLost("$instead came over the connection");
    }
}

/**
 * Looks whether a value that is no number was serialised, as Rediska's own adapter does it, which PHP 8 no longer lets it. A row never
 * was: it stays as it is.
 */
final class RediskaText implements \Rediska_Serializer_Adapter_Interface
{
    public function serialize($value)
    {
        return serialize($value);
    }

    public function unserialize($value)
    {
        if (@unserialize($value) === false) {
            throw new \Rediska_Serializer_Adapter_Exception('no serialised value');
        }
        return $value;
    }
}

final class RediskaClient extends \Rediska
{
    /** Takes the connection above in place of its own: not every version lets its class be named. */
    public function addServer($host, $port = \Rediska_Connection::DEFAULT_PORT, array $options = [])
    {
        parent::addServer($host, $port, $options);
        $name = array_key_last($this->_connections);
        $this->_connections[$name] = new RediskaConnection(['host' => $host, 'port' => $port] + $options);
        return $this;
    }
}

/** The commands of Redis that the adapter sends, each by the method that Rediska has for it. */
final class RediskaLink
{
    private readonly RediskaClient $rediska;
    private readonly \Rediska_Connection $connection;

    public function __construct(string $host, int $port, float $patience)
    {
        $where = ['host' => $host, 'port' => $port, 'timeout' => $patience, 'readTimeout' => $patience];
        $this->rediska = new RediskaClient(['servers' => [$where], 'serializerAdapter' => new RediskaText()]);
        $this->connection = $this->rediska->getConnections()[0];
        $this->connection->connect();
    }

    /** What the installed copy tells of itself; a copy without its file of versions is known by what it was made for. */
    public static function version(): string
    {
        $file = dirname((string) (new \ReflectionClass(\Rediska::class))->getFileName(), 2) . '/VERSION.txt';
        $told = is_readable($file) ? trim((string) file_get_contents($file)) : '';
        return $told !== '' ? $told : 'for Redis ' . \Rediska::STABLE_REDIS_VERSION;
    }

    public function disconnect(): void
    {
        $this->connection->disconnect();
    }

    /** Its method knows the condition that the key is new, and no other. */
    public function set(string $name, string $value, ?string $condition = null): ?bool
    {
        $done = $condition === 'XX'
            ? (new \Rediska_Connection_Exec($this->connection, ['SET', $name, $value, 'XX']))->execute()
            : $this->rediska->set($name, $value, $condition === null);
        return $done ? true : null;
    }

    /** @param string[] $names */
    public function del(array $names): int
    {
        return (int) $this->rediska->delete($names);
    }

    public function incr(string $name): int
    {
        return (int) $this->rediska->increment($name);
    }

    /** A number comes as one where it looks the same. */
    public function get(string $name): ?string
    {
        $value = $this->rediska->get($name);
        return $value === null ? null : (string) $value;
    }

    /** @param string[] $names */
    public function mget(array $names): array
    {
        $found = $this->rediska->get($names);
        return array_map(fn (string $name): ?string => isset($found[$name]) ? (string) $found[$name] : null, $names);
    }

    /** A command that no method is for. */
    public function executeRaw(array $words, ?bool &$isError = null): mixed
    {
        try {
            $isError = false;
            $answer = (new \Rediska_Connection_Exec($this->connection, $words))->execute();
            return $answer === true ? 'OK' : $answer;
        } catch (\Rediska_Connection_Exec_Exception $error) {
            $isError = true;
            return $error->getMessage();
        }
    }
}

<?php
// Script and tape of a worker: what it is to do, and what came of it (docs/PROTOCOL.md, "A phase").
declare(strict_types=1);
namespace Kurabe;

/** Kinds of operations by their codes, as the methods of a connection are named. */
const KINDS = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multiRead', 'increment', 'search', 'open'];
/** Added to the code of a kind: a commit is due. */
const COMMIT = 256;
/** What came of an operation. */
const DONE = 0, EXISTS = 1, MISSING = 2, FAILED = 3, COMMIT_FAILED = 4;
const REST_COMMITTED = 5, REST_NOT_COMMITTED = 6, BEGINS = 7, TAKEN = 8;

/** The entries of a script, in their order. */
final class Script
{
    private $process;
    private $file;

    public function __construct(string $path)
    {
        // PHP itself follows the link in /proc by its text, which for a file in memory leads nowhere.
        $ends = [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']];
        $this->process = proc_open(['cat', $path], $ends, $pipes) ?: throw new \RuntimeException('cannot start cat');
        $this->file = $pipes[1];
    }

    /** Kind, whether a commit is due, row, argument, and the rows behind the entry; nothing at the end. */
    public function next(): ?array
    {
        $bytes = (string) stream_get_contents($this->file, 12);
        if (strlen($bytes) < 12) {
            return null;
        }
        [1 => $code, 2 => $row, 3 => $argument] = unpack('V3', $bytes);
        $kind = KINDS[$code % COMMIT];
        $hasRows = ($kind === 'multiRead' || $kind === 'open') && $argument > 0;
        $rows = $hasRows ? unpack('V*', (string) stream_get_contents($this->file, 4 * $argument)) : [];
        return [$kind, $code >= COMMIT, $row, $argument, array_values($rows)];
    }
}

/** The planned starts of an open loop, which come when it is their time. */
final class Starts
{
    private $file;

    public function __construct()
    {
        $this->file = fopen('php://fd/4', 'rb') ?: throw new \RuntimeException('descriptor 4 cannot be opened');
        // What is read ahead is taken from nobody else, and yet not begun.
        stream_set_read_buffer($this->file, 0);
    }

    /** Waits for the next one, in ns; 0 where there is no further one. */
    public function next(): int
    {
        $bytes = (string) fread($this->file, 8);
        return strlen($bytes) === 8 ? unpack('P', $bytes)[1] : 0;
    }
}

/** The records of a worker. */
final class Tape
{
    private $process;
    private $file;
    private string $chunk = '';

    public function __construct(string $path)
    {
        $command = ['sh', '-c', 'exec cat >"$0"', $path];
        $this->process = proc_open($command, [['pipe', 'r']], $pipes) ?: throw new \RuntimeException('cannot start sh');
        $this->file = $pipes[0];
    }

    /** Notes an operation: the digests of the rows that it gave, 8 bytes each, or the message of its failure. */
    public function note(int $start, int $end, int $outcome, string $bytes = ''): void
    {
        $isFailure = $outcome === FAILED || $outcome === COMMIT_FAILED || $outcome === REST_NOT_COMMITTED;
        $count = $isFailure ? strlen($bytes) : intdiv(strlen($bytes), 8);
        $this->chunk .= pack('PPVV', $start, $end, $outcome, $count) . $bytes;
        if (strlen($this->chunk) >= 1 << 16) {
            $this->flush();
        }
    }

    public function flush(): void
    {
        fwrite($this->file, $this->chunk);
        $this->chunk = '';
    }

    public function close(): void
    {
        $this->flush();
        fclose($this->file);
        if (proc_close($this->process) !== 0) {
            throw new \RuntimeException('the tape cannot be written');
        }
    }
}

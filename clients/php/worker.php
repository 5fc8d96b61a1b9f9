<?php
// The worker of a phase: the connection, its script and its tape.
declare(strict_types=1);
namespace Kurabe;

final class Worker
{
    private const FAILURES_IN_A_ROW = 100;
    /** Or, where the store is restarted amid the phase, when nothing has succeeded for so long. */
    private const PATIENCE_NS = 10_000_000_000;
    private const WRITES = ['load' => true, 'insert' => true, 'update' => true, 'delete' => true, 'increment' => true];

    private readonly Script $script;
    private readonly Tape $tape;
    /** In an open loop. */
    private readonly ?Starts $starts;
    /** What ended the connection. Unless it is made again, all that follows fails with this. */
    private ?\Throwable $lost = null;

    public function __construct(
        private readonly Store $store,
        private readonly Values $values,
        private readonly array $told,
        private readonly array $phase,
    ) {
        $this->script = new Script($told['script']);
        $this->tape = new Tape($told['tape']);
        $this->starts = ($phase['planned'] ?? false) ? new Starts() : null;
        $store->connect($phase, $told);
    }

    public function warmUp(): void
    {
        // Without a count or a time it would work for ever.
        $count = $this->told['warmup'] ?? (isset($this->phase['warmup_ns']) ? null : 0);
        $this->work($count, $this->phase['warmup_ns'] ?? null);
    }

    public function measure(): void
    {
        $now = hrtime(true);
        $this->tape->note($now, $now, BEGINS);
        if ($this->starts !== null) {
            // Starts come once this is read.
            $this->tape->flush();
        }
        $this->work($this->told['count'] ?? null, $this->phase['duration_ns'] ?? null);
        $this->tape->close();
    }

    public function close(): void
    {
        $this->store->disconnect();
    }

    /** Works until the script ends, so many operations are done, or so long has passed. */
    private function work(?int $most, ?int $lastsNs): void
    {
        $deadline = $lastsNs === null ? PHP_INT_MAX : hrtime(true) + $lastsNs;
        [$left, $end, $failed, $failingSince, $writesFail] = [$most ?? PHP_INT_MAX, 0, 0, 0, false];
        [$due, $uncommitted, $reconnects] = [false, false, ($this->phase['on_loss'] ?? '') === 'reconnect'];
        while ($left-- > 0 && $end < $deadline && ($reconnects || $failed < self::FAILURES_IN_A_ROW)) {
            if ($failed > 0 && $reconnects && !$this->findAgain($failed, min($deadline, $failingSince + self::PATIENCE_NS))) {
                break;
            }
            $entry = $this->starts === null || $this->awaitStart() ? $this->script->next() : null;
            if (!$entry) {
                break;
            }
            [$kind, $commits, $row, $argument, $rows] = $entry;
            $writes = self::WRITES[$kind] ?? false;
            $due = $due || $commits;
            $uncommitted = $uncommitted || $writes;
            // Made before the clock is read: keys, and the value of a write.
            $given = $this->given($kind, $row, $argument, $rows);
            $mustCommit = $writes && $due;
            [$answer, $error, $outcome] = [null, null, FAILED];
            $start = hrtime(true);
            try {
                $answer = $this->lost === null ? $this->store->$kind(...$given) : throw $this->lost;
                if ($mustCommit) {
                    $outcome = COMMIT_FAILED;
                    [$due, $uncommitted] = [false, false];
                    $this->store->commit();
                }
            } catch (\Throwable $thrown) {
                $error = $thrown;
            }
            $end = hrtime(true);
            if ($error === null) {
                // What is written between two commits that fail ends no row of failures.
                if ($mustCommit || $reconnects || !$writesFail) {
                    [$failed, $writesFail] = [0, false];
                }
                $this->note($kind, $row, $rows, $start, $end, $answer);
            } else {
                $failingSince = $failed++ === 0 ? $end : $failingSince;
                $writesFail = $writesFail || ($writes && $kind !== 'load');
                $this->fail($start, $end, $outcome, $error);
            }
        }
        if ($uncommitted) {
            $this->commitRest();
        }
    }

    /** Waits for the planned start of the next operation; whether there is one. */
    private function awaitStart(): bool
    {
        [$free, $start] = [hrtime(true), $this->starts->next()];
        if ($start > 0) {
            $this->tape->note($start, $free, TAKEN);
        }
        return $start > 0;
    }

    /** Makes the connection anew, with pauses that grow; whether there is one before it is too late. */
    private function findAgain(int $tries, int $until): bool
    {
        while (true) {
            usleep(1000 * min(1 << min($tries++, 7), 100));
            if (hrtime(true) >= $until) {
                return false;
            }
            try {
                $this->store->disconnect();
            } catch (\Throwable) {
                // It is gone already.
            }
            try {
                $this->store->connect($this->phase, $this->told);
                $this->lost = null;
                return true;
            } catch (\Throwable) {
                // It is not there yet.
            }
        }
    }

    /** What the method of the connection is given. */
    private function given(string $kind, int $row, int $argument, array $rows): array
    {
        $key = $this->values->key(...);
        return match ($kind) {
            'read', 'delete' => [$key($row)],
            'multiRead', 'open' => [array_map($key, $rows)],
            'increment' => [$row],
            'latest' => [$argument],
            'search' => [$row, $argument],
            'scan' => [],
            default => [$key($row), $this->values->written($row, $argument, $this->store->keepsColumns())],
        };
    }

    private function note(string $kind, int $row, array $rows, int $start, int $end, mixed $answer): void
    {
        $pairs = match (true) {
            isset(self::WRITES[$kind]) => [],
            $kind === 'read' => [[$this->values->key($row), $answer]],
            $kind === 'multiRead', $kind === 'open' => array_map(null, array_map($this->values->key(...), $rows), $answer),
            default => $answer,
        };
        $digests = '';
        foreach ($pairs as [$key, $value]) {
            $digests .= $this->values->digest($key, $value);
        }
        $this->tape->note($start, $end, is_int($answer) ? $answer : DONE, $digests);
    }

    private function fail(int $start, int $end, int $outcome, \Throwable $error): void
    {
        $this->lost ??= $this->store->lost($error) ? $error : null;
        $this->tape->note($start, $end, $outcome, words($error));
    }

    private function commitRest(): void
    {
        $start = hrtime(true);
        try {
            $this->lost === null ? $this->store->commit() : throw $this->lost;
            $this->tape->note($start, hrtime(true), REST_COMMITTED);
        } catch (\Throwable $error) {
            $this->fail($start, hrtime(true), REST_NOT_COMMITTED, $error);
        }
    }
}

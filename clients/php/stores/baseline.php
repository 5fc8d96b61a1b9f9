<?php
// No store: it answers what is expected, and keeps what was written since the load in an array of PHP. What is left
// is the language, the loop, values and tapes.
declare(strict_types=1);
namespace Kurabe;

final class Baseline extends Store
{
    protected const HINT = 'it has none';

    private int $sum;
    /** Values by row since the load, null where it was deleted. */
    private array $written;
    private int $highest;

    public function __construct(array $job, Values $values, string $driver)
    {
        parent::__construct($job, $values, $driver);
        $this->callReset();
    }

    public function capabilities(): array
    {
        $operations = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment'];
        return ['operations' => $operations, 'key_types' => ['int64']];
    }

    /** What was written is there in the next phase. */
    public function connect(array $phase, array $told): void {}

    public function disconnect(): void {}

    public function callReset(): bool
    {
        [$this->written, $this->highest, $this->sum] = [[], $this->job['rows'], 0];
        return true;
    }

    /** Each process counts for itself, so of several nobody knows the sum. */
    public function callSum(): ?array
    {
        return ($this->job['processes'] ?? 1) > 1 ? null : ['sum' => $this->sum];
    }

    private function has(int $row): bool
    {
        return array_key_exists($row, $this->written) ? $this->written[$row] !== null : $row < $this->job['rows'];
    }

    public function load(int $row, string $raw): int
    {
        return DONE;
    }

    public function insert(int $row, string $raw): int
    {
        if ($this->has($row)) {
            return EXISTS;
        }
        $this->highest = max($this->highest, $row + 1);
        $this->written[$row] = $raw;
        return DONE;
    }

    public function update(int $row, string $raw): int
    {
        if (!$this->has($row)) {
            return MISSING;
        }
        $this->written[$row] = $raw;
        return DONE;
    }

    public function delete(int $row): int
    {
        if (!$this->has($row)) {
            return MISSING;
        }
        $this->written[$row] = null;
        return DONE;
    }

    public function increment(int $row): int
    {
        $this->sum++;
        return DONE;
    }

    /** One that nobody wrote since the load is made anew. */
    public function read(int $row): ?string
    {
        if (array_key_exists($row, $this->written)) {
            return $this->written[$row];
        }
        return $row < $this->job['rows'] ? $this->values->written($row, 0, false) : null;
    }

    public function multiRead(array $rows): array
    {
        return array_map($this->read(...), $rows);
    }

    /** Rows that are there, from one on in steps, until there are so many. */
    private function found(int $most, int $row, int $step): array
    {
        $found = [];
        for (; $row >= 0 && $row < $this->highest && count($found) < $most; $row += $step) {
            $raw = $this->read($row);
            if ($raw !== null) {
                $found[] = [$row, $raw];
            }
        }
        return $found;
    }

    public function scan(): array
    {
        return $this->found($this->highest, 0, 1);
    }

    public function latest(int $most): array
    {
        return $this->found($most, $this->highest - 1, -1);
    }
}

<?php
// No store: it answers what is expected, and keeps what was written since the load in an array of PHP. What is left is the
// language, the loop, values and tapes.
declare(strict_types=1);
namespace Kurabe;

final class Floor extends Store
{
    public FloorLane $lane;

    public function __construct(private readonly array $job, private readonly Values $values, string $driver)
    {
        if ($driver !== '') {
            throw self::unknownDriver($job, $driver);
        }
        self::refuseUnknown($job, [], 'it has none');
        $this->callReset();
    }

    public function libraries(): array
    {
        return [];
    }

    public function capabilities(): array
    {
        $operations = ['load', 'insert', 'read', 'update', 'delete', 'scan', 'latest', 'multi-read', 'increment'];
        return ['operations' => $operations, 'key_types' => ['int64']];
    }

    public function connect(array $phase, array $told): Lane
    {
        return $this->lane;
    }

    public function callCreate(): bool
    {
        return $this->callReset();
    }

    public function callReset(): bool
    {
        $this->lane = new FloorLane($this->values, $this->job['rows']);
        return true;
    }

    /** Each process counts for itself, so of several nobody knows the sum. */
    public function callSum(): ?array
    {
        return ($this->job['processes'] ?? 1) > 1 ? null : ['sum' => $this->lane->sum];
    }
}

final class FloorLane extends Lane
{
    public int $sum = 0;
    /** Values by row, null where it was deleted. */
    private array $written = [];
    private int $highest;

    public function __construct(private readonly Values $values, private readonly int $rows)
    {
        $this->highest = $rows;
    }

    private function has(int $row): bool
    {
        return array_key_exists($row, $this->written) ? $this->written[$row] !== null : $row < $this->rows;
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
        return $row < $this->rows ? $this->values->written($row, 0, false) : null;
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

    /** What was written is there in the next phase. */
    public function close(): void {}
}

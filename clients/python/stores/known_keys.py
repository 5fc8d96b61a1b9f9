"""Rows and counters of stores that cannot tell which keys of a namespace they hold: those that the job can have written."""

from __future__ import annotations

from typing import Any, Callable

from kurabe_job import Job, Store

KEYS_PER_REQUEST = 1000
#: Inserted rows are looked for upwards until so many numbers in a row are free.
FREE_ROWS = 10_000


def insert_ranges(job: Job) -> list[tuple[int, int, int]]:
    """First row, end of the rows surely tried, and limit of each range that the job inserts."""
    phases = [phase for phase in job.phases if "insert" in phase.kinds]
    firsts = sorted({phase.first_row for phase in phases})
    ranges = []
    for first in firsts:
        limit = min((later for later in firsts if later > first), default=1 << 32)
        tried = max((phase.count or 0) for phase in phases if phase.first_row == first)
        start = max(first, job.rows)
        ranges.append((start, min(first + tried, limit), limit))
    return ranges


def walk(job: Job, command: Callable[..., int], name: Callable[[int], Any]) -> int:
    """Sums what a command tells of the keys of all rows, or of all counters, that the job can have written."""
    total = 0
    for start, tried, limit in [(0, job.rows, job.rows), *insert_ranges(job)]:
        free = 0
        while start < limit and (start < tried or free < FREE_ROWS):
            stop = min(start + KEYS_PER_REQUEST, limit)
            found = command(*(name(row) for row in range(start, stop)))
            total += found
            free = 0 if found else free + stop - start
            start = stop
    return total


class KeyedStore(Store):
    """A server whose client has a value under a key, and keys of the form `namespace:<key>`; one connection."""

    client: Any

    def close(self) -> None:
        self.client.close()

    def key(self, row: int) -> bytes:
        """The key of a row."""
        return f"{self.job.namespace}:{self.layout.key(row)}".encode()

    def counter(self, row: int) -> bytes:
        """The key of a counter; no row has such a one."""
        raise NotImplementedError

    def request_many(self, rows: list[int]) -> list[bytes]:
        return [self.key(row) for row in rows]

    def request(self, kind: str, row: int, version: int) -> tuple[Any, ...]:
        if kind == "increment":
            return (self.counter(row),)
        if kind in ("read", "delete", "open"):
            return (self.key(row),)
        return (self.key(row), self.layout.raw(row, version))

    def record(self, row: int, version: int) -> bytes:
        return self.layout.raw(row, version)

    def values_of(self, record: bytes) -> tuple[Any, ...]:
        return self.layout.unpack(record)

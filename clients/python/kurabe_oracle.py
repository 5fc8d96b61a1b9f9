"""The oracle: knows what every answer of a store must be (PROTOCOL.md, "The oracle")."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from typing import Any, Iterator

from kurabe_job import ClientError, Job, Phase, Store

# Existence of a row: bit 0 tells what the last acknowledged write left, 2 and 3 that a write which
# may change it is under way or has an unknown fate.
ABSENT, PRESENT, MAYBE_CREATED, MAYBE_DELETED = 0, 1, 2, 3


class Span:
    """History of the rows first, first + step, …: the number of the last acknowledged and of the last
    started write (version + 1; 0 is never written), and whether the row exists."""

    def __init__(self, first: int, step: int, length: int) -> None:
        self.first = first
        self.step = step
        self.acked = array("I", bytes(4 * length))
        self.started = array("I", bytes(4 * length))
        self.state = bytearray(length)

    def index(self, row: int) -> int:
        """Position of a row, or -1."""
        at, rest = divmod(row - self.first, self.step)
        return at if rest == 0 and 0 <= at < len(self.state) else -1

    def grow(self) -> None:
        """Appends one row that was never written."""
        self.acked.append(0)
        self.started.append(0)
        self.state.append(ABSENT)

    def fill_loaded(self, part: slice) -> None:
        """Takes the rows of `part` as loaded: version 0, present."""
        length = len(self.state[part])
        self.acked[part] = self.started[part] = array("I", [1]) * length
        self.state[part] = bytes([PRESENT]) * length

    def ack(self, at: int, number: int, alive: bool) -> None:
        """Write `number` is acknowledged and left a value or none."""
        self.acked[at] = number
        if self.started[at] == number:
            self.state[at] = PRESENT if alive else ABSENT
        elif not alive:
            self.state[at] = MAYBE_CREATED
        elif self.state[at] != MAYBE_DELETED:
            self.state[at] = PRESENT


class Checks:
    """What the oracle found in a phase."""

    def __init__(self) -> None:
        self.counts = Counter(checked=0, wrong=0, stale=0, lost=0, phantom=0, miscounted=0)
        self.examples: list[str] = []

    def fault(self, kind: str, text: str) -> None:
        """Counts one wrong answer; the first five are kept in words."""
        self.counts[kind] += 1
        if len(self.examples) < 5:
            self.examples.append(f"{kind}: {text}")


class Operation:
    """One operation with what the oracle knew of its row right before it."""

    __slots__ = ("kind", "row", "request", "span", "at", "number", "low", "state", "parts", "range", "before")

    def __init__(self, kind: str, row: int) -> None:
        self.kind = kind
        self.row = row
        self.request: Any = None
        self.span: Span | None = None
        self.at = self.number = self.low = self.state = 0


class Oracle:
    """Knows what every answer must be.

    A process owns the rows that its worker writes. With as many processes as connections in all
    phases only those are kept; otherwise all are, since the owner changes from phase to phase.
    """

    def __init__(self, job: Job, store: Store) -> None:
        self.job = job
        self.store = store
        self.checks = Checks()
        fixed = all(phase.connections == job.processes for phase in job.phases)
        self.step = job.processes if fixed else 1
        self.owner_connections = job.processes
        self.clear()
        empty = any("load" in p.kinds or ("insert" in p.kinds and p.first_row < job.rows) for p in job.phases)
        if not empty:
            self.base.fill_loaded(slice(None))

    def clear(self) -> None:
        """Nothing exists."""
        first = self.job.process if self.step > 1 else 0
        self.base = Span(first, self.step, self.job.rows // self.step)
        self.inserted: list[Span] = []
        self.insert_starts: list[int] = []
        self.changed_by: set[int] = set()
        self.deleted = self.newest_changed = False

    def start_phase(self, phase: Phase) -> None:
        """Notes what a phase does before it begins, whichever process does it."""
        if "load" in phase.kinds:
            self.changed_by = set()
            self.deleted = False
        if phase.kinds & {"update", "delete"}:
            self.changed_by.add(phase.connections)
            # Elsewhere only loaded rows are changed.
            self.newest_changed = self.newest_changed or phase.distribution == "latest"
            self.deleted = self.deleted or "delete" in phase.kinds
        if "insert" in phase.kinds:
            self.insert_starts.append(phase.first_row)
        if phase.kinds & {"load", "update", "delete"}:
            self.owner_connections = phase.connections

    def end_phase(self, phase: Phase) -> None:
        """After a load the rows of the other processes are there too."""
        if phase.operation == "load" and self.step == 1:
            for worker in range(phase.connections):
                if worker % self.job.processes != self.job.process:
                    self.base.fill_loaded(slice(worker, None, phase.connections))

    def knows(self, row: int) -> bool:
        """Whether every write of an old row was done by this process, or none was done."""
        job = self.job
        if job.processes == 1 or not self.changed_by:
            return True
        return all(row % connections % job.processes == job.process for connections in self.changed_by)

    def locate(self, row: int) -> tuple[Span, int] | None:
        """Where the history of a row is kept, or None."""
        if row < self.job.rows:
            at = self.base.index(row)
            return (self.base, at) if at >= 0 else None
        for span in self.inserted:
            at = span.index(row)
            if at >= 0:
                return span, at
        return None

    def look(self, operation: Operation) -> None:
        """Notes in a read what may be seen from now on."""
        place = self.locate(operation.row)
        if place is None or not self.knows(operation.row):
            operation.span = None
            return
        span, at = operation.span, operation.at = place
        operation.state = state = span.state[at]
        operation.low = span.acked[at] + (0 if state & 1 else 1)

    def start(self, operation: Operation) -> int:
        """Notes a write that is about to start; returns the version that it writes."""
        place = self.locate(operation.row)
        if place is None:
            raise ClientError(f"row {operation.row} is not owned by process {self.job.process}")
        span, at = operation.span, operation.at = place
        if operation.kind == "load":
            span.started[at] = span.acked[at] = span.state[at] = 0
        operation.state = state = span.state[at]
        operation.number = number = span.started[at] + 1
        span.started[at] = number
        if operation.kind == "delete":
            span.state[at] = MAYBE_DELETED if state == PRESENT else state
        elif state == ABSENT:
            span.state[at] = MAYBE_CREATED
        return number - 1

    def judge_write(self, operation: Operation, answer: bool) -> bool | None:
        """Checks the answer of a write; returns whether it left a value, None if it changed nothing.

        Only this process may have written the row, unless other processes changed it (`knows`).
        """
        self.checks.counts["checked"] += 1
        kind, state = operation.kind, operation.state
        sure = self.knows(operation.row)
        if kind == "insert" and not answer:
            if state == ABSENT and sure:
                self.checks.fault("phantom", f"insert of row {operation.row} met a row never written")
            self.take_back(operation)
            return None
        if kind == "insert" and state == PRESENT and sure and self.store.insert_mode == "exists":
            self.checks.fault("lost", f"insert of row {operation.row}: accepted, but the row exists and must have been met")
        if kind in ("update", "delete") and sure:
            if not answer and state == PRESENT:
                self.checks.fault("lost", f"{kind} of row {operation.row}, which must exist, met none")
            if answer and state == ABSENT:
                self.checks.fault("phantom", f"{kind} of row {operation.row} found a row that is deleted")
        return answer and kind != "delete"

    def take_back(self, operation: Operation) -> None:
        """A write that certainly did not happen."""
        span, at = operation.span, operation.at
        if span.started[at] == operation.number:
            span.started[at] = operation.number - 1
            span.state[at] = operation.state

    def judge_read(self, operation: Operation, answer: Any) -> None:
        """Checks what a read gave, None for missing."""
        self.checks.counts["checked"] += 1
        span = operation.span
        if answer is None:
            must_exist = not self.deleted if span is None else operation.state == PRESENT
            if must_exist:
                self.checks.fault("lost", f"row {operation.row} was not found")
            return
        if span is None:
            self.judge_foreign(operation.row, answer)
            return
        low, high = operation.low, span.started[operation.at]
        if low == high and answer == self.store.record(operation.row, low - 1):
            return
        self.judge_range(operation, answer, low, high)

    def judge_foreign(self, row: int, answer: Any) -> None:
        """Checks a value whose history is not known here: it must be whole and of its row."""
        changed = bool(self.changed_by) if row < self.job.rows else self.newest_changed
        claimed = self.claim(answer) if changed else (row, 0)
        if claimed is None and self.store.layout.head is None:
            expected = self.store.record(row, 0)
            whole = type(answer) is type(expected) and len(answer) == len(expected)
        else:
            whole = claimed is not None and claimed[0] == row and answer == self.store.record(row, claimed[1])
        if not whole:
            self.checks.fault("wrong", f"row {row} holds a value that is not whole or not its own")

    def claim(self, answer: Any) -> tuple[int, int] | None:
        """Row and version that an answer claims to be of."""
        return self.store.layout.claim(self.store.values_of(answer))

    def judge_range(self, operation: Operation, answer: Any, low: int, high: int) -> None:
        """Checks a value that may be of several versions, or tells what is wrong with it."""
        row = operation.row
        if self.store.layout.head is None:
            if not any(answer == self.store.record(row, number - 1) for number in range(low, high + 1)):
                self.checks.fault("wrong" if low <= high else "phantom", f"row {row} holds another value")
            return
        claimed = self.claim(answer)
        if claimed is None or answer != self.store.record(*claimed):
            self.checks.fault("wrong", f"row {row} holds a value that is not whole")
        elif claimed[0] != row:
            self.checks.fault("wrong", f"row {row} holds the value of row {claimed[0]}")
        elif claimed[1] + 1 > high or (claimed[1] + 1 < low and not operation.state & 1):
            self.checks.fault("phantom", f"row {row} has version {claimed[1]}, deleted or never written")
        elif claimed[1] + 1 < low:
            self.checks.fault("stale", f"row {row} has version {claimed[1]}, acknowledged is {low - 1}")

    def judge_many(self, reads: list[Operation], answers: list[Any]) -> None:
        """Checks what a multi-read gave, an answer for each of its keys."""
        if len(answers) != len(reads):
            self.checks.fault("miscounted", f"a multi-read of {len(reads)} keys gave {len(answers)} answers")
            return
        for read, answer in zip(reads, answers):
            self.judge_read(read, answer)

    def look_at_range(self, rows: range | None) -> list[tuple[Span, int, int, int]]:
        """Of these rows, or of all, those that are known here: where, and how far their writes have got."""
        if rows is None:
            places = ((span, at, span.first + at * span.step)
                      for span in [self.base, *self.inserted] for at in range(len(span.state)))
        else:
            found = ((self.locate(row), row) for row in rows)
            places = ((*place, row) for place, row in found if place is not None)
        return [(span, at, row, span.acked[at]) for span, at, row in places
                if span.state[at] == PRESENT and span.acked[at] == span.started[at]
                and (span is not self.base or self.knows(row))]

    def judge_search(self, operation: Operation, answer: list[Any]) -> None:
        """Checks every row of a search, that its value is in the range, and that none is twice or left out."""
        field, low, high = operation.range
        seen = set()
        for record in answer:
            row = self.judge_row(record)
            values = self.store.values_of(record)
            if not low <= values[field - 1] <= high:
                self.checks.fault("wrong", f"a search gave row {row}, whose value is not in the range")
            if row in seen:
                self.checks.fault("miscounted", f"a search gave row {row} twice")
            seen.add(row)
        self.checks.counts["checked"] += 1
        for span, at, row, number in operation.before:
            same = span.state[at] == PRESENT and span.started[at] == number
            if same and row not in seen and low <= self.store.layout.int_value(row, number - 1, field) <= high:
                self.checks.fault("lost", f"a search for {low} to {high} left row {row} out")

    def judge_row(self, record: Any) -> int | None:
        """Checks one row of a scan or latest by itself; returns its number if it has one."""
        key = self.store.key_of(record)
        row = self.store.layout.row_of(key)
        if row is None:
            self.checks.counts["checked"] += 1
            self.checks.fault("phantom", f"a key that was never written: '{str(key)[:40]}'")
            return None
        alone = self.job.processes == 1
        if row >= self.job.rows and self.locate(row) is None:
            if alone or not any(start <= row for start in self.insert_starts):
                self.checks.counts["checked"] += 1
                self.checks.fault("phantom", f"row {row} was never written")
                return row
        operation = Operation("read", row)
        self.look(operation)
        self.judge_read(operation, record)
        return row

    def start_scan(self) -> list[tuple[Span, bytearray]]:
        """Marks for the rows of each span, to see that a scan gives each exactly once."""
        return [(span, bytearray(len(span.state))) for span in [self.base, *self.inserted]]

    def see(self, seen: list[tuple[Span, bytearray]], record: Any) -> None:
        """Checks one row of a scan and marks it; a row that comes a second time is a fault."""
        row = self.judge_row(record)
        for span, marks in seen if row is not None else ():
            at = span.index(row)
            if at >= 0:
                if marks[at]:
                    self.checks.fault("miscounted", f"a scan gave row {row} twice")
                marks[at] = 1
                return

    def end_scan(self, seen: list[tuple[Span, bytearray]]) -> None:
        """Checks that all rows which must exist were seen."""
        self.checks.counts["checked"] += 1
        for span, marks in seen:
            if marks.count(0) == 0:
                continue
            for at, mark in enumerate(marks):
                row = span.first + at * span.step
                if not mark and span.state[at] == PRESENT and (span is not self.base or self.knows(row)):
                    self.checks.fault("miscounted", f"a scan did not give row {row}")
                    return

    def owned(self) -> Iterator[tuple[int, int]]:
        """Rows whose history is known here, highest first, each with its state."""
        for span in sorted(self.inserted, key=lambda one: -one.first) + [self.base]:
            for at in range(len(span.state) - 1, -1, -1):
                row = span.first + at * span.step
                if span is not self.base or self.knows(row):
                    yield row, span.state[at]

    def judge_latest(self, answer: list[Any], asked: int) -> None:
        """Checks the newest rows, their order and their completeness."""
        rows = [row for row in map(self.judge_row, answer) if row is not None]
        self.checks.counts["checked"] += 1
        if len(rows) > asked or any(after >= before for before, after in zip(rows, rows[1:])):
            self.checks.fault("miscounted", f"latest gave {len(rows)} of {asked} rows, or in a wrong order")
            return
        given, lowest = set(rows), rows[-1] if len(rows) == asked else -1
        for row, state in self.owned():
            if row < lowest:
                return
            if state == PRESENT and row not in given:
                self.checks.fault("lost", f"latest gave {len(rows)} rows without row {row}")
                return

    def present(self) -> tuple[int, int]:
        """Rows owned by this process that exist, and those of which that is unknown."""
        parts = [(span.state, True) for span in self.inserted]
        if self.step > 1 or self.job.processes == 1:
            parts.append((self.base.state, True))
        else:
            period = math.lcm(self.owner_connections, *self.changed_by)
            for row in range(min(period, self.job.rows)):
                if row % self.owner_connections % self.job.processes == self.job.process:
                    parts.append((self.base.state[row::period], self.knows(row)))
        present = unknown = 0
        for state, known in parts:
            present += state.count(PRESENT) if known else 0
            unknown += state.count(MAYBE_CREATED) + state.count(MAYBE_DELETED) if known else len(state)
        return present, unknown

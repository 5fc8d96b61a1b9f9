"""Kurabe's Python client: the measuring loop and the protocol on stdin and stdout.

Speaks version 1 of docs/PROTOCOL.md. One process is one worker with one connection; a job with
several connections comes as several processes. A store is one small module in `stores/`. Needs
Python 3.11 and, for itself, nothing beyond the standard library.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import resource
import select
import sys
import traceback
from array import array
from collections import deque
from typing import Any, Callable, Sequence

from kurabe_job import (KINDS, MAX_SAFE_INTEGER, PROTOCOL, ROW_WRITES, WRITES, ClientError, HarnessGone, Job, Layout,
                        Phase, Refused, Store, Unsupported)
from kurabe_oracle import Checks, Operation, Oracle, Span
from kurabe_record import NEVER_NS, Recorder, clean, clock, describe, hide
from stores import find_store

VERSION = "0.1.0"

TICK_NS = 5_000_000
PROGRESS_NS = 500_000_000
FAILURES_IN_A_ROW = 100
#: Methods of a store whose names are not those of the operations.
METHODS = {"multi-read": "multi_read", "open": "open_and_read"}


def stream_start(worker: int, workers: int, entries: int) -> int:
    """Entry where a worker starts to read a stream."""
    return worker * entries // workers


def owned(row: int, worker: int, workers: int) -> int:
    """The row that a worker may write in place of a drawn one."""
    return row - row % workers + worker


def back_from_newest(distance: int, rows: int, first_row: int, worker: int, workers: int, inserted: int) -> int:
    """The row `distance` before the newest one of a worker that has inserted so many in this phase; before the last
    loaded one where it has inserted none. Among inserted rows it is one of the worker's own."""
    if inserted == 0:
        return max(rows - 1 - distance, 0)
    own = first_row + worker + (inserted - 1) * workers
    row = own - distance
    if row >= first_row:
        return row - (row - first_row) % workers + worker
    return max(rows - (first_row - row), 0)


def share(count: int, worker: int, workers: int) -> int:
    """How many of the numbers below `count` a worker takes."""
    return max(0, -((worker - count) // workers))


def read_stream(path: str | None, code: str) -> Sequence[int] | None:
    """A stream file mapped into memory; `code` is the type of its entries as in `array`."""
    if path is None:
        return None
    with open(path, "rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if sys.byteorder == "big" and code != "B":
        swapped = array(code, data.tobytes())
        swapped.byteswap()
        return swapped
    return data.cast(code)


class Scan:
    """Reads everything in blocks and checks each block before the next, with the clock put aside."""

    def __init__(self, store: Store, oracle: Oracle, tick: Callable[[int], None]) -> None:
        self.store, self.oracle, self.tick = store, oracle, tick
        self.outside_ns = 0

    def run(self) -> int:
        """Does the scan; returns the number of rows. `outside_ns` is the time that was not the driver's."""
        begun = clock()
        seen = self.oracle.start_scan()
        self.outside_ns += clock() - begun
        rows = 0
        for block in self.store.scan():
            got = clock()
            rows += len(block)
            for record in block:
                self.oracle.see(seen, record)
            self.tick(got)
            self.outside_ns += clock() - got
        got = clock()
        self.oracle.end_scan(seen)
        self.outside_ns += clock() - got
        return rows


class Worker:
    """One connection's part of a phase: chooses, does, times and checks its operations."""

    def __init__(self, job: Job, phase: Phase, store: Store, oracle: Oracle,
                 tick: Callable[[int], None]) -> None:
        self.job, self.phase, self.store, self.oracle = job, phase, store, oracle
        self.number, self.workers = job.process, phase.connections
        self.tick = tick
        self.taken = self.inserts = 0
        self.rows = read_stream(phase.rows_stream, "I")
        self.kinds = read_stream(phase.kinds_stream, "B") if phase.operation == "mix" else None
        self.row_at = stream_start(self.number, self.workers, len(self.rows)) if self.rows else 0
        self.kind_at = stream_start(self.number, self.workers, len(self.kinds)) if self.kinds else 0
        self.owns_reads = bool(oracle.changed_by) or bool(phase.kinds & ROW_WRITES)
        self.inserted = self.insert_span() if "insert" in phase.kinds else None
        self.transactional = store.transactions and (phase.commit_every > 1 or phase.group > 1)
        self.group = phase.group
        self.open = False
        #: Increments of the phase, its warm-up included: acknowledged, of unknown fate, waiting for their commit.
        self.increments = [0, 0, 0]
        self.pending: list[tuple[Span, int, int, bool]] = []
        self.writes = 0
        # Whether a write failed since the last commit: what succeeds meanwhile is no end of a row of failures.
        self.write_fails = False

    def insert_span(self) -> Span:
        """History of the rows that this worker inserts."""
        span = Span(self.phase.first_row + self.number, self.workers, 0)
        self.oracle.inserted.append(span)
        return span

    def draw_kind(self) -> str:
        """Kind of the next operation."""
        if self.kinds is None:
            return self.phase.operation
        kind = KINDS[self.kinds[self.kind_at]]
        self.kind_at = (self.kind_at + 1) % len(self.kinds)
        if kind not in self.phase.kinds:
            raise ClientError(f"the kinds stream of phase '{self.phase.name}' has '{kind}', its mix has not")
        return kind

    def draw_row(self, kind: str, number: int) -> int:
        """Row of operation `number`."""
        if kind == "load":
            return number
        if kind == "insert":
            row = self.phase.first_row + self.number + self.inserts * self.workers
            self.inserts += 1
            if row >= self.job.rows:
                while self.inserted.index(row) < 0:
                    self.inserted.grow()
            return row
        row = self.draw_any(number)
        if kind in ("increment", "search"):
            # The newest row may be one that was inserted.
            return row % self.job.rows
        if kind in ("update", "delete") or self.owns_reads:
            return owned(row, self.number, self.workers)
        return row

    def draw_any(self, number: int) -> int:
        """The next row, whoever owns it."""
        if self.rows is None:
            return number % self.job.rows
        row = self.rows[self.row_at]
        self.row_at = (self.row_at + 1) % len(self.rows)
        if self.phase.distribution == "latest":
            return back_from_newest(row, self.job.rows, self.phase.first_row, self.number, self.workers, self.inserts)
        return row

    def draw_many(self, number: int) -> list[Operation]:
        """The reads of a multi-read: different rows; for one that is drawn twice its neighbour is taken."""
        step = self.workers if self.owns_reads else 1
        rows: list[int] = []
        for _ in range(min(self.phase.multi_read_rows, self.job.rows // step)):
            row = self.draw_row("read", number)
            while row in rows:
                row = (row + step) % self.job.rows
            rows.append(row)
        reads = [Operation("read", row) for row in rows]
        for read in reads:
            self.oracle.look(read)
        return reads

    def draw_range(self, number: int) -> tuple[tuple[int, int, int], range | None]:
        """What a search asks for: number of the field, and least and greatest value; and the rows that this is
        about, None for all."""
        layout, search = self.store.layout, self.phase.search
        field = layout.int_field(search["field"])
        row = self.draw_row("search", number)
        if "at_least" in search:
            # No value is larger than the other end: stores get a range as they do otherwise.
            return (field, search["at_least"], MAX_SAFE_INTEGER), None
        rows = min(max(search["rows"], 1), self.job.rows)
        first = min(row, self.job.rows - rows)
        return (field, layout.int_value(first, 0, field), layout.int_value(first + rows - 1, 0, field)), \
            range(first, first + rows)

    def draw(self) -> Operation:
        """The next operation, prepared."""
        kind = self.draw_kind()
        number = self.number + self.taken * self.workers
        self.taken += 1
        if kind in ("scan", "latest"):
            operation = Operation(kind, -1)
            operation.request = self.phase.latest_rows
            return operation
        if kind == "multi-read":
            operation = Operation(kind, -1)
            operation.parts = self.draw_many(number)
            operation.request = self.store.request_many([part.row for part in operation.parts])
            return operation
        if kind == "search":
            operation = Operation(kind, -1)
            operation.range, rows = self.draw_range(number)
            operation.before = self.oracle.look_at_range(rows)
            operation.request = self.store.request_range(*operation.range)
            return operation
        operation = Operation(kind, self.draw_row(kind, number))
        version = 0
        if kind in ("read", "open"):
            self.oracle.look(operation)
        elif kind != "increment":
            version = self.oracle.start(operation)
        operation.request = self.store.request(kind, operation.row, version)
        return operation

    def work(self, budget: int, until_ns: int, record: Recorder) -> str:
        """Does operations until `budget` of them are done or the time is over; tells which."""
        failed_in_a_row = 0
        while budget > 0:
            group = [self.draw() for _ in range(min(self.group, budget))]
            budget -= len(group)
            failed, end = self.do(group, budget == 0, until_ns, record)
            record.last_end_ns = end
            if failed == len(group):
                failed_in_a_row += failed
            elif not self.write_fails:
                failed_in_a_row = 0
            if end >= until_ns:
                return "duration"
            if failed_in_a_row >= FAILURES_IN_A_ROW:
                return "failures"
            self.tick(end)
        return "count"

    def do(self, group: list[Operation], last: bool, until_ns: int, record: Recorder) -> tuple[int, int]:
        """Does one group of operations; returns how many failed and the end stamp."""
        store = self.store
        writes = sum(one.kind in WRITES for one in group) if self.transactional else 0
        begins = writes > 0 and not self.open
        perform, arguments, scan = self.plan(group)
        start = clock()
        try:
            if begins:
                store.begin()
                self.open = True
            answer = perform(*arguments)
            end = clock()
            self.writes += writes
            commits = self.open and (last or end >= until_ns or self.writes >= self.phase.commit_every)
            if commits:
                store.commit()
                end = clock()
                self.open = False
        except store.errors as error:
            end = clock()
            self.give_up(group, error, record)
            return len(group), end
        finally:
            record.first_start_ns = record.first_start_ns or start
        latency = end - start - (scan.outside_ns if scan else 0)
        failed = self.conclude(group, answer if len(group) > 1 else [answer], latency, end, record)
        if commits or not self.transactional:
            self.acknowledge()
        return failed, end

    def plan(self, group: list[Operation]) -> tuple[Callable[..., Any], tuple[Any, ...], Scan | None]:
        """The request that does a group: method, arguments, and the scan if it is one."""
        if len(group) > 1:
            return self.store.send, ([one.kind for one in group], [one.request for one in group]), None
        first = group[0]
        if first.kind == "scan":
            scan = Scan(self.store, self.oracle, self.tick)
            return scan.run, (), scan
        return getattr(self.store, METHODS.get(first.kind, first.kind)), (first.request,), None

    def conclude(self, group: list[Operation], answers: list[Any], latency: int, end: int,
                 record: Recorder) -> int:
        """Counts and checks what a group answered; returns how many failed."""
        failed = 0
        for operation, answer in zip(group, answers):
            kind = operation.kind
            if isinstance(answer, self.store.errors):
                record.fail(kind, describe(answer))
                self.increments[1] += kind == "increment"
                failed += 1
                continue
            record.done(kind, latency, end)
            if kind in ("read", "open"):
                self.oracle.judge_read(operation, answer)
            elif kind == "multi-read":
                record.rows_read += sum(one is not None for one in answer)
                self.oracle.judge_many(operation.parts, answer)
            elif kind == "search":
                record.rows_read += len(answer)
                self.oracle.judge_search(operation, answer)
            elif kind == "increment":
                self.oracle.checks.counts["checked"] += 1
                self.increments[2] += 1
            elif kind == "scan":
                record.rows_read += answer
            elif kind == "latest":
                record.rows_read += len(answer)
                self.oracle.judge_latest(answer, operation.request)
            else:
                alive = self.oracle.judge_write(operation, answer)
                if alive is not None:
                    self.pending.append((operation.span, operation.at, operation.number, alive))
        return failed

    def acknowledge(self) -> None:
        """What was written so far is committed."""
        for span, at, number, alive in self.pending:
            span.ack(at, number, alive)
        self.pending.clear()
        self.increments[0] += self.increments[2]
        self.increments[2] = 0
        self.writes = 0
        self.write_fails = False

    def give_up(self, group: list[Operation], error: Exception, record: Recorder) -> None:
        """A group failed, and with it the open transaction: the fate of all its writes is unknown."""
        for operation in group:
            record.fail(operation.kind, describe(error))
        self.write_fails = self.write_fails or any(one.kind in WRITES for one in group)
        self.increments[1] += self.increments[2] + sum(operation.kind == "increment" for operation in group)
        self.increments[2] = 0
        self.pending.clear()
        self.writes = 0
        self.open = False
        self.store.recover()


class Inbox:
    """Lines from the harness, read without ever waiting unless asked to."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.lines: deque[str] = deque()
        self.rest = b""
        self.ended = self.stop_seen = False

    def receive(self) -> None:
        """Reads once; waits if nothing is there."""
        data = os.read(self.descriptor, 1 << 16)
        self.ended = not data
        *lines, self.rest = (self.rest + (data or b"\n")).split(b"\n")
        for line in lines:
            if line.strip():
                self.lines.append(line.decode("utf-8", "replace"))
                self.stop_seen = self.stop_seen or is_stop(self.lines[-1])

    def look(self) -> None:
        """Takes what has come; raises `HarnessGone` where stdin ended without `stop`."""
        while not self.ended and not self.stop_seen and select.select([self.descriptor], [], [], 0)[0]:
            self.receive()
        if self.ended and not self.stop_seen:
            raise HarnessGone

    def next(self) -> dict[str, Any]:
        """The next line, waiting for it."""
        while not self.lines:
            if self.ended:
                raise HarnessGone
            self.receive()
        line = self.lines.popleft()
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise ClientError(f"not a JSON object: '{line[:120]}'")
        return message


def is_stop(line: str) -> bool:
    """Whether a line is the `stop` message."""
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and "stop" in message


class Session:
    """One job from its first line to `stop`."""

    def __init__(self, inbox: Any, emit: Callable[[dict[str, Any]], None]) -> None:
        self.inbox, self.emit = inbox, emit
        self.store: Store
        self.prepared: dict[str, tuple[Worker | None, Checks]] = {}
        self.running: tuple[str, Recorder] | None = None
        self.next_tick_ns = self.next_progress_ns = 0

    def start(self, line: dict[str, Any], factory: Callable[[Job, Layout], Store] | None = None) -> None:
        """Takes the job and answers the receipt; `factory` replaces the job's store."""
        self.job = job = Job.parse(line)
        hide(job.url)
        with open(job.pool, "rb") as file:
            layout = Layout(job.schema, file.read())
        self.store = (factory or find_store(job.candidate["store"], *sys.argv[1:2]))(job, layout)
        self.oracle = Oracle(job, self.store)
        self.phases = {phase.name: phase for phase in job.phases}
        self.emit({"hello": {"kurabe": PROTOCOL, "client": "python", "version": VERSION,
                             "libraries": self.store.libraries(), "capabilities": self.store.capabilities()}})

    def run(self) -> None:
        """Works off the lines until `stop`."""
        self.start(self.inbox.next())
        try:
            while not self.step(self.inbox.next()):
                pass
        finally:
            self.store.close()

    def step(self, line: dict[str, Any]) -> bool:
        """Works off one line; True after `stop`."""
        if "stop" in line:
            self.store.close()
            self.emit({"end": True})
            return True
        if "call" in line:
            self.emit(self.answer(line["call"], line.get("id")))
        elif "prepare" in line:
            self.prepare(self.phase(line["prepare"]))
        elif "go" in line:
            self.go(self.phase(line["go"]))
        elif "skip" in line:
            self.prepared.pop(line["skip"], None)
        else:
            raise ClientError(f"no message of this protocol: '{json.dumps(line)[:120]}'")
        return False

    def phase(self, name: str) -> Phase:
        """The phase of a name."""
        if name not in self.phases:
            raise ClientError(f"phase '{name}' is not in the job; it has {', '.join(self.phases)}")
        return self.phases[name]

    def answer(self, name: str, number: Any) -> dict[str, Any]:
        """The reply to a call, with what it leaves out since the user may not read it."""
        try:
            self.store.open()
            told = self.store.call(name)
            if name in ("create", "reset"):
                self.oracle.clear()
            reply: dict[str, Any] = {"ok": told}
        except Unsupported:
            reply = {"unsupported": True}
        except self.store.errors as error:
            reply = {"error": describe(error)}
        absent = [clean(text) for text in self.store.absent]
        self.store.absent.clear()
        return {"reply": number, **reply, **({"absent": absent} if absent else {})}

    def tick(self, now_ns: int) -> None:
        """Looks at stdin every 5 ms and tells the progress every half second."""
        if now_ns < self.next_tick_ns:
            return
        self.next_tick_ns = now_ns + TICK_NS
        self.inbox.look()
        if self.running and now_ns >= self.next_progress_ns:
            self.next_progress_ns = now_ns + PROGRESS_NS
            name, record = self.running
            self.emit({"progress": name, "operations": record.completed})

    def prepare(self, phase: Phase) -> None:
        """Connects, does the warm-up and says `ready`."""
        obstacle = self.store.obstacle(phase)
        if self.job.data is not None:
            # The receipt says so too; rows that are made up must not pass for those of the file.
            obstacle = "this client knows generated rows only, none of a data file"
        if obstacle:
            raise ClientError(f"phase '{phase.name}': {obstacle}")
        self.store.open()
        self.store.prepare(phase)
        self.oracle.checks = Checks()
        self.oracle.start_phase(phase)
        worker = None
        if self.job.process < phase.connections:
            worker = Worker(self.job, phase, self.store, self.oracle, self.tick)
            if phase.warmup:
                limits = phase.warmup.get("count"), phase.warmup.get("duration-ns")
                self.work(worker, Recorder(), *limits)
        self.prepared[phase.name] = (worker, self.oracle.checks)
        self.emit({"ready": phase.name})

    def work(self, worker: Worker, record: Recorder, count: int | None, duration_ns: int | None) -> str:
        """Lets the worker do so many operations or work for so long."""
        phase = worker.phase
        budget = NEVER_NS if count is None else share(count, worker.number, worker.workers)
        if phase.operation == "load":
            budget = min(budget, share(self.job.rows, worker.number, worker.workers) - worker.taken)
        until = NEVER_NS if duration_ns is None else clock() + duration_ns
        if phase.read_scope == "snapshot":
            self.store.begin_snapshot()
        stopped_by = worker.work(budget, until, record)
        if phase.read_scope == "snapshot":
            self.store.commit()
        return stopped_by

    def go(self, phase: Phase) -> None:
        """Does a phase and tells its result."""
        if phase.name not in self.prepared:
            self.prepare(phase)
        worker, self.oracle.checks = self.prepared.pop(phase.name)
        gc.collect()
        gc.freeze()
        before = resource.getrusage(resource.RUSAGE_SELF)
        record = Recorder()
        encoded_before = self.store.encoding_ns()
        self.running = (phase.name, record)
        self.next_progress_ns = clock() + PROGRESS_NS
        stopped_by = self.work(worker, record, phase.count, phase.duration_ns) if worker else "count"
        self.running = None
        after = resource.getrusage(resource.RUSAGE_SELF)
        self.oracle.end_phase(phase)
        told = self.result(phase, worker, record, stopped_by, before, after)
        if encoded_before is not None:
            told["encoding_ns"] = self.store.encoding_ns() - encoded_before
        self.emit({"result": told})

    def result(self, phase: Phase, worker: Worker | None, record: Recorder, stopped_by: str,
               before: Any, after: Any) -> dict[str, Any]:
        """The result as it travels."""
        present, unknown = self.oracle.present()
        workers = []
        if worker:
            workers.append({"worker": worker.number, "operations": record.completed, "failed": record.failed,
                            "first_start_ns": record.first_start_ns, "last_end_ns": record.last_end_ns})
        told = {
            "phase": phase.name, "workers": workers, **record.told(),
            "checks": {**self.oracle.checks.counts, "examples": self.oracle.checks.examples},
            "cpu_user_ns": round((after.ru_utime - before.ru_utime) * 1e9),
            "cpu_system_ns": round((after.ru_stime - before.ru_stime) * 1e9),
            "threads": len(workers), "rows_present": present, "rows_unknown": unknown,
            "stopped_by": stopped_by,
        }
        if "increment" in phase.kinds:
            acknowledged, unknown, _ = worker.increments if worker else (0, 0, 0)
            told["increments"] = {"acknowledged": acknowledged, "unknown": unknown}
        if stopped_by == "failures":
            told["message"] = f"{FAILURES_IN_A_ROW} failed in a row, the last with: {record.message}"
        return told


class Emitter:
    """Writes messages as lines."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __call__(self, message: dict[str, Any]) -> None:
        data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except BrokenPipeError:
            raise HarnessGone from None


def main() -> int:
    """Speaks the protocol; returns the exit status."""
    emit = Emitter(os.dup(1))
    os.dup2(2, 1)
    try:
        Session(Inbox(0), emit).run()
    except HarnessGone:
        return 3
    except (Refused, ClientError) as error:
        emit({"error": clean(str(error))})
        return 2 if isinstance(error, Refused) else 1
    except Exception as error:
        print(clean(traceback.format_exc()), file=sys.stderr)
        emit({"error": describe(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

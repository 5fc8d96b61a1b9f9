"""The loop that measures: one connection's part of a phase, from its script to its tape.

Values and requests are made before the start stamp of an operation, digests of what came after its end stamp.
"""

from __future__ import annotations

import time
from typing import Any, Callable

from kurabe_tape import (BEGINS, COMMIT, COMMIT_FAILED, DONE, EXISTS, FAILED, INSERT, KIND_BITS, KINDS, LATEST, LOAD,
                         MISSING, MULTI_READ, OPEN, READ, REST_COMMITTED, REST_NOT_COMMITTED, SCAN, SEARCH, TAKEN,
                         TOGETHER, WRITES, Entry, Script, Tape, next_start)
from kurabe_values import NOTHING, clock
from stores import Store

FAILURES_IN_A_ROW = 100
#: Or, where the store is restarted amid the phase, when nothing has succeeded for so long.
PATIENCE_NS = 10_000_000_000
#: Pauses before connecting again begin with twice as many seconds and double up to the longest.
PAUSE_S, LONGEST_PAUSE_S = 0.001, 0.1
NEVER_NS = 1 << 62
#: Start and end stamp, what came of it, and what the driver answered or how it failed.
Attempt = tuple[int, int, int, Any, Exception | None]
#: Methods of a store whose names are not those of the operations.
METHODS = {"multi-read": "multi_read", "open": "open_and_read"}


class Worker:
    """The worker of a phase. `told` is what `prepare` says of it, `phase` all that it says."""

    def __init__(self, store: Store, told: dict[str, Any], phase: dict[str, Any]) -> None:
        self.store, self.told, self.phase = store, told, phase
        self.script, self.tape = Script(told["script"]), Tape(told["tape"])
        self.entries = self.script.entries()
        self.methods: list[Callable[[Any], Any]] = [
            getattr(store, METHODS.get(kind, kind), self.lacking) for kind in KINDS]
        self.methods[SCAN] = self.scan
        is_together = phase.get("commit_every", 1) > 1 or phase.get("load_path") == "batch"
        #: Whether writes are in transactions that are begun and committed, and whether one is open.
        self.transactional, self.open = store.transactions and is_together, False
        self.planned = phase.get("planned", False)
        self.reconnects = phase.get("on_loss") == "reconnect"
        self.outside_ns = 0
        self.rest()
        self.begin_snapshot()

    def rest(self) -> None:
        """Nothing has failed, and nothing waits for a commit."""
        self.failed = self.failing_since = 0
        #: Whether a write failed since the last commit; whether a commit is due, and writes wait for it.
        self.write_fails = self.due = self.uncommitted = False

    def begin_snapshot(self) -> None:
        """Begins the one snapshot that all reads see, where the phase asks for it."""
        if self.phase.get("read_scope") == "snapshot":
            self.store.begin_snapshot()

    def warm_up(self) -> None:
        """Does the operations that are not measured, where there are any."""
        lasts_ns = self.phase.get("warmup_ns")
        count = self.told.get("warmup")
        # Without a count or a time it would work for ever.
        self.work(0 if count is None and lasts_ns is None else count, lasts_ns)

    def measure(self) -> None:
        """Does the operations that are measured."""
        now = clock()
        self.tape.note(now, now, BEGINS)
        if self.planned:
            # Starts come once this is read.
            self.tape.flush()
        self.work(self.told.get("count"), self.phase.get("duration_ns"))
        self.tape.flush()

    def close(self) -> None:
        """Ends script and tape, whether they were gone through or not, and the snapshot."""
        self.script.close()
        self.tape.close()
        if self.phase.get("read_scope") == "snapshot":
            try:
                self.store.commit()
            except self.store.errors:
                # A connection that is gone has no snapshot any more.
                self.store.recover()

    def lacking(self, _: Any) -> None:
        """What an operation does that the store has not."""
        raise NotImplementedError("the store has no such operation")

    def work(self, most: int | None, lasts_ns: int | None) -> None:
        """Works until the script ends, so many are done, or so long has passed; then commits what is left."""
        deadline = NEVER_NS if lasts_ns is None else clock() + lasts_ns
        left, end = NEVER_NS if most is None else most, 0
        self.rest()
        while left > 0 and end < deadline and (self.reconnects or self.failed < FAILURES_IN_A_ROW):
            if self.failed and self.reconnects and not self.connect_again(deadline):
                break
            if self.planned and not self.await_start():
                break
            entry = next(self.entries, None)
            if entry is None:
                break
            if entry[0] & TOGETHER and left > 1:
                group = self.group(entry, left)
                left -= len(group)
                end = self.do_together(group)
            else:
                left -= 1
                end = self.do(entry)
        if self.uncommitted:
            self.commit_rest()

    def await_start(self) -> bool:
        """Waits for the planned start of the next operation; whether there is one."""
        free, start = clock(), next_start()
        if start:
            self.tape.note(start, free, TAKEN)
        return start != 0

    def group(self, entry: Entry, most: int) -> list[Entry]:
        """The entries that go in one request, the first of which was read already."""
        group = [entry]
        while group[-1][0] & TOGETHER and len(group) < most:
            more = next(self.entries, None)
            if more is None:
                break
            group.append(more)
        return group

    def do(self, entry: Entry) -> int:
        """Does one operation; returns its end stamp."""
        code, row, argument, rows = entry
        kind = code & KIND_BITS
        self.due = self.due or code & COMMIT != 0
        commits = self.due and WRITES[kind]
        request = self.request(kind, row, argument, rows)
        start, end, outcome, answer, error = self.attempt(self.methods[kind], request, WRITES[kind], commits)
        if kind == SCAN:
            start += self.outside_ns
        if error is None:
            self.note_success(kind, commits)
            self.note(kind, row, rows, start, end, answer)
        else:
            self.note_failure(kind, start, end, outcome, error)
        return end

    def do_together(self, group: list[Entry]) -> int:
        """Does several operations by one request; returns its end stamp."""
        kinds = [code & KIND_BITS for code, *_ in group]
        writes = any(WRITES[kind] for kind in kinds)
        self.due = self.due or any(code & COMMIT for code, *_ in group)
        commits = self.due and writes
        request = ([KINDS[kind] for kind in kinds],
                   [self.request(kind, row, argument, rows) for kind, (_, row, argument, rows) in zip(kinds, group)])
        start, end, outcome, answers, error = self.attempt(self.store.send, request, writes, commits)
        for at, (kind, (_, row, _, rows)) in enumerate(zip(kinds, group)):
            answer = answers[at] if answers else None
            if isinstance(answer, self.store.errors):
                # It alone failed.
                self.note_failure(kind, start, end, FAILED, answer)
            elif outcome == FAILED or (outcome == COMMIT_FAILED and at == len(group) - 1):
                self.note_failure(kind, start, end, outcome, error)
            else:
                self.note_success(kind, commits)
                self.note(kind, row, rows, start, end, answer)
        return end

    def request(self, kind: int, row: int, argument: int, rows: tuple[int, ...]) -> Any:
        """What the method of an operation is given."""
        store = self.store
        if kind == MULTI_READ:
            return store.request_many(rows)
        if kind == OPEN:
            return [store.request("read", one, 0) for one in rows]
        if kind == SEARCH:
            return store.request_range(self.phase["search_field"], row, argument)
        if kind == LATEST or kind == SCAN:
            return argument
        return store.request(KINDS[kind], row, argument)

    def attempt(self, perform: Callable[[Any], Any], request: Any, writes: bool, commits: bool) -> Attempt:
        """Asks the driver, and for a commit where one is due."""
        store, outcome, answer = self.store, FAILED, None
        start = clock()
        try:
            if writes and self.transactional and not self.open:
                store.begin()
                self.open = True
            answer = perform(request)
            if commits:
                outcome = COMMIT_FAILED
                if self.open:
                    store.commit()
                    self.open = False
            return start, clock(), DONE, answer, None
        except store.errors as error:
            return start, clock(), outcome, answer, error

    def scan(self, _: Any) -> bytearray:
        """The digests of all rows, made block by block while the driver gives them. The clock is put aside meanwhile:
        `outside_ns` is the time that was not the driver's."""
        self.outside_ns = 0
        digests, digest = bytearray(), self.store.digest
        for block in self.store.scan():
            got = clock()
            for record in block:
                digests += digest(record, None)
            self.outside_ns += clock() - got
        return digests

    def note(self, kind: int, row: int, rows: tuple[int, ...], start: int, end: int, answer: Any) -> None:
        """Notes an operation that was done, by what it answered."""
        if WRITES[kind]:
            outcome = DONE if answer is None or answer else EXISTS if kind == INSERT else MISSING
            self.tape.note(start, end, outcome)
            return
        digest = self.store.digest
        if kind == READ:
            digests = NOTHING if answer is None else digest(answer, row)
        elif kind == SCAN:
            digests = answer
        elif kind == MULTI_READ or kind == OPEN:
            found = zip(answer, rows)
            digests = b"".join([NOTHING if record is None else digest(record, one) for record, one in found])
        else:
            digests = b"".join([digest(record, None) for record in answer])
        self.tape.note(start, end, DONE, digests)

    def note_success(self, kind: int, commits: bool) -> None:
        """What is written between two commits that fail ends no row of failures."""
        if WRITES[kind]:
            self.uncommitted = not commits
            self.due = self.due and not commits
        if commits or self.reconnects or not self.write_fails:
            self.failed, self.write_fails = 0, False

    def note_failure(self, kind: int, start: int, end: int, outcome: int, error: Exception) -> None:
        """A failure takes the open transaction with it: the fate of all its writes is unknown."""
        self.tape.fail(start, end, outcome, error)
        if self.failed == 0:
            self.failing_since = end
        self.failed += 1
        self.write_fails = self.write_fails or (WRITES[kind] and kind != LOAD)
        self.open = self.uncommitted = False
        # Where the write failed, and not the commit, that is due behind the next one.
        self.due = self.due and outcome == FAILED
        self.store.recover()

    def commit_rest(self) -> None:
        """Commits what was written since the last commit."""
        start = clock()
        try:
            if self.open:
                self.store.commit()
                self.open = False
            self.tape.note(start, clock(), REST_COMMITTED)
        except self.store.errors as error:
            self.tape.fail(start, clock(), REST_NOT_COMMITTED, error)
            self.open = False
            self.store.recover()

    def connect_again(self, deadline: int) -> bool:
        """Makes the connection anew, with pauses that grow; whether there is one before it is too late."""
        until_ns = min(deadline, self.failing_since + PATIENCE_NS)
        for turn in range(self.failed, 1 << 30):
            time.sleep(min(PAUSE_S * (1 << min(turn, 7)), LONGEST_PAUSE_S))
            if clock() >= until_ns:
                return False
            try:
                self.store.close()
                self.store.open()
                self.begin_snapshot()
                return True
            except self.store.errors:
                # It is not there yet.
                pass
        return False

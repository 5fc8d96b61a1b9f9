"""Stores that lie, and what the oracle says of them: `python3 test_oracle.py`."""

from __future__ import annotations

import unittest
from typing import Any

from test_client import FAULTS, KEY_VALUE, ROWS, WithFolder, pool_bytes, vector
from kurabe_client import Session
from kurabe_job import Job, Layout, Phase
from kurabe_oracle import Operation, Oracle, Span
from stores.sqlite import SqliteStore


class Liar(SqliteStore):
    """A store that answers falsely; each subclass in its own way."""

    old: dict[Any, Any] = {}


class Drops(Liar):
    """Loses every row whose number ends in 7."""

    def load(self, request: tuple[Any, ...]) -> bool:
        return request[0] % 10 == 7 or super().load(request)


class Stale(Liar):
    """Answers the first value of a row that it ever read."""

    def read(self, request: tuple[Any, ...]) -> Any:
        return self.old.setdefault(request, super().read(request))


class Swaps(Liar):
    """Gives another row's value, under the key that was asked for."""

    def read(self, request: tuple[Any, ...]) -> Any:
        other = super().read(((request[0] + 1) % ROWS,))
        return other and (request[0], *other[1:])


class Swallows(Liar):
    """Acknowledges updates without doing them."""

    def update(self, request: tuple[Any, ...]) -> bool:
        return True


class Tears(Liar):
    """Changes the last byte of a value."""

    def read(self, request: tuple[Any, ...]) -> Any:
        found = super().read(request)
        return found and (found[0], found[1][:-1] + "\n")


class Keeps(Liar):
    """Acknowledges deletes without doing them."""

    def delete(self, request: tuple[Any, ...]) -> bool:
        return True


class Repeats(Liar):
    """Gives its last rows twice in a scan and leaves one out of the newest."""

    def scan(self) -> Any:
        for rows in super().scan():
            yield rows + rows[-1:]

    def latest(self, count: int) -> Any:
        return super().latest(count + 1)[1:]


class Forgets(Liar):
    """Leaves out the last key of a multi-read, gives a row of a search twice and leaves one out."""

    def multi_read(self, keys: list[Any]) -> list[Any]:
        return [*super().multi_read(keys)[:-1], None]

    def search(self, request: Any) -> list[Any]:
        first, *rest = super().search(request)
        return [*rest, rest[0]]


class Mixes(Liar):
    """Answers a multi-read in the wrong order and a search with rows outside of the range."""

    def multi_read(self, keys: list[Any]) -> list[Any]:
        return super().multi_read(keys)[::-1]

    def search(self, request: Any) -> list[Any]:
        sql, (low, high) = request
        return super().search((sql, (low, high + 31)))


class Overwrites(Liar):
    """Accepts an insert of a row that exists, and writes over it."""

    def insert(self, request: tuple[Any, ...]) -> bool:
        return self.update(self.request("update", request[0], 1))


class FailsOnce(Liar):
    """Fails in the middle of transactions."""

    calls = 0

    def update(self, request: tuple[Any, ...]) -> bool:
        self.calls += 1
        if self.calls % 10 == 5:
            raise self.errors[0]("out of luck")
        return super().update(request)


class Told:
    """A store in name only: the values that its rows have."""

    insert_mode = "exists"

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def record(self, row: int, version: int) -> tuple[Any, ...]:
        """The row at this version."""
        return (self.layout.key(row), *self.layout.fields(row, version))

    def values_of(self, record: tuple[Any, ...]) -> tuple[Any, ...]:
        """The fields after the key."""
        return record[1:]


class TheVectors(unittest.TestCase):
    """`vectors/oracle.json`: a history, an answer, a verdict."""

    def setUp(self) -> None:
        self.cases = vector("oracle.json")
        layout = Layout({"fields": [{"name": "id", "type": "int64"},
                                    {"name": "value", "type": "text", "len_bytes": self.cases["len_bytes"]}]}, pool_bytes())
        self.store = Told(layout)

    def oracle(self) -> Oracle:
        """An oracle after the load."""
        phases = [Phase(name=kind, operation=kind) for kind in ("load", "update", "delete", "insert")]
        job = Job(id="vectors", candidate={}, schema={}, rows=self.cases["loaded_rows"], namespace="ns", pool="", phases=phases)
        oracle = Oracle(job, self.store)
        for phase in phases:
            oracle.start_phase(phase)
        oracle.base.fill_loaded(slice(None))
        oracle.inserted.append(Span(job.rows, 1, 8))
        return oracle

    def write(self, oracle: Oracle, kind: str, row: int, fate: str) -> None:
        """A write of this fate."""
        operation = Operation(kind, row)
        oracle.start(operation)
        if fate == "acknowledged":
            alive = oracle.judge_write(operation, True)
            self.assertIsNotNone(alive)
            operation.span.ack(operation.at, operation.number, alive)

    def answer(self, row: int, answer: dict[str, Any]) -> Any:
        """What a read gave, None for nothing."""
        if "absent" in answer:
            return None
        key, text = self.store.record(answer.get("of_row", row), answer["version"])
        if answer.get("altered"):
            text = text[:-1] + ("a" if text[-1] != "a" else "b")
        return (self.store.layout.key(row), text[:-1] if answer.get("short") else text)

    def test_every_verdict_is_that_of_the_vectors(self) -> None:
        met = 0
        for case in self.cases["cases"]:
            if "during" in case:
                # A process has one connection here, and nobody else writes its rows.
                continue
            oracle, operation = self.oracle(), Operation(case["operation"], case["row"])
            for step in case["history"]:
                self.write(oracle, step["write"], case["row"], step["fate"])
            before = dict(oracle.checks.counts)
            if case["operation"] == "read":
                oracle.look(operation)
                oracle.judge_read(operation, self.answer(case["row"], case["answer"]))
            else:
                oracle.start(operation)
                oracle.judge_write(operation, case["answer"]["written"] == "done")
            found = {kind: count - before.get(kind, 0) for kind, count in oracle.checks.counts.items()
                     if kind != "checked" and count > before.get(kind, 0)}
            self.assertEqual(found, {} if case["verdict"] == "right" else {case["verdict"]: 1}, case["name"])
            met += 1
        self.assertGreater(met, 50)


class TheOracle(WithFolder):
    """A store that lies is caught, and an honest one that fails is not called a liar."""

    def judge(self, store: type[SqliteStore], phases: list[dict[str, Any]] | None = None,
              schema: dict[str, Any] = KEY_VALUE) -> dict[str, dict[str, Any]]:
        """Results of all phases with a store, in this process."""
        said: list[dict[str, Any]] = []
        phases = phases or [
            {"name": "load", "operation": "load", "count": ROWS},
            {"name": "read", "operation": "read", "count": ROWS},
            {"name": "update", "operation": "update", "count": ROWS, "commit_every": 7},
            {"name": "reread", "operation": "read", "count": ROWS},
            {"name": "scan", "operation": "scan", "count": 1},
            {"name": "latest", "operation": "latest", "count": 1, "latest_rows": 10},
            {"name": "delete", "operation": "delete", "count": ROWS},
            {"name": "after", "operation": "read", "count": ROWS}]
        session = Session(inbox=type("Quiet", (), {"look": lambda self: None})(), emit=said.append)
        # Nothing is killed here, so no write has to reach the disk.
        place = {"dir": self.folder.fresh(), "settings": {"synchronous": "off"}}
        job = self.folder.job("liar", schema, phases, **place)
        session.start(job, lambda job, layout: store(job, layout))
        store.old = {}
        for phase in phases:
            session.step({"go": phase["name"]})
        session.step({"stop": True})
        return {line["result"]["phase"]: line["result"] for line in said if "result" in line}

    def faults(self, store: type[SqliteStore]) -> dict[str, dict[str, int]]:
        """The faults of each phase that has any."""
        found = {name: {fault: result["checks"][fault] for fault in FAULTS if result["checks"][fault]}
                 for name, result in self.judge(store).items()}
        return {name: kinds for name, kinds in found.items() if kinds}

    def test_an_honest_store_has_no_faults(self) -> None:
        self.assertEqual(self.faults(SqliteStore), {})

    def test_dropped_rows_are_lost(self) -> None:
        lost = {"lost": ROWS // 10}
        found = self.faults(Drops)
        self.assertEqual((found["read"], found["update"]), (lost, lost))

    def test_old_values_are_stale_and_deleted_ones_phantoms(self) -> None:
        self.assertEqual(self.faults(Stale), {"reread": {"stale": ROWS}, "after": {"phantom": ROWS}})

    def test_values_of_other_rows_are_wrong(self) -> None:
        found = self.judge(Swaps)["read"]["checks"]
        self.assertEqual((found["wrong"], found["checked"], len(found["examples"])), (ROWS, ROWS, 5))

    def test_swallowed_updates_are_stale_in_reads_and_scans(self) -> None:
        self.assertEqual(self.faults(Swallows), {
            "reread": {"stale": ROWS}, "scan": {"stale": ROWS}, "latest": {"stale": 10}})

    def test_altered_values_are_wrong(self) -> None:
        found = self.judge(Tears)
        self.assertEqual([found[name]["checks"]["wrong"] for name in ("read", "reread")], [ROWS, ROWS])

    def test_deletes_that_did_nothing_leave_phantoms(self) -> None:
        self.assertEqual(self.faults(Keeps), {"after": {"phantom": ROWS}})

    def test_an_insert_over_a_row_that_exists_loses_that_row(self) -> None:
        phases = [{"name": "load", "operation": "load", "count": ROWS},
                  {"name": "again", "operation": "insert", "count": ROWS, "first_row": 0}]
        for store, lost in ((SqliteStore, 0), (Overwrites, ROWS)):
            checks = self.judge(store, phases)["again"]["checks"]
            self.assertEqual([checks[fault] for fault in FAULTS], [0, 0, lost, 0, 0])
            self.assertTrue(all("the row exists" in words for words in checks["examples"]), checks)

    def test_repeated_and_missing_rows_are_miscounted(self) -> None:
        self.assertEqual(self.faults(Repeats), {"scan": {"miscounted": 1}, "latest": {"lost": 1}})

    def test_many_keys_and_ranges_are_checked(self) -> None:
        schema = {"fields": [{"name": "id", "type": "int64"}, {"name": "number", "type": "int64"},
                             {"name": "value", "type": "text", "len_bytes": 60}]}
        count = {"count": 10, "rows_stream": self.folder.rows}
        phases = [{"name": "load", "operation": "load", "count": ROWS},
                  {**count, "name": "many", "operation": "multi-read", "multi_read_rows": 4},
                  {**count, "name": "range", "operation": "search", "search": {"field": "number", "rows": 5}}]
        found = {store: self.judge(store, phases, schema) for store in (SqliteStore, Forgets, Mixes)}
        faults = {store: {name: {fault: result["checks"][fault] for fault in FAULTS if result["checks"][fault]}
                          for name, result in results.items()} for store, results in found.items()}
        self.assertEqual(faults[SqliteStore], {"load": {}, "many": {}, "range": {}})
        self.assertEqual(faults[Forgets], {"load": {}, "many": {"lost": 10}, "range": {"lost": 10, "miscounted": 10}})
        self.assertEqual(faults[Mixes], {"load": {}, "many": {"wrong": 40}, "range": {"wrong": 10}})

    def test_searches_without_an_upper_end_are_checked_row_by_row(self) -> None:
        schema = {"fields": [{"name": "id", "type": "text", "prefix": "prefix_", "digits": 9},
                             {"name": "kind", "type": "int64", "distinct": 2},
                             {"name": "value", "type": "text", "len_bytes": 60}]}
        search = {"operation": "search", "count": 3, "search": {"field": "kind", "at_least": 2}}
        phases = [{"name": "load", "operation": "load", "count": ROWS}, {**search, "name": "loaded"},
                  {"name": "insert", "operation": "insert", "count": 11, "first_row": ROWS},
                  {"name": "update", "operation": "update", "count": ROWS // 2, "commit_every": 7},
                  {"name": "delete", "operation": "delete", "count": 20}, {**search, "name": "after"}]

        class LeavesOut(Liar):
            """Leaves the last row of a search out."""

            def search(self, request: Any) -> list[Any]:
                return super().search(request)[:-1]

        class GivesMore(Liar):
            """Gives a row of a search that is below the range."""

            def search(self, request: Any) -> list[Any]:
                sql, (low, high) = request
                return super().search(request) + super().search((sql, (low - 1, low - 1)))[:1]

        for store, faults in ((SqliteStore, {}), (LeavesOut, {"lost": 3}), (GivesMore, {"wrong": 3})):
            results = self.judge(store, phases, schema)
            for name in ("loaded", "after"):
                checks = results[name]["checks"]
                self.assertEqual({fault: checks[fault] for fault in FAULTS if checks[fault]}, faults, (store, name))
            if store is SqliteStore:
                # The field of row r at version v would be 31 r + 17 v + 1.
                self.assertEqual(results["loaded"]["rows_read"], 3 * (ROWS // 2))
                versions = [1] * (ROWS // 2) + [0] * (ROWS // 2 + 11)
                left = sum((31 * row + 17 * version + 1) % 2 for row, version in enumerate(versions) if row >= 20)
                self.assertEqual(results["after"]["rows_read"], 3 * left)

    def test_failed_writes_are_unknown_and_neither_lost_nor_stale(self) -> None:
        results = self.judge(FailsOnce)
        self.assertEqual(self.faults(FailsOnce), {})
        self.assertEqual(results["update"]["failures"],
                         [{"operation": "update", "message": "Error: out of luck", "count": ROWS // 10}])
        self.assertEqual(results["update"]["workers"][0]["operations"], ROWS - ROWS // 10)

    def test_a_hundred_failures_in_a_row_end_a_phase(self) -> None:
        class Broken(Liar):
            """Cannot read."""

            def read(self, request: tuple[Any, ...]) -> Any:
                raise self.errors[0]("broken")

        result = self.judge(Broken)["read"]
        self.assertEqual((result["stopped_by"], result["workers"][0]["failed"]), ("failures", 100))
        self.assertIn("broken", result["message"])


if __name__ == "__main__":
    unittest.main()

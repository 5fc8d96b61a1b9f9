"""Tests of the Python client: `python3 test_client.py`.

Reads the cases of ../../vectors and drives the client as a harness would, on SQLite and on a Redis
server that is started here. Without Redis its tests print `skipped: …`; with
KURABE_REQUIRE_STORES=1 they fail. Stores that lie are in test_oracle.py.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from array import array
from pathlib import Path
from typing import Any
from urllib.parse import unquote

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parent.parent / "vectors"
CLIENT = [sys.executable, str(HERE / "kurabe_client.py")]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from kurabe_client import back_from_newest, owned, share, stream_start  # noqa: E402
from kurabe_job import KINDS, Layout  # noqa: E402
from kurabe_record import SLOTS, Series, bucket, describe, hide  # noqa: E402

ROWS = 400
ENTRIES = 4096
PASSWORD = "s3cr3t-of-the-test"
FAULTS = ("wrong", "stale", "lost", "phantom", "miscounted")
KEY_VALUE = {"fields": [{"name": "id", "type": "int64"}, {"name": "value", "type": "text", "len_bytes": 100}]}
SEVEN = {"fields": [
    {"name": "id", "type": "text"}, {"name": "title", "type": "text", "len_bytes": 40},
    {"name": "visits", "type": "int64"}, {"name": "code", "type": "text", "len_bytes": 3},
    {"name": "body", "type": "text", "len_bytes": 300}, {"name": "order", "type": "int64"},
    {"name": "blob", "type": "bytes", "len_bytes": 30}]}
EVERY_ROUND = ["load", "read", "update", "reread", "mix", "delete", "insert", "after"]


def vector(name: str) -> Any:
    """One file of cases."""
    return json.loads((VECTORS / name).read_text())


def pool_bytes() -> bytes:
    """The pool of the vectors."""
    return bytes(33 + i * 7919 % 94 for i in range(1 << 20))


class Folder:
    """A temporary folder with a pool and streams."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="kurabe-python-test-")
        self.pool = self.write("pool", pool_bytes())
        chance = random.Random(7)
        rows = array("I", (chance.randrange(ROWS) for _ in range(ENTRIES)))
        if sys.byteorder == "big":
            rows.byteswap()
        self.rows = self.write("rows", rows.tobytes())
        self.shares = {"read": 60, "update": 25, "insert": 10, "delete": 5}
        kinds = chance.choices(list(self.shares), list(self.shares.values()), k=ENTRIES)
        self.kinds = self.write("kinds", bytes(KINDS.index(kind) for kind in kinds))

    def write(self, name: str, data: bytes) -> str:
        """A file with this content."""
        path = os.path.join(self.path, name)
        Path(path).write_bytes(data)
        return path

    def fresh(self) -> str:
        """An empty folder."""
        return tempfile.mkdtemp(dir=self.path)

    def remove(self) -> None:
        """Takes all of it away."""
        shutil.rmtree(self.path)

    def phases(self, connections: int = 1) -> list[dict[str, Any]]:
        """Phases with every kind of operation that each store has."""
        mix = [{"operation": kind, "share": part} for kind, part in self.shares.items()]
        phases = [
            {"name": "load", "operation": "load", "count": ROWS, "commit_every": 64},
            {"name": "read", "operation": "read", "count": 1000, "rows_stream": self.rows,
             "warmup": {"count": 100}},
            {"name": "update", "operation": "update", "count": 1000, "rows_stream": self.rows,
             "commit_every": 7},
            {"name": "reread", "operation": "read", "count": ROWS},
            {"name": "mix", "operation": "mix", "mix": mix, "count": 600, "first_row": 1000,
             "rows_stream": self.rows, "kinds_stream": self.kinds, "warmup": {"duration-ns": 20_000_000}},
            {"name": "delete", "operation": "delete", "count": 100},
            {"name": "insert", "operation": "insert", "count": 250, "first_row": 1_000_000,
             "commit_every": 100},
            {"name": "after", "operation": "read", "duration_ns": 50_000_000},
        ]
        return [{**phase, "connections": connections} for phase in phases]

    def newer_phases(self) -> list[dict[str, Any]]:
        """Phases with counters, several keys at a time, openings, and the distribution `latest`."""
        shares = {"read": 30, "insert": 30, "increment": 20, "multi-read": 20}
        kinds = random.Random(8).choices(list(shares), list(shares.values()), k=ENTRIES)
        mix = {"operation": "mix", "mix": [{"operation": kind, "share": part} for kind, part in shares.items()],
               "kinds_stream": self.write("newer", bytes(KINDS.index(kind) for kind in kinds)),
               "rows_stream": self.rows, "multi_read_rows": 5, "count": 300}
        return [
            {"name": "multi-read", "operation": "multi-read", "multi_read_rows": 7, "count": 100,
             "rows_stream": self.rows},
            {"name": "increment", "operation": "increment", "count": 300, "rows_stream": self.rows,
             "warmup": {"count": 30}, "commit_every": 8},
            {"name": "open", "operation": "open", "count": 20, "rows_stream": self.rows},
            {**mix, "name": "newest", "distribution": "latest", "first_row": 1000},
            {**mix, "name": "committed", "distribution": "latest", "first_row": 2000, "commit_every": 9},
            {**mix, "name": "anywhere", "distribution": "uniform", "first_row": 3000},
        ]

    def job(self, store: str, schema: dict[str, Any], phases: list[dict[str, Any]],
            **more: Any) -> dict[str, Any]:
        """The first line of a session."""
        job = {"id": "test", "candidate": {"name": store, "store": store}, "schema": schema, "rows": ROWS,
               "namespace": "kurabe_test", "settings": {}, "process": 0, "processes": 1, "pool": self.pool,
               "limits": {"call_ns": 60 * 10**9, "operation_ns": 30 * 10**9}, "phases": phases, "unknown": 1}
        return {"kurabe": 1, "job": {**job, **more}}


class Client:
    """A client process and the harness's end of its pipes; killed when it hangs."""

    def __init__(self, job: dict[str, Any]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(CLIENT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self.guard = threading.Timer(120, self.process.kill)
        self.guard.start()
        self.seen: list[str] = []
        self.send(job)

    def send(self, message: dict[str, Any]) -> None:
        """Writes one line."""
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def expect(self, key: str) -> dict[str, Any]:
        """The next line that is no progress; it must have this key."""
        while True:
            line = self.process.stdout.readline()
            self.seen.append(line)
            message = json.loads(line or '{"eof": true}')
            if "progress" not in message:
                break
        if key not in message:
            raise AssertionError(f"expected '{key}', got {message}: {self.process.stderr.read()}")
        return message

    def call(self, name: str) -> dict[str, Any]:
        """Asks and gives the reply."""
        self.send({"call": name, "id": 7})
        reply = self.expect("reply")
        assert reply["reply"] == 7
        return reply

    def go(self, phase: str) -> dict[str, Any]:
        """Does a phase and gives its result."""
        self.send({"go": phase})
        self.expect("ready")
        return self.expect("result")["result"]

    def end(self) -> int:
        """Waits for the exit; gives its status."""
        out, err = self.process.communicate(timeout=60)
        self.guard.cancel()
        self.seen += [out, err]
        return self.process.returncode

    def stop(self) -> int:
        """Ends in good order."""
        self.send({"stop": True})
        self.expect("end")
        return self.end()


class WithFolder(unittest.TestCase):
    """Tests with a folder."""

    def setUp(self) -> None:
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def assert_sound(self, result: dict[str, Any]) -> None:
        """A result without faults and failures whose numbers agree with each other."""
        name, checks = result["phase"], result["checks"]
        self.assertEqual({fault: checks[fault] for fault in FAULTS}, dict.fromkeys(FAULTS, 0), checks)
        self.assertEqual(result["failures"], [], name)
        done = sum(worker["operations"] for worker in result["workers"])
        self.assertGreaterEqual(checks["checked"], done, name)
        self.assertEqual(sum(result["series"]["operations"]), done, name)
        self.assertLessEqual(len(result["series"]["operations"]), SLOTS)
        self.assertEqual(sum(kind["count"] for kind in result["latency"]), done, name)
        for kind in result["latency"]:
            bounds = [bound for bound, _ in kind["buckets"]]
            self.assertEqual(bounds, sorted({bucket(bound) for bound in bounds}))
            self.assertEqual(sum(count for _, count in kind["buckets"]), kind["count"])
            self.assertLessEqual(sum(bound * count for bound, count in kind["buckets"]), kind["sum_ns"])
            self.assertEqual([bucket(kind["min_ns"]), bucket(kind["max_ns"])], [bounds[0], bounds[-1]])

    def assert_phases(self, client: Client, names: list[str], expected: dict[str, int]) -> dict[str, Any]:
        """Does the phases; rows must agree with the store's count after each."""
        results = {}
        for name in names:
            result = results[name] = client.go(name)
            self.assert_sound(result)
            self.assertEqual(result["rows_unknown"], 0, name)
            counted = client.call("count")["ok"]["rows"]
            self.assertEqual(result["rows_present"], counted, name)
            if name in expected:
                self.assertEqual(result["workers"][0]["operations"], expected[name], name)
        return results


class Vectors(unittest.TestCase):
    """The cases that every client must pass."""

    def test_latencies_fall_into_the_buckets_of_the_vectors(self) -> None:
        for latency, bound in vector("histogram.json")["cases"]:
            self.assertEqual(bucket(latency), bound)

    def test_rows_are_owned_and_streams_begin_as_in_the_vectors(self) -> None:
        cases = vector("numbering.json")
        for case in cases["owned"]:
            self.assertEqual(owned(case["row"], case["worker"], case["workers"]), case["owned"])
        for case in cases["stream_start"]:
            self.assertEqual(stream_start(case["worker"], case["workers"], case["len"]), case["start"])
        names = ("distance", "rows", "first_row", "worker", "workers", "inserted")
        self.assertGreater(len(cases["back_from_newest"]), 10)
        for case in cases["back_from_newest"]:
            self.assertEqual(back_from_newest(*(case[name] for name in names)), case["row"], case)

    def test_values_and_keys_are_those_of_the_vectors(self) -> None:
        pool = pool_bytes()
        cases = vector("values.json")["cases"]
        self.assertGreater(len(cases), 20)
        for case in cases:
            layout = Layout(case["schema"], pool)
            row, version = case["row"], case["version"]
            self.assertEqual(layout.raw(row, version).hex(), case["raw_hex"])
            layout.text_key = True
            self.assertEqual(layout.key(row), case["text_key"])
            self.assertEqual(layout.row_of(case["text_key"]), row)
            if layout.head is not None:
                self.assertEqual(layout.claim(layout.unpack(layout.raw(row, version))), (row, version))

    def test_workers_share_all_numbers_below_a_count(self) -> None:
        for count in range(40):
            for workers in range(1, 9):
                taken = [share(count, worker, workers) for worker in range(workers)]
                self.assertEqual(taken, [len(range(w, count, workers)) for w in range(workers)])

    def test_a_series_keeps_every_operation_in_few_slots(self) -> None:
        series = Series(0)
        for end in range(0, 10**10, 10**6):
            series.record(end)
        self.assertEqual(sum(series.slots), 10_000)
        self.assertEqual((len(series.slots), series.slot_ns), (SLOTS, 32_000_000))
        self.assertEqual(series.slots[:2], [32, 32])


class Clients(WithFolder):
    """The client as a process, on SQLite unless a subclass starts it otherwise."""

    def start(self, phases: list[dict[str, Any]], schema: dict[str, Any] = KEY_VALUE, **more: Any) -> Client:
        """A client on SQLite."""
        more.setdefault("dir", self.folder.fresh())
        client = Client(self.folder.job("sqlite", schema, phases, **more))
        self.addCleanup(client.guard.cancel)
        return client

    def run_processes(self, store: str, **more: Any) -> None:
        """Two processes at the same time; then phases in which one works alone."""
        alone = [{"name": "load", "operation": "load", "count": ROWS, "connections": 1, "commit_every": 50},
                 {"name": "early", "operation": "read", "count": 400, "connections": 2,
                  "rows_stream": self.folder.rows},
                 {"name": "update", "operation": "update", "count": ROWS, "connections": 1},
                 {"name": "delete", "operation": "delete", "count": ROWS // 2, "connections": 2},
                 {"name": "late", "operation": "read", "count": 400, "connections": 2}]
        whole = self.folder.phases(2)
        if store == "sqlite":
            both = {"connections": 2, "count": 9}
            whole += [{**both, "name": "scan", "operation": "scan"},
                      {**both, "name": "latest", "operation": "latest", "latest_rows": 50}]
        for phases in (whole, alone):
            jobs = [self.folder.job(store, KEY_VALUE, phases, process=p, processes=2, **more) for p in (0, 1)]
            clients = [Client(job) for job in jobs]
            self.addCleanup(lambda started=clients: [client.guard.cancel() for client in started])
            for client in clients:
                client.expect("hello")
            clients[0].call("create")
            for phase in phases:
                self.together(clients, phase["name"])
            self.assertEqual([client.stop() for client in clients], [0, 0])

    def together(self, clients: list[Client], phase: str) -> None:
        """One phase in all processes; their rows must add up to the store's count."""
        for client in clients:
            client.send({"prepare": phase})
            client.expect("ready")
        for client in clients:
            client.send({"go": phase})
        results = [client.expect("result")["result"] for client in clients]
        for result in results:
            self.assert_sound(result)
        counted = clients[0].call("count")["ok"]["rows"]
        present = sum(result["rows_present"] for result in results)
        unknown = sum(result["rows_unknown"] for result in results)
        self.assertLessEqual(present, counted)
        self.assertLessEqual(counted, present + unknown)
        if all(len(result["workers"]) == 1 for result in results) and phase in EVERY_ROUND:
            self.assertTrue(unknown == 0 or phase == "delete", phase)


class AnyStore(Clients):
    """Tests that hold for every store."""

    def test_batches_load_all_rows(self) -> None:
        phase = {"name": "load", "operation": "load", "count": ROWS, "load_path": "batch", "batch_rows": 30}
        client = self.start([{**phase, "commit_every": 60}])
        client.expect("hello")
        self.assert_phases(client, ["load"], {"load": ROWS})
        self.assertEqual(client.stop(), 0)

    def test_counters_many_keys_and_openings_are_right(self) -> None:
        phases = self.folder.newer_phases()
        client = self.start([self.folder.phases()[0], *phases])
        client.expect("hello")
        client.call("create")
        self.assertEqual(client.call("sum")["ok"], {"sum": 0})
        names = ["load", *(phase["name"] for phase in phases)]
        results = self.assert_phases(client, names, {"multi-read": 100, "open": 20})
        self.assertEqual(results["multi-read"]["rows_read"], 100 * 7)
        self.assertEqual(results["increment"]["increments"], {"acknowledged": 330, "unknown": 0})
        self.assertNotIn("increments", results["open"])
        counted = sum(result["increments"]["acknowledged"] for result in results.values() if "increments" in result)
        self.assertGreater(counted, 330 + 20)
        self.assertEqual(client.call("sum")["ok"], {"sum": counted})
        client.call("create")
        self.assertEqual(client.call("sum")["ok"], {"sum": 0})
        self.assertEqual(client.stop(), 0)

    def test_inserting_over_existing_rows_answers_exists(self) -> None:
        phases = [self.folder.phases()[0], {"name": "again", "operation": "insert", "count": ROWS}]
        client = self.start(phases)
        client.expect("hello")
        self.assert_phases(client, ["load", "again"], {"again": ROWS})
        self.assertEqual(client.stop(), 0)


class OnSqlite(AnyStore):
    """The client as a process, on SQLite."""

    def test_every_operation_is_right_with_both_schemas(self) -> None:
        extra = [{"name": "scan", "operation": "scan", "count": 3},
                 {"name": "latest", "operation": "latest", "count": 20, "latest_rows": 50},
                 {"name": "snapshot", "operation": "read", "count": 500, "read_scope": "snapshot"}]
        for schema in (KEY_VALUE, SEVEN):
            client = self.start(self.folder.phases() + extra, schema)
            self.assertEqual(client.expect("hello")["hello"]["client"], "python")
            self.assertEqual(client.call("create"), {"reply": 7, "ok": True})
            names = EVERY_ROUND + ["scan", "latest", "snapshot"]
            counts = {"load": ROWS, "read": 1000, "insert": 250, "latest": 20}
            results = self.assert_phases(client, names, counts)
            present = results["scan"]["rows_present"]
            self.assertEqual(results["scan"]["rows_read"], 3 * present)
            self.assertEqual(results["latest"]["rows_read"], 20 * 50)
            stopped = [results[name]["stopped_by"] for name in ("mix", "after")]
            self.assertEqual(stopped, ["count", "duration"])
            kinds = {kind["operation"] for kind in results["mix"]["latency"]}
            self.assertEqual(kinds, set(self.folder.shares))
            self.assertEqual(client.call("check")["ok"], {"sound": True, "detail": "ok"})
            self.assertGreater(client.call("size")["ok"]["bytes"], present * 100)
            self.assertEqual(client.call("reset")["ok"], True)
            self.assertIn("error", client.call("count"))
            self.assertEqual(client.stop(), 0)

    def test_searches_give_the_rows_in_the_range_with_an_index_and_without(self) -> None:
        update = {"name": "update", "operation": "update", "count": 300, "rows_stream": self.folder.rows}
        search = {"operation": "search", "count": 40, "rows_stream": self.folder.rows}
        names = ["load", "searched", "update", "again"]
        for indexed in (False, True):
            fields = [{**column, "indexed": indexed and column["name"] == "visits"} for column in SEVEN["fields"]]
            phases = [self.folder.phases()[0], {**search, "name": "searched", "search": {"field": "visits", "rows": 6}},
                      update, {**search, "name": "again", "search": {"field": "order", "rows": 500}}]
            folder = self.folder.fresh()
            client = self.start(phases, {"fields": fields}, dir=folder)
            self.assertIn("search", client.expect("hello")["hello"]["capabilities"]["operations"])
            client.call("create")
            results = self.assert_phases(client, names, {"searched": 40})
            self.assertEqual(results["searched"]["rows_read"], 40 * 6)
            self.assertGreater(results["again"]["rows_read"], 40 * ROWS // 2)
            with contextlib.closing(sqlite3.connect(os.path.join(folder, "data.sqlite"))) as found:
                indexes = found.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
                self.assertEqual(indexes.fetchall(), [("kurabe_test_visits",)] if indexed else [])
            self.assertEqual(client.stop(), 0)
        without = self.start([])
        self.assertNotIn("search", without.expect("hello")["hello"]["capabilities"]["operations"])
        self.assertEqual(without.stop(), 0)

    def test_settings_are_applied_and_read_back(self) -> None:
        client = self.start([], settings={"journal_mode": "wal", "synchronous": "extra"})
        client.expect("hello")
        told = client.call("settings")["ok"]
        self.assertEqual((told["journal_mode"], told["synchronous"]), ("wal", "extra"))
        self.assertEqual(client.stop(), 0)
        refused = self.start([], settings={"jurnal_mode": "wal"})
        self.assertIn("'jurnal_mode'", refused.expect("error")["error"])
        self.assertEqual(refused.end(), 2)

    def test_inserts_of_a_worker_are_numbered_without_gaps(self) -> None:
        folder = self.folder.fresh()
        insert = {"name": "insert", "operation": "insert", "count": 50, "first_row": 1000,
                  "warmup": {"count": 10}}
        client = self.start([self.folder.phases()[0], insert], dir=folder)
        client.expect("hello")
        self.assert_phases(client, ["load", "insert"], {"insert": 50})
        self.assertEqual(client.stop(), 0)
        with contextlib.closing(sqlite3.connect(os.path.join(folder, "data.sqlite"))) as found:
            keys = [key for key, in found.execute("SELECT id FROM kurabe_test ORDER BY id")]
        self.assertEqual(keys, [*range(ROWS), *range(1000, 1060)])

    def test_two_processes_share_a_job(self) -> None:
        self.run_processes("sqlite", dir=self.folder.fresh(), settings={"journal_mode": "wal"})


class Secrets(unittest.TestCase):
    """What must not be printed."""

    def test_the_password_of_an_address_is_taken_out_of_errors(self) -> None:
        self.addCleanup(hide, None)
        for written in ("p%40ss-word", "a/b@c"):
            hide(f"redis://somebody:{written}@127.0.0.1:6379/0")
            told = describe(ValueError(f"no access with {written} or {unquote(written)}"))
            self.assertEqual(told, "ValueError: no access with *** or ***")

    def test_the_user_of_an_address_is_taken_out_of_errors(self) -> None:
        self.addCleanup(hide, None)
        hide("redis://sel%40home:s3cret@127.0.0.1:6379/0?token=CANARY")
        told = describe(ValueError("denied to 'sel@home', sel%40home, CANARY; selected"))
        self.assertEqual(told, "ValueError: denied to '***', ***, ***; selected")
        hide("redis://u@127.0.0.1:6379/0")
        self.assertEqual(describe(ValueError("no user 'u'")), "ValueError: no user '***'")


class Protocol(Clients):
    """The rules of the protocol."""

    def test_queued_lines_are_worked_off_in_order(self) -> None:
        client = self.start(self.folder.phases())
        for name in ("load", "read"):
            client.send({"go": name})
        client.send({"skip": "update"})
        client.send({"call": "ping", "id": 7})
        client.send({"call": "backup", "id": 8})
        client.send({"stop": True})
        client.process.stdin.close()
        client.expect("hello")
        for phase in ("load", "read"):
            self.assertEqual(client.expect("ready"), {"ready": phase})
            self.assert_sound(client.expect("result")["result"])
        self.assertEqual(client.expect("reply"), {"reply": 7, "ok": True})
        self.assertEqual(client.expect("reply"), {"reply": 8, "unsupported": True})
        self.assertEqual(client.expect("end"), {"end": True})
        client.process.stdin = None
        self.assertEqual(client.end(), 0)

    def test_another_version_an_unknown_store_and_a_bad_key_are_refused(self) -> None:
        good = self.folder.job("sqlite", KEY_VALUE, [], dir=self.folder.fresh())
        unknown = self.folder.job("sqlight", KEY_VALUE, [])
        key = {"fields": [{"name": "id", "type": "bytes"}, KEY_VALUE["fields"][1]]}
        bad_key = self.folder.job("sqlite", key, [], dir=self.folder.fresh())
        for job, word in (({**good, "kurabe": 2}, "version 2"), (unknown, "'sqlight'"), (bad_key, "schema")):
            client = Client(job)
            self.addCleanup(client.guard.cancel)
            self.assertIn(word, client.expect("error")["error"])
            self.assertEqual(client.end(), 2)

    def test_rows_of_a_data_file_are_refused(self) -> None:
        client = self.start(self.folder.phases()[:1], data={"rows": "r", "index": "i", "order": "o", "count": 1})
        self.assertIs(client.expect("hello")["hello"]["capabilities"]["own_data"], False)
        client.send({"go": "load"})
        self.assertIn("data file", client.expect("error")["error"])
        self.assertEqual(client.end(), 1)

    def test_the_end_of_stdin_without_stop_ends_a_running_phase(self) -> None:
        forever = {"name": "read", "operation": "read", "duration_ns": 10**15}
        client = self.start([self.folder.phases()[0], forever])
        client.expect("hello")
        client.go("load")
        client.send({"go": "read"})
        client.expect("ready")
        progress = json.loads(client.process.stdout.readline())
        self.assertEqual(progress["progress"], "read")
        self.assertGreater(progress["operations"], 0)
        self.assertEqual(client.end(), 3)

    def test_what_cannot_be_done_is_an_error(self) -> None:
        deep = {"name": "deep", "operation": "read", "count": 1, "depth": 8}
        cases = (({"go": "deep"}, "depth 8"), ({"go": "sleep"}, "'sleep'"), ({"dance": 1}, "dance"))
        for line, word in cases:
            client = self.start([deep])
            client.expect("hello")
            client.send(line)
            self.assertIn(word, client.expect("error")["error"])
            self.assertEqual(client.end(), 1)


class RedisServer:
    """A Redis server of its own with a password, on a free port of the loopback."""

    def __init__(self, folder: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{port}/0"
        self.process = subprocess.Popen(
            ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", folder, "--save", "",
             "--requirepass", PASSWORD], stdout=subprocess.DEVNULL)
        for _ in range(1000):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        self.stop()
        raise AssertionError("redis-server did not come up")

    def stop(self) -> None:
        """Ends the server."""
        self.process.kill()
        self.process.wait()


def what_redis_lacks() -> str | None:
    """What is missing for the tests of Redis."""
    if shutil.which("redis-server") is None:
        return "redis-server is not installed"
    if importlib.util.find_spec("redis") is None:
        return "the Python package redis is not installed"
    return None


class OnRedis(AnyStore):
    """The client as a process, on a Redis server."""

    def setUp(self) -> None:
        lacking = what_redis_lacks()
        if lacking and os.environ.get("KURABE_REQUIRE_STORES") == "1":
            self.fail(f"KURABE_REQUIRE_STORES=1, but {lacking}")
        if lacking:
            print(f"skipped: {self.id()}: {lacking}", file=sys.stderr)
            self.skipTest(lacking)
        super().setUp()
        self.server = RedisServer(self.folder.fresh())
        self.addCleanup(self.server.stop)

    def start(self, phases: list[dict[str, Any]], schema: dict[str, Any] = KEY_VALUE, **more: Any) -> Client:
        client = Client(self.folder.job("redis", schema, phases, **{"url": self.server.url, **more}))
        self.addCleanup(client.guard.cancel)
        return client

    def test_every_operation_is_right_with_both_schemas(self) -> None:
        for schema in (KEY_VALUE, SEVEN):
            client = self.start(self.folder.phases(), schema)
            operations = client.expect("hello")["hello"]["capabilities"]["operations"]
            self.assertEqual(operations, ["load", "insert", "read", "update", "delete", "multi-read", "increment", "open"])
            self.assertEqual(client.call("create")["ok"], True)
            results = self.assert_phases(client, EVERY_ROUND, {"load": ROWS, "read": 1000, "insert": 250})
            self.assertGreater(results["after"]["rows_present"], 250)
            self.assertEqual(client.call("settings")["ok"]["appendonly"], "no")
            self.assertRegex(client.call("info")["ok"]["version"], r"^\d+\.\d+")
            self.assertEqual(client.call("check"), {"reply": 7, "unsupported": True})
            self.assertEqual(client.stop(), 0)

    def test_rows_are_right_in_every_encoding_and_the_time_is_told(self) -> None:
        for encoding in ("json", "yaml", "messagepack"):
            for batch in (1, 16):
                load, *rest = self.folder.phases()
                rest = [{**phase, "batch": batch if phase["operation"] != "multi-read" else 1} for phase in rest]
                client = self.start([load] + rest, SEVEN, encoding=encoding)
                self.assertIn(encoding, client.expect("hello")["hello"]["capabilities"]["encodings"])
                client.call("create")
                results = self.assert_phases(client, EVERY_ROUND, {"load": ROWS, "read": 1000, "insert": 250})
                self.assertTrue(all(results[name]["encoding_ns"] > 0 for name in ("load", "read")), results)
                self.assertEqual(client.stop(), 0)

    def test_an_encoding_that_is_not_here_is_told_in_the_receipt(self) -> None:
        client = self.start(self.folder.phases(), SEVEN, encoding="xml")
        self.assertNotIn("xml", client.expect("hello")["hello"]["capabilities"]["encodings"])
        client.send({"go": "load"})
        self.assertIn("encoding 'xml' does not exist here", client.expect("error")["error"])
        self.assertEqual(client.end(), 1)

    def test_pipelines_do_every_operation(self) -> None:
        load, *rest = self.folder.phases()
        client = self.start([load] + [{**phase, "batch": 16} for phase in rest])
        client.expect("hello")
        self.assert_phases(client, EVERY_ROUND, {"read": 1000})
        self.assertEqual(client.stop(), 0)

    def test_what_a_user_may_not_read_is_absent(self) -> None:
        import redis
        with redis.Redis.from_url(self.server.url) as root:
            root.execute_command("ACL", "SETUSER", "few", "on", ">s3cret-word", "~*", "+@read", "+@write")
        url = self.server.url.replace(f":{PASSWORD}@", "few:s3cret-word@")
        client = self.start(self.folder.phases(), url=url)
        client.expect("hello")
        self.assertEqual(client.call("ping")["ok"], True)
        info = client.call("info")
        self.assertRegex(info["ok"]["version"], r"^\d+\.\d+")
        self.assertIn("info", info["absent"][0])
        for call in ("settings", "evicts"):
            reply = client.call(call)
            self.assertEqual((reply["unsupported"], len(reply["absent"])), (True, 1))
            self.assertNotIn("few", reply["absent"][0])
        self.assertEqual(client.call("create")["ok"], True)
        self.assertEqual(client.stop(), 0)

    def test_a_server_that_throws_keys_away_says_so(self) -> None:
        import redis
        client = self.start(self.folder.phases())
        client.expect("hello")
        self.assertEqual(client.call("evicts")["ok"], {})
        with redis.Redis.from_url(self.server.url) as root:
            root.execute_command("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")
        self.assertIn("allkeys-lru", client.call("evicts")["ok"]["policy"])
        self.assertEqual(client.stop(), 0)

    def test_reset_takes_our_rows_and_nothing_else(self) -> None:
        import redis
        other = redis.Redis.from_url(self.server.url)
        other.set("kurabe_test_of_another:1", "stays")
        timed = {"name": "timed", "operation": "insert", "duration_ns": 50_000_000, "first_row": 2_000_000}
        client = self.start(self.folder.phases() + [timed])
        client.expect("hello")
        for name in ("load", "mix", "insert", "timed"):
            present = client.go(name)["rows_present"]
        self.assertGreater(present, ROWS + 250)
        self.assertEqual(other.dbsize(), present + 1)
        self.assertEqual(client.call("count")["ok"]["rows"], present)
        self.assertEqual(client.call("reset")["ok"], True)
        self.assertEqual(other.keys("*"), [b"kurabe_test_of_another:1"])
        other.close()
        self.assertEqual(client.stop(), 0)

    def test_two_processes_share_a_job(self) -> None:
        self.run_processes("redis", url=self.server.url)

    def test_the_password_is_never_printed(self) -> None:
        wrong = f"not-the-{PASSWORD}"
        urls = (self.server.url.replace(PASSWORD, wrong), f"redis://:{wrong}@127.0.0.1:1/0",
                f"nothing://:{wrong}@x", f"redis://u:{wrong}@127.0.0.1:x/0",
                f"redis://:{wrong}/x@127.0.0.1:1/0")
        for url in urls:
            client = self.start(self.folder.phases(), url=url)
            client.process.stdin.write('{"call": "ping", "id": 7}\n{"go": "load"}\n')
            self.assertIn(client.end(), (1, 2), url)
            self.assertIn('"error"', "".join(client.seen))
            self.assertNotIn(wrong, "".join(client.seen))

    def test_a_server_that_dies_is_told_as_failures(self) -> None:
        forever = {"name": "read", "operation": "read", "duration_ns": 10**15}
        client = self.start([self.folder.phases()[0], forever])
        client.expect("hello")
        client.go("load")
        client.send({"go": "read"})
        client.expect("ready")
        self.server.stop()
        result = client.expect("result")["result"]
        self.assertEqual((result["stopped_by"], result["workers"][0]["failed"]), ("failures", 100))
        self.assertIn("ConnectionError", result["message"])
        self.assertEqual(client.stop(), 0)


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: Any) -> unittest.TestSuite:
    """All but those of `AnyStore` itself, which its subclasses run."""
    found = (Vectors, Secrets, Protocol, OnSqlite, OnRedis)
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in found)


if __name__ == "__main__":
    unittest.main()

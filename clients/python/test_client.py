"""Tests of the Python client: `python3 test_client.py`.

What every client has to do is tried by the conformance suite, with every store and driver: here is what this one
alone has. The client is driven as a harness would, by scripts and tapes that are named pipes, on stores that need no server and on
a server that is started here. What is not installed is skipped with a line; with KURABE_REQUIRE_STORES=1 that is a
failure.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Iterable, NamedTuple
from unittest import mock
from urllib.parse import unquote
from zlib import crc32

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from kurabe_tape import (BEGINS, COMMIT, COMMIT_FAILED, DONE, EXISTS, FAILED, KINDS, MISSING,  # noqa: E402
                         REST_COMMITTED, REST_NOT_COMMITTED, TOGETHER, ClientError, Script, Tape, describe, hide)
from kurabe_values import Codec, Values, known_encodings  # noqa: E402
from kurabe_worker import FAILURES_IN_A_ROW, Worker  # noqa: E402
from stores import Echo, Job  # noqa: E402

HERE = Path(__file__).resolve().parent
#: Its descriptor 3 is a pipe to us, its descriptor 1 what its stderr is.
CLIENT = ["sh", "-c", 'exec "$@" 3>&1 1>&2', "sh", sys.executable, str(HERE / "kurabe_client.py")]
ROWS = 120
PASSWORD = "s3cr3t-of-the-test"
POOL = bytes(33 + i * 7919 % 94 for i in range(1 << 20))
KEY_VALUE = {"fields": [{"name": "id", "type": "int64"}, {"name": "value", "type": "text", "len_bytes": 100}]}
FOUR = {"fields": [{"name": "id", "type": "text"}, {"name": "title %s", "type": "text", "len_bytes": 40},
                   {"name": "visits", "type": "int64", "indexed": True},
                   {"name": "blob", "type": "bytes", "len_bytes": 30}]}
FAILURES = (FAILED, COMMIT_FAILED, REST_NOT_COMMITTED)
NOTHING = (0, 0)


class Record(NamedTuple):
    """A record of a tape, with the digests of its rows or its message."""

    start: int
    end: int
    outcome: int
    rows: list[tuple[int, int]]
    message: str


def entry(kind: str, row: int = 0, argument: int = 0, flags: int = 0, rows: Iterable[int] = ()) -> bytes:
    """An entry of a script."""
    behind = list(rows)
    return struct.pack(f"<III{len(behind)}I", KINDS.index(kind) + flags, row, len(behind) or argument, *behind)


def records(tape: bytes) -> list[Record]:
    """The records of a tape."""
    found, at = [], 0
    while at < len(tape):
        start, end, outcome, count = struct.unpack_from("<QQII", tape, at)
        at += 24
        size = count if outcome in FAILURES else 8 * count
        body, at = tape[at : at + size], at + size
        is_failure = outcome in FAILURES
        found.append(Record(start, end, outcome, [] if is_failure else list(struct.iter_unpack("<II", body)),
                            body.decode() if is_failure else ""))
    return found


def digest(values: Values, row: int, version: int) -> tuple[int, int]:
    """What stands on a tape of a row."""
    key = values.key(row)
    return crc32(key.encode() if isinstance(key, str) else key.to_bytes(8, "little")), crc32(values.raw(row, version))


def lacks(self: unittest.TestCase, what: str, is_here: bool) -> None:
    """Skips a test whose store is not here, or fails it where none may be skipped."""
    if is_here:
        return
    if os.environ.get("KURABE_REQUIRE_STORES") == "1":
        self.fail(f"KURABE_REQUIRE_STORES=1, but {what} is not here")
    print(f"skipped: {self.id()}: {what} is not here", file=sys.stderr)
    self.skipTest(what)


def is_module(name: str) -> bool:
    """Whether a library can be imported."""
    return subprocess.run([sys.executable, "-c", f"import {name}"], stderr=subprocess.DEVNULL).returncode == 0


class Client:
    """A client as a process, and this harness's end of it."""

    def __init__(self, job: dict[str, Any], driver: str = "", version: Any = 2) -> None:
        self.process = subprocess.Popen(CLIENT + [driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.guard = threading.Timer(60, self.process.kill)
        self.guard.start()
        self.seen: list[str] = []
        self.dir = tempfile.mkdtemp()
        self.say({"kurabe": version, "job": job})

    def say(self, line: Any) -> None:
        """Sends a line."""
        self.process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        self.process.stdin.flush()

    def hear(self, word: str) -> Any:
        """The next line, which must have this word."""
        line = self.process.stdout.readline()
        self.seen.append(line)
        if not line or word not in json.loads(line):
            raise AssertionError(f"expected '{word}', got '{line}': {self.end()}, {self.seen}")
        return json.loads(line)

    def call(self, name: str) -> dict[str, Any]:
        """The answer to a call."""
        self.say({"call": name, "id": 7})
        return self.hear("reply")

    def phase(self, script: bytes, endless: bytes = b"", **more: Any) -> tuple[list[Record], dict[str, Any]]:
        """Does a phase by pipes; its tape and result. A script that ends in `endless` repeats that for ever."""
        paths = [os.path.join(self.dir, f"{name}-{time.monotonic_ns()}") for name in ("script", "tape")]
        for path in paths:
            os.mkfifo(path)
        tape = bytearray()

        def feed() -> None:
            with open(paths[0], "wb", buffering=0) as pipe:
                try:
                    pipe.write(script)
                    while endless:
                        pipe.write(endless)
                except BrokenPipeError:
                    pass  # Time ended the phase.

        def take() -> None:
            with open(paths[1], "rb") as pipe:
                tape.extend(pipe.read())

        threads = [threading.Thread(target=part, daemon=True) for part in (feed, take)]
        for thread in threads:
            thread.start()
        worker = {"worker": 0, "script": paths[0], "tape": paths[1], "count": more.pop("count", 1 << 40),
                  **({"warmup": more.pop("warmup")} if "warmup" in more else {})}
        self.say({"prepare": {"phase": "p", "operations": ["read"], "commit_every": 1, "read_scope": "each",
                              "workers": [worker], **more}})
        self.hear("ready")
        self.say({"go": "p"})
        result = self.hear("result")
        for thread in threads:
            thread.join()
        return records(bytes(tape)), result

    def end(self) -> int:
        """Waits for the exit; gives its status."""
        out, err = self.process.communicate(timeout=60)
        self.guard.cancel()
        self.seen += [out, err]
        shutil.rmtree(self.dir, ignore_errors=True)
        return self.process.returncode

    def stop(self) -> int:
        """Ends in good order."""
        self.say({"stop": True})
        self.hear("end")
        return self.end()


class WithFolder(unittest.TestCase):
    """Tests with a folder and clients on it."""

    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="kurabe-python-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.pool = self.write("pool", POOL)

    def write(self, name: str, data: bytes) -> str:
        """A file with this content."""
        path = os.path.join(self.folder, name)
        Path(path).write_bytes(data)
        return path

    def job(self, store: str, schema: dict[str, Any] = KEY_VALUE, **more: Any) -> dict[str, Any]:
        """A job in a folder of its own."""
        return {"id": "test", "candidate": {"name": store, "store": store, "wire": store}, "schema": schema, "rows": ROWS,
                "namespace": "kurabe_test", "dir": tempfile.mkdtemp(dir=self.folder), "settings": {}, "pool": self.pool,
                "process": 0, "processes": 1, "limits": {"call_ns": 10**10, "operation_ns": 5 * 10**9}, **more}

    def start(self, store: str, schema: dict[str, Any] = KEY_VALUE, driver: str = "", **more: Any) -> Client:
        """A client that has said hello and made its namespace."""
        client = Client(self.job(store, schema, **more), driver)
        self.addCleanup(client.guard.cancel)
        self.capabilities = client.hear("hello")["hello"]["capabilities"]
        self.assertEqual(client.call("create"), {"reply": 7, "ok": True})
        return client

    def outcomes(self, tape: list[Record]) -> list[int]:
        """The outcomes of a tape, whose records must follow one another, or be of one request."""
        for before, record in zip(tape, tape[1:]):
            self.assertTrue(record[:2] == before[:2] or before.end <= record.start <= record.end)
        return [record.outcome for record in tape]

    def load(self, client: Client, **more: Any) -> None:
        """Loads all rows."""
        tape, _ = client.phase(b"".join(entry("load", row, 0, COMMIT) for row in range(ROWS)), count=ROWS, **more)
        self.assertEqual(self.outcomes(tape), [BEGINS] + [DONE] * ROWS)


class Server:
    """A server of its own on a free port of the loopback."""

    def __init__(self, test: unittest.TestCase, command: list[str], port_flag: str) -> None:
        lacks(test, command[0], shutil.which(command[0]) is not None)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen([*command, port_flag, str(self.port)], stdout=subprocess.DEVNULL)
        test.addCleanup(self.stop)
        for _ in range(1000):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        test.fail(f"{command[0]} did not come up")

    def stop(self) -> None:
        """Ends the server."""
        self.process.kill()
        self.process.wait()


class MadeAndRead(WithFolder):
    """Values, encodings, secrets, scripts and tapes by themselves."""

    TEXTS = ("no", "yes", "Off", "null", "~", "1e3", "012", "0x1F", "1_000", ".5", ".nan", "2026-11-23", "12:30:45",
             "<<", "=", "!!int 5", "- a", "a: b", "#", "", " a ", "a\nb", "\n", "\t", "'", '"', "{a: 1}", "|", "鍵", "😀",
             "\x85")
    COLUMNS = [{"name": "id", "type": "int64"}, {"name": "no", "type": "text", "len_bytes": 60},
               {"name": "visits", "type": "int64"}, {"name": "blob", "type": "bytes", "len_bytes": 9}]

    def test_values_and_keys_are_those_of_the_vectors(self) -> None:
        cases = json.loads((HERE.parent.parent / "vectors" / "values.json").read_text())["cases"]
        self.assertGreater(len(cases), 20)
        for case in cases:
            values = Values(case["schema"], POOL)
            self.assertEqual(values.raw(case["row"], case["version"]).hex(), case["raw_hex"])
            values.text_key = True
            self.assertEqual(values.key(case["row"]), case["text_key"])

    def test_what_is_of_another_type_has_the_digest_of_no_row(self) -> None:
        values = Values({"fields": self.COLUMNS}, POOL)
        right = ("a", 5, b"b")
        for wrong in ((b"a", 5, b"b"), ("a", "5", b"b"), ("a", 5.0, b"b"), ("a", 5, "b"), ("a", 5, None), ("a", 5), ()):
            self.assertNotEqual(values.raw_of(wrong), values.raw_of(right))
        self.assertEqual(values.raw_of(("a", 5, bytearray(b"b"))), values.raw_of(right))
        self.assertNotEqual(values.digest("1", b""), values.digest(1, b""))

    def test_texts_that_look_like_something_else_come_back_as_texts(self) -> None:
        values = Values({"fields": self.COLUMNS}, POOL)
        for encoding in known_encodings()[1:]:
            codec = Codec(encoding, values)
            for text in self.TEXTS:
                row = (text, -(1 << 63), text.encode())
                self.assertEqual(codec.decode(codec.encode(row)), row, encoding)
            self.assertGreater(codec.spent_ns, 0)

    def test_a_value_that_is_no_row_is_read_as_none(self) -> None:
        values = Values({"fields": self.COLUMNS}, POOL)
        codec = Codec("json", values)
        self.assertEqual(codec.encode(("a", 5, b"\xff")), b'{"no":"a","visits":5,"blob":"/w=="}')
        for kept in (b"", b"5", b"[]", b"{}", b'{"no":1,"visits":5,"blob":""}', b'{"no":"a","visits":"5","blob":""}',
                     b'{"no":"a","visits":true,"blob":""}', b'{"no":"a","visits":5,"blob":"?"}',
                     b'{"no":"a","visits":5,"blob":"","more":1}', b"\xff"):
            self.assertIn(repr(kept).encode(), values.raw_of(codec.decode(kept)))
        self.assertIsNone(codec.decode(None))

    def test_user_password_and_query_of_an_address_are_taken_out_of_errors(self) -> None:
        self.addCleanup(hide, None)
        for written in ("p%40ss-word", "a/b@c"):
            hide(f"redis://somebody:{written}@127.0.0.1:6379/0")
            told = describe(ValueError(f"no access with {written} or {unquote(written)}"))
            self.assertEqual(told, "ValueError: no access with *** or ***")
        hide("redis://sel%40home:s3cret@127.0.0.1:6379/0?token=CANARY")
        told = describe(ValueError("denied to 'sel@home', sel%40home, CANARY; selected"))
        self.assertEqual(told, "ValueError: denied to '***', ***, ***; selected")

    def test_a_script_is_read_in_pieces_and_one_that_is_cut_or_unknown_is_refused(self) -> None:
        whole = entry("update", 7, 3, COMMIT) + entry("open", rows=range(20_000)) + entry("read", 9)
        script = Script(self.write("script", whole))
        self.addCleanup(script.close)
        self.assertEqual(list(script.entries()), [
            (3 + COMMIT, 7, 3, ()), (10, 0, 20_000, tuple(range(20_000))), (2, 9, 0, ())])
        unknown = struct.pack("<III", 11, 0, 0)
        for bad in (whole[:5], whole[:12 + 12 + 6], whole[:-1], entry("open", rows=[5])[:12], unknown):
            script = Script(self.write("bad", bad))
            with self.assertRaises(ClientError):
                list(script.entries())
            script.close()

    def test_a_tape_is_written_in_pieces_and_keeps_messages(self) -> None:
        tape = Tape(path := os.path.join(self.folder, "tape"))
        tape.note(1, 2, DONE, bytes(8 * 30_000))
        self.assertEqual(len(tape.waiting), 0)
        tape.fail(3, 4, FAILED, ValueError("schlüssel\nfehlt"))
        tape.flush()
        tape.close()
        self.assertEqual(records(Path(path).read_bytes()), [
            Record(1, 2, DONE, [NOTHING] * 30_000, ""), Record(3, 4, FAILED, [], "ValueError: schlüssel fehlt")])


class Moody(Echo):
    """Fails as it is told to: what `failing` names is what fails next."""

    errors = (ConnectionError,)
    transactions = True

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.failing: list[str] = []
        self.asked: list[str] = []

    def ask(self, what: str) -> None:
        """Notes what was asked for, or fails."""
        self.asked.append(what)
        if self.failing and self.failing[0] == what:
            raise ConnectionError(self.failing.pop(0))

    def update(self, request: tuple[int, bytes]) -> bool:
        self.ask("update")
        return super().update(request)

    def send(self, asked: tuple[list[str], list[Any]]) -> list[Any]:
        """The members of a group; the second alone may fail."""
        self.ask("send")
        answers = [getattr(self, kind)(request) for kind, request in zip(*asked)]
        return [ConnectionError("alone") if self.failing == ["alone"] and at == 1 else answer
                for at, answer in enumerate(answers)]

    def begin(self) -> None:
        self.ask("begin")

    def commit(self) -> None:
        self.ask("commit")

    def recover(self) -> None:
        self.ask("recover")


class Failing(WithFolder):
    """The worker and a store that fails."""

    def work(self, script: bytes, failing: list[str], **phase: Any) -> tuple[list[Record], Moody]:
        """What came of a script, behind outcome 7."""
        store = Moody(Job.parse(self.job("echo")), Values(KEY_VALUE, POOL))
        store.failing = failing
        told = {"script": self.write("script", script), "tape": os.path.join(self.folder, "tape")}
        worker = Worker(store, told, {"commit_every": 2, **phase})
        worker.warm_up()
        worker.measure()
        worker.close()
        tape = records(Path(told["tape"]).read_bytes())
        self.assertEqual(self.outcomes(tape)[0], BEGINS)
        return tape[1:], store

    UPDATES = entry("update", 1, 1) + entry("update", 2, 1, COMMIT) + entry("update", 3, 1)

    def test_writes_are_committed_where_it_is_due_and_at_the_end(self) -> None:
        tape, store = self.work(self.UPDATES, [])
        self.assertEqual(self.outcomes(tape), [DONE, DONE, DONE, REST_COMMITTED])
        self.assertEqual(store.asked, ["begin", "update", "update", "commit", "begin", "update", "commit"])

    def test_a_commit_that_fails_is_told_with_the_write_before_it(self) -> None:
        tape, store = self.work(self.UPDATES, ["commit", "commit"])
        self.assertEqual(self.outcomes(tape), [DONE, COMMIT_FAILED, DONE, REST_NOT_COMMITTED])
        self.assertEqual(tape[1].message, "ConnectionError: commit")
        self.assertEqual(store.asked.count("recover"), 2)

    def test_a_commit_that_is_due_behind_a_write_that_failed_comes_behind_the_next(self) -> None:
        tape, store = self.work(entry("update", 1, 1, COMMIT) + entry("update", 2, 1) + entry("read", 2), ["update"])
        self.assertEqual(self.outcomes(tape), [FAILED, DONE, DONE])
        self.assertEqual(store.asked, ["begin", "update", "recover", "begin", "update", "commit"])

    def test_members_of_a_group_have_the_stamps_of_the_request_and_fail_alone_or_together(self) -> None:
        group = entry("update", 1, 1, TOGETHER) + entry("read", 2, 0, TOGETHER) + entry("update", 3, 1, COMMIT)
        for failing, outcomes in (([], [DONE] * 3), (["alone"], [DONE, FAILED, DONE]), (["send"], [FAILED] * 3),
                                  (["commit"], [DONE, DONE, COMMIT_FAILED])):
            tape, store = self.work(group, failing)
            self.assertEqual([record.outcome for record in tape], outcomes)
            self.assertEqual({(record.start, record.end) for record in tape}, {(tape[0].start, tape[0].end)})
            self.assertEqual(tape[1].rows, [digest(store.values, 2, 0)] if outcomes[1] == DONE else [])

    def test_a_worker_gives_up_after_a_row_of_failures_that_only_a_commit_ends(self) -> None:
        many = entry("update", 1, 1) * 2 * FAILURES_IN_A_ROW
        tape, _ = self.work(many, ["update"] * 2 * FAILURES_IN_A_ROW)
        self.assertEqual(self.outcomes(tape), [FAILED] * FAILURES_IN_A_ROW)
        pairs = entry("update", 1, 1, COMMIT) + entry("read", 1)
        tape, _ = self.work(pairs * 2 * FAILURES_IN_A_ROW, ["update"] * 2 * FAILURES_IN_A_ROW)
        self.assertEqual(self.outcomes(tape), ([FAILED, DONE] * FAILURES_IN_A_ROW)[:-1])

    def test_a_worker_connects_again_where_the_store_comes_back(self) -> None:
        with mock.patch.object(Moody, "open", side_effect=[ConnectionError("not yet"), None, None]) as opened:
            tape, _ = self.work(self.UPDATES, ["update"], on_loss="reconnect")
        self.assertEqual(self.outcomes(tape), [FAILED, DONE, DONE, REST_COMMITTED])
        self.assertEqual(opened.call_count, 2)
        self.assertGreaterEqual(tape[1].start - tape[0].end, 6_000_000)
        with mock.patch.object(Moody, "open", side_effect=ConnectionError("gone")), \
                mock.patch("kurabe_worker.PATIENCE_NS", 50_000_000):
            tape, _ = self.work(self.UPDATES, ["update"], on_loss="reconnect")
        self.assertEqual(self.outcomes(tape), [FAILED])


class Embedded(WithFolder):
    """Stores without a server."""

    def test_rows_of_sqlite_are_loaded_together_or_not_at_all(self) -> None:
        client = self.start("sqlite", settings={"journal_mode": "wal", "synchronous": "extra"})
        told = client.call("settings")["ok"]
        self.assertEqual((told["journal_mode"], told["synchronous"]), ("wal", "extra"))
        rows = [*range(ROWS), 5, ROWS]
        script = b"".join(entry("load", row, 0, (row % 40 != 39) * TOGETHER | COMMIT) for row in rows)
        tape, _ = client.phase(script, load_path="batch", count=len(rows))
        self.assertEqual([record.outcome for record in tape], [BEGINS] + [DONE] * ROWS + [FAILED] * 2)
        self.assertEqual(len({record.start for record in tape[1:]}), 4)
        self.assertEqual(client.call("count")["ok"], {"rows": ROWS})
        self.assertEqual(client.call("check")["ok"], {"sound": True, "detail": "ok"})
        self.assertEqual(client.stop(), 0)


class Lines(WithFolder):
    """The lines of the protocol."""

    def test_what_cannot_be_done_is_refused(self) -> None:
        good = self.job("sqlite")
        key = {"fields": [{"name": "id", "type": "bytes"}, KEY_VALUE["fields"][1]]}
        for job, version, word in ((good, 3, "version 3"), (good, "2", "version"),
                                (self.job("sqlight"), 2, "'sqlight'"), (self.job("sqlite", key), 2, "schema"),
                                ({**good, "namespace": "a-b"}, 2, "'a-b'"),
                                ({"id": "x"}, 2, "unusable job"), (None, 2, "unusable job"),
                                ({**good, "settings": {"jurnal_mode": "wal"}}, 2, "'jurnal_mode'")):
            client = Client(job, version=version)
            self.assertIn(word, client.hear("error")["error"])
            self.assertEqual(client.end(), 2)
        workers = [{"worker": n, "script": "s", "tape": "t"} for n in (0, 1)]
        for line, word in (({"dance": 1}, "dance"), ("[]", "no"), ("{", "no"),
                           ({"prepare": {"phase": "p", "operations": ["read"], "workers": workers}}, "one connection")):
            client = self.start("sqlite")
            client.say(line)
            self.assertIn(word, client.hear("error")["error"])
            self.assertEqual(client.end(), 1)

    def test_a_phase_that_time_ends_reads_no_script_to_its_end(self) -> None:
        client = self.start("sqlite")
        self.load(client)
        times = {"warmup_ns": 10**7, "duration_ns": 3 * 10**7}
        tape, _ = client.phase(b"", entry("read", 5), read_scope="snapshot", **times)
        begins = self.outcomes(tape).index(BEGINS)
        self.assertTrue(0 < begins < len(tape) - 1)
        self.assertGreaterEqual(tape[-1].end - tape[begins].start, 3 * 10**7)
        self.assertEqual(client.stop(), 0)

    def test_the_end_of_stdin_without_stop_has_a_status_of_its_own(self) -> None:
        client = self.start("sqlite")
        self.assertEqual(client.call("backup"), {"reply": 7, "unsupported": True})
        client.say({"skip": "p"})
        self.assertEqual(client.end(), 3)


class OnRedis(WithFolder):
    """Redis, by both of its drivers."""

    def setUp(self) -> None:
        super().setUp()
        lacks(self, "redis", is_module("redis"))
        command = ["redis-server", "--bind", "127.0.0.1", "--dir", self.folder, "--save", "", "--requirepass", PASSWORD]
        self.server = Server(self, command, "--port")
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{self.server.port}/0"

    def root(self, *words: str) -> str:
        """A command of ours to the server."""
        address = ["-p", str(self.server.port), "--no-auth-warning", "-a", PASSWORD]
        asked = subprocess.run(["redis-cli", *address, *words], capture_output=True, text=True, check=True)
        return asked.stdout.strip()

    def test_rows_are_right_in_every_encoding(self) -> None:
        values = Values(FOUR, POOL)
        script = (entry("update", 3, 1) + entry("insert", ROWS) + entry("insert", ROWS) + entry("read", 3)
                  + entry("multi-read", rows=[9, ROWS, ROWS + 1])
                  + entry("read", 3, 0, TOGETHER) + entry("update", 4, 1))
        for driver in ("redis", "asyncio"):
            for encoding in known_encodings():
                client = self.start("redis", FOUR, driver, url=self.url, encoding=encoding)
                self.assertIn(encoding, self.capabilities["encodings"])
                self.load(client)
                tape, result = client.phase(script)
                self.assertEqual(self.outcomes(tape), [BEGINS, DONE, DONE, EXISTS, *[DONE] * 4, REST_COMMITTED])
                updated, many = [digest(values, 3, 1)], [digest(values, 9, 0), digest(values, ROWS, 0), NOTHING]
                self.assertEqual([record.rows for record in tape[4:7]], [updated, many, updated])
                self.assertEqual(result.get("encoding_ns", 0) > 0, encoding != "raw")
                tape, _ = client.phase(entry("open", rows=[4]), operations=["open"])
                self.assertEqual(tape[1].rows, [digest(values, 4, 1)])
                self.assertEqual(client.stop(), 0)

    def test_pipelines_do_every_operation(self) -> None:
        client = self.start("redis", url=self.url)
        values = Values(KEY_VALUE, POOL)
        self.load(client)
        kinds = [entry("update", 3, 1, TOGETHER), entry("read", 3, 0, TOGETHER), entry("insert", 3, 0, TOGETHER),
                 entry("delete", 4, 0, TOGETHER), entry("delete", 4, 0, TOGETHER | COMMIT),
                 entry("read", 4, 0, TOGETHER), entry("increment", 5)]
        tape, _ = client.phase(b"".join(kinds) + entry("read", 5))
        self.assertEqual([record.outcome for record in tape], [
            BEGINS, DONE, DONE, EXISTS, DONE, MISSING, DONE, DONE, DONE])
        self.assertEqual([record.rows for record in tape[1:]], [
            [], [digest(values, 3, 1)], [], [], [], [NOTHING], [], [digest(values, 5, 0)]])
        self.assertEqual(len({(record.start, record.end) for record in tape[1:]}), 2)
        self.root("DEL", "kurabe_test:6")
        self.root("HSET", "kurabe_test:6", "a", "b")
        tape, _ = client.phase(entry("read", 5, 0, TOGETHER) + entry("read", 6, 0, TOGETHER) + entry("read", 7))
        self.assertEqual([record.outcome for record in tape], [BEGINS, DONE, FAILED, DONE])
        self.assertIn("WRONGTYPE", tape[2].message)
        self.assertEqual(client.stop(), 0)

    def test_what_a_user_may_not_read_is_absent(self) -> None:
        self.root("ACL", "SETUSER", "few", "on", ">s3cret-word", "~*", "+@read", "+@write")
        client = self.start("redis", url=self.url.replace(f":{PASSWORD}@", "few:s3cret-word@"))
        self.assertEqual(client.call("ping")["ok"], True)
        info = client.call("info")
        self.assertRegex(info["ok"]["version"], r"^\d+\.\d+")
        self.assertIn("info", info["absent"][0])
        for call in ("settings", "evicts"):
            reply = client.call(call)
            self.assertEqual((reply["unsupported"], len(reply["absent"])), (True, 1))
            self.assertNotIn("few", reply["absent"][0])
        self.assertEqual(client.stop(), 0)

    def test_calls_tell_of_evictions_and_reset_takes_our_rows_and_nothing_else(self) -> None:
        self.root("SET", "kurabe_test_of_another:1", "stays")
        client = self.start("redis", url=self.url)
        self.assertEqual(client.call("evicts")["ok"], {})
        self.root("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")
        self.assertIn("allkeys-lru", client.call("evicts")["ok"]["policy"])
        self.load(client)
        client.phase(entry("insert", 1 << 31) + entry("increment", 5))
        self.assertEqual(client.call("count")["ok"], {"rows": ROWS + 1})
        self.assertEqual(client.call("reset")["ok"], True)
        self.assertEqual(self.root("KEYS", "*"), "kurabe_test_of_another:1")
        self.assertEqual(client.stop(), 0)

    def test_the_password_is_never_printed(self) -> None:
        wrong = f"not-the-{PASSWORD}"
        for url in (self.url.replace(PASSWORD, wrong), f"redis://:{wrong}@127.0.0.1:1/0", f"nothing://:{wrong}@x",
                    f"redis://u:{wrong}@127.0.0.1:x/0", f"redis://:{wrong}/x@127.0.0.1:1/0"):
            client = Client(self.job("redis", url=url))
            self.addCleanup(client.guard.cancel)
            client.process.stdin.write('{"call": "ping", "id": 7}\n{"prepare": {"phase": "p", "workers": []}}\n')
            self.assertIn(client.end(), (1, 2), url)
            self.assertIn('"error"', "".join(client.seen))
            self.assertNotIn(wrong, "".join(client.seen))

    def test_a_server_that_dies_is_told_as_failures(self) -> None:
        client = self.start("redis", url=self.url)
        self.load(client)
        threading.Timer(0.1, self.server.stop).start()
        tape, _ = client.phase(entry("read", 1), entry("read", 1))
        self.assertEqual(self.outcomes(tape)[-FAILURES_IN_A_ROW - 1 :], [DONE] + [FAILED] * FAILURES_IN_A_ROW)
        self.assertIn("ConnectionError", tape[-1].message)
        self.assertEqual(client.stop(), 0)


if __name__ == "__main__":
    unittest.main()

"""What the tests have in common: a harness's end of the protocol, with scripts and tapes as pipes, and servers."""

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
from zlib import crc32

from kurabe_tape import (BEGINS, COMMIT, COMMIT_FAILED, DONE, EXISTS, FAILED, KINDS, MISSING, REST_COMMITTED,
                         REST_NOT_COMMITTED)
from kurabe_values import Values

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
        return {"id": "test", "candidate": {"name": store, "store": store}, "schema": schema, "rows": ROWS,
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


class Playing(WithFolder):
    """Tests that play every operation that a store says it has, by pipes."""

    def play(self, client: Client, schema: dict[str, Any]) -> None:
        """Every operation of the client's store, answered as an honest one does."""
        values, able = Values(schema, POOL), self.capabilities["operations"]

        def row(number: int, version: int = 0) -> tuple[int, int]:
            return digest(values, number, version)

        self.load(client)
        insert_again = EXISTS if self.capabilities["insert"] == "exists" else DONE
        script = [(entry("update", 3, 1), DONE, []), (entry("read", 3), DONE, [row(3, 1)]),
                  (entry("insert", ROWS, 0), DONE, []), (entry("insert", ROWS, 0), insert_again, []),
                  (entry("delete", 4), DONE, []), (entry("delete", 4), MISSING, []),
                  (entry("update", 4, 1), MISSING, []),
                  (entry("read", 4), DONE, [NOTHING]),
                  (entry("multi-read", rows=[9, 4, 3, ROWS]), DONE, [row(9), NOTHING, row(3, 1), row(ROWS)]),
                  *[(entry("increment", row), DONE, []) for row in (5, 5, 6)],
                  (entry("latest", 0, 2), DONE, [row(ROWS), row(ROWS - 1)]), (entry("scan"), DONE, None)]
        script = [step for step in script if KINDS[step[0][0]] in able]
        # What waits for its commit is not read where a store cannot tell that a row exists.
        for commit_every in (1, 4)[: 1 if insert_again == DONE else 2]:
            asked = [struct.pack("<I", step[0][0] + COMMIT * (number % commit_every == 0)) + step[0][4:]
                     for number, step in enumerate(script, 1)]
            tape, _ = client.phase(b"".join(asked), count=len(script) - 1, warmup=1, commit_every=commit_every)
            came = [record for record in tape if record.outcome not in (BEGINS, REST_COMMITTED)]
            self.assertEqual([record.outcome for record in came], [outcome for _, outcome, _ in script])
            for (asked, _, rows), record in zip(script, came):
                alive = [row(one, one == 3) for one in range(ROWS + 1) if one != 4]
                found = sorted(record.rows) if rows is None else record.rows
                self.assertEqual(found, sorted(alive) if rows is None else rows, asked)
            self.assertEqual(client.call("sum")["ok"], {"sum": 3})
            self.assertIn(client.call("count").get("ok"), ({"rows": ROWS}, None))
            client.call("create")
            self.load(client)
        self.play_rest(client, values, able)

    def play_rest(self, client: Client, values: Values, able: list[str]) -> None:
        """Openings and searches, and a phase that time ends."""
        if "open" in able:
            tape, _ = client.phase(entry("open", 7, rows=[7, 8, ROWS + 9]), count=1, operations=["open"])
            self.assertEqual(tape[1].rows, [digest(values, 7, 0), digest(values, 8, 0), NOTHING])
        if "search" in able:
            low, high = (values.fields(row, 0)[1] for row in (10, 14))
            tape, _ = client.phase(entry("search", low, high), search_field=2)
            self.assertEqual(sorted(tape[1].rows), sorted(digest(values, row, 0) for row in range(10, 15)))
        scope = self.capabilities["read_scopes"][-1]
        times = {"warmup_ns": 10**7, "duration_ns": 3 * 10**7}
        tape, _ = client.phase(entry("read"), entry("read", 5), read_scope=scope, **times)
        begins = self.outcomes(tape).index(BEGINS)
        self.assertGreater(begins, 0)
        self.assertLess(begins, len(tape) - 1)
        self.assertGreaterEqual(tape[-1].end - tape[begins].start, 3 * 10**7)
        self.assertEqual({tuple(record.rows) for record in tape[begins + 1 :]}, {(digest(values, 5, 0),)})
        self.assertNotIn("error", client.call("ping"))
        self.assertEqual(client.call("reset")["ok"], True)


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

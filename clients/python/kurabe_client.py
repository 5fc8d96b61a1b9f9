"""Kurabe's Python client: one job by the protocol of docs/PROTOCOL.md, with its lines on stdin and descriptor 3.

One process is one worker with one connection; a job with several connections comes as several processes. A store is a
small module in `stores/`. Needs Python 3.11 and, for itself, nothing beyond the standard library.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from typing import Any

from kurabe_tape import ClientError, clean, describe, hide
from kurabe_values import Refused, Values
from kurabe_worker import Worker
from stores import Job, Store, Unsupported, make_store

VERSION = "0.1.0"
#: Version of the protocol, and the descriptor of its lines.
PROTOCOL, LINES = 2, 3


class Session:
    """One job from its first line to `stop`."""

    def __init__(self, driver: str) -> None:
        self.driver = driver
        self.store: Store | None = None
        self.worker: Worker | None = None

    def hear(self, line: dict[str, Any]) -> int | None:
        """Does what a line says; the exit status where it ends the process."""
        if "kurabe" in line:
            self.begin(line)
        elif "call" in line:
            say(self.answer(line["call"], line.get("id")))
        elif "prepare" in line:
            self.prepare(line["prepare"])
        elif "go" in line:
            self.go(line["go"])
        elif "skip" in line:
            self.leave()
        elif "stop" in line:
            self.leave()
            self.opened().close()
            say({"end": True})
            return 0
        else:
            raise ClientError(f"no message of this protocol: '{json.dumps(line)[:120]}'")
        return None

    def begin(self, line: dict[str, Any]) -> None:
        """Takes the job and says `hello`."""
        if line["kurabe"] != PROTOCOL:
            raise Refused(f"version {json.dumps(line['kurabe'])} of the protocol is not spoken here, only {PROTOCOL}")
        job = Job.parse(line.get("job"))
        hide(job.url)
        with open(job.pool, "rb") as file:
            values = Values(job.schema, file.read())
        self.store = make_store(job, values, self.driver)
        say({"hello": {"client": "python", "version": VERSION, "libraries": self.store.libraries(),
                       "capabilities": self.store.capabilities()}})

    def opened(self) -> Store:
        """The store of the job."""
        if self.store is None:
            raise Refused("the first line is no job; 'kurabe run' starts this client")
        return self.store

    def answer(self, name: str, number: Any) -> dict[str, Any]:
        """The reply to a call, with what it leaves out since the user may not read it."""
        store = self.opened()
        try:
            store.open()
            reply: dict[str, Any] = {"ok": store.call(name)}
        except Unsupported:
            reply = {"unsupported": True}
        except store.errors as error:
            reply = {"error": describe(error)}
        absent = [clean(text) for text in store.absent]
        store.absent.clear()
        return {"reply": number, **reply, **({"absent": absent} if absent else {})}

    def prepare(self, phase: dict[str, Any]) -> None:
        """Connects, does the warm-up and says `ready`."""
        self.leave()
        store = self.opened()
        if len(phase["workers"]) > 1:
            raise ClientError("a process of Python has one connection; start one process a connection")
        store.open()
        store.prepare(phase)
        for told in phase["workers"]:
            self.worker = Worker(store, told, phase)
            self.worker.warm_up()
        say({"ready": phase["phase"]})

    def go(self, phase: str) -> None:
        """Does the phase, and says so when its tape is written out."""
        store = self.opened()
        # What is there already is no garbage, and need not be looked through in the phase.
        gc.collect()
        gc.freeze()
        encoded_ns, retries = store.encoding_ns(), store.retries
        if self.worker is not None:
            self.worker.measure()
        self.leave()
        result: dict[str, Any] = {"result": phase, "retries": store.retries - retries}
        if encoded_ns is not None:
            result["encoding_ns"] = store.encoding_ns() - encoded_ns
        say(result)

    def leave(self) -> None:
        """Ends what there is of a phase."""
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.close()


def say(message: dict[str, Any]) -> None:
    """Writes a message as a line. They have a descriptor of their own: what libraries print is for people."""
    data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    while data:
        data = data[os.write(LINES, data) :]


def parse(line: bytes) -> dict[str, Any]:
    """A line as the object that it is."""
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise ClientError(f"not a JSON object: '{line[:120].decode('utf-8', 'replace')}'")
    return message


def main() -> int:
    """Works off the lines; returns the exit status."""
    session = Session(*sys.argv[1:2] or [""])
    try:
        for line in sys.stdin.buffer:
            if line.strip() and (status := session.hear(parse(line))) is not None:
                return status
    except (Refused, ClientError) as error:
        say({"error": clean(str(error))})
        return 2 if isinstance(error, Refused) else 1
    except Exception as error:
        print(clean(traceback.format_exc()), file=sys.stderr)
        say({"error": describe(error)})
        return 1
    # Whoever spoke is gone.
    return 3


if __name__ == "__main__":
    sys.exit(main())

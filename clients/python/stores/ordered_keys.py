"""What embedded stores have in common that keep bytes under bytes, in the order of the keys: rows, and behind them counters."""

from __future__ import annotations

from typing import Any

from kurabe_job import Job, Layout, Refused, Store

#: Before the keys of counters; no row has such a byte there.
COUNTER = b"\xff"


class OrderedKeys(Store):
    """A record is a key with its value; a read is asked for by the key, a write by both. `connect` opens what lies in the folder
    of the job, which a process can have open once only."""

    #: Settings of a job that it takes.
    settings: tuple[str, ...] = ()

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        store = job.candidate["store"]
        if job.dir is None:
            raise Refused(f"store '{store}' needs a folder: the job has no 'dir'")
        for name in job.settings:
            if name not in self.settings:
                raise Refused(f"{store} has no setting '{name}' in the Python client; it has {', '.join(self.settings)}")
        #: What `connect` gave, as long as it is open.
        self.opened: Any = None

    def bytes_of(self, name: str, usual: int | None = None) -> int | None:
        """A setting that is a number of bytes; the usual one where the job does not have it."""
        if name not in self.job.settings:
            return usual
        text = self.job.settings[name]
        if not text.isdigit():
            raise Refused(f"{name} '{text}' is no number of bytes; write digits only")
        return int(text)

    def connect(self) -> Any:
        """What lies in the folder, opened."""
        raise NotImplementedError

    def open(self) -> None:
        if self.opened is None:
            self.opened = self.connect()

    def close(self) -> None:
        if self.opened is not None:
            self.opened.close()
            self.opened = None

    def prepare(self, phase: Any) -> None:
        # A phase that measures the opening must find it closed.
        if "open" in phase.kinds:
            self.close()

    def call_ping(self) -> bool:
        """Whether it is open."""
        return self.opened is not None

    def key(self, row: int) -> bytes:
        """The key of a row: a number is 8 bytes big-endian, in whose order numbers are."""
        key = self.layout.key(row)
        return key.encode() if isinstance(key, str) else key.to_bytes(8, "big")

    def request_many(self, rows: list[int]) -> list[bytes]:
        return [self.key(row) for row in rows]

    def request(self, kind: str, row: int, version: int) -> Any:
        if kind == "increment":
            return COUNTER + row.to_bytes(8, "big")
        if kind in ("read", "delete", "open"):
            return self.key(row)
        return self.key(row), self.layout.raw(row, version)

    def record(self, row: int, version: int) -> tuple[bytes, bytes]:
        return self.key(row), self.layout.raw(row, version)

    def values_of(self, record: tuple[bytes, bytes]) -> tuple[Any, ...]:
        return self.layout.unpack(record[1])

    def key_of(self, record: tuple[bytes, bytes]) -> Any:
        key = record[0]
        return key.decode("utf-8", "replace") if self.layout.text_key else int.from_bytes(key, "big")

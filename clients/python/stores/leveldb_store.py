"""LevelDB through plyvel, which brings the library: a database in a folder of its own, for one process at a time."""

from __future__ import annotations

import os
import platform
from typing import Any, Iterator

import plyvel

from kurabe_job import Job, Layout, Refused

from .ordered_keys import COUNTER, OrderedKeys

SCAN_ROWS = 1024


class LevelDbStore(OrderedKeys):
    """One database; writes between two commits are one batch, which is written by the commit."""

    settings = ("sync", "block_cache")
    errors = (plyvel.Error, OSError)
    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "open")
    read_scopes = ("each", "snapshot")
    # A put overwrites: there is no write that fails where the key exists.
    insert_mode = "upsert"
    transactions = True
    max_value_bytes = 1 << 30

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        sync = job.settings.get("sync", "false")
        if sync not in ("true", "false"):
            raise Refused(f"sync '{sync}' is neither true nor false")
        self.sync = sync == "true"
        self.cache_bytes = self.bytes_of("block_cache")
        #: What waits for the commit, and the keys that it writes or removes; the snapshot of reads.
        self.batch_open: Any = None
        self.waiting: dict[bytes, bytes | None] = {}
        self.snapshot: Any = None

    def capabilities(self) -> dict[str, Any]:
        return {**super().capabilities(), "processes": False}

    def libraries(self) -> dict[str, str]:
        return {"python": platform.python_version(), "plyvel": plyvel.__version__, "leveldb": plyvel.__leveldb_version__}

    def connect(self) -> Any:
        """The database, opened."""
        return plyvel.DB(self.job.dir, create_if_missing=True, lru_cache_size=self.cache_bytes)

    def close(self) -> None:
        self.recover()
        if self.snapshot is not None:
            self.snapshot.close()
            self.snapshot = None
        super().close()

    def write(self, key: bytes, value: bytes | None) -> None:
        """Writes or removes a key: at once, or with the batch that is open."""
        if self.batch_open is not None:
            self.waiting[key] = value
            self.batch_open.delete(key) if value is None else self.batch_open.put(key, value)
        elif value is None:
            self.opened.delete(key, sync=self.sync)
        else:
            self.opened.put(key, value, sync=self.sync)

    def own(self, key: bytes) -> bytes | None:
        """The value that this connection's next write meets: what waits in its batch counts."""
        return self.waiting[key] if key in self.waiting else self.opened.get(key)

    def load(self, request: tuple[bytes, bytes]) -> bool:
        """Writes one row."""
        self.write(*request)
        return True

    insert = load

    def read(self, request: bytes) -> tuple[bytes, bytes] | None:
        """The value of one row, None where it is missing."""
        value = (self.snapshot or self.opened).get(request)
        return None if value is None else (request, value)

    def update(self, request: tuple[bytes, bytes]) -> bool:
        """Replaces one row; False where it is missing. LevelDB has no such write: a lookup comes first."""
        if self.own(request[0]) is None:
            return False
        self.write(*request)
        return True

    def delete(self, request: bytes) -> bool:
        """Removes one row; False where it is missing, for which a lookup comes first."""
        if self.own(request) is None:
            return False
        self.write(request, None)
        return True

    def scan(self) -> Iterator[list[tuple[bytes, bytes]]]:
        """All rows in blocks; behind them stand the counters."""
        block = []
        with (self.snapshot or self.opened).iterator(stop=COUNTER) as rows:
            for row in rows:
                block.append(row)
                if len(block) == SCAN_ROWS:
                    yield block
                    block = []
        yield block

    def latest(self, count: int) -> list[tuple[bytes, bytes]]:
        """The rows with the highest keys, highest first."""
        with (self.snapshot or self.opened).iterator(stop=COUNTER, reverse=True) as rows:
            return [row for _, row in zip(range(count), rows)]

    def multi_read(self, keys: list[bytes]) -> list[tuple[bytes, bytes] | None]:
        """The values of several rows, in the order of the keys: there is no request for many."""
        return [self.read(key) for key in keys]

    def increment(self, request: bytes) -> None:
        """Adds 1 to a counter: read, add, write, which nobody else does to this database."""
        value = self.own(request)
        count = 1 + (int.from_bytes(value, "little") if value else 0)
        self.write(request, count.to_bytes(8, "little"))

    def open_and_read(self, request: bytes) -> tuple[bytes, bytes] | None:
        """The value of one row through a database of its own."""
        database = self.connect()
        try:
            value = database.get(request)
        finally:
            database.close()
        return None if value is None else (request, value)

    def begin(self) -> None:
        self.batch_open = self.opened.write_batch(sync=self.sync)

    def begin_snapshot(self) -> None:
        self.snapshot = self.opened.snapshot()

    def commit(self) -> None:
        if self.snapshot is not None:
            self.snapshot.close()
            self.snapshot = None
        batch, self.batch_open, self.waiting = self.batch_open, None, {}
        if batch is not None:
            batch.write()

    def recover(self) -> None:
        batch, self.batch_open, self.waiting = self.batch_open, None, {}
        if batch is not None:
            batch.clear()

    def call_info(self) -> dict[str, str]:
        """The library's version."""
        return {"version": plyvel.__leveldb_version__}

    def call_create(self) -> bool:
        """Makes the database empty; there is nothing to create."""
        return self.call_reset()

    def call_reset(self) -> bool:
        """Removes the database, which is the job's own, and begins a new one."""
        self.close()
        plyvel.destroy_db(self.job.dir)
        self.open()
        return True

    def call_count(self) -> dict[str, int]:
        """Number of rows."""
        with self.opened.iterator(stop=COUNTER, include_value=False) as keys:
            return {"rows": sum(1 for _ in keys)}

    def call_sum(self) -> dict[str, int]:
        """Sum of all counters."""
        with self.opened.iterator(start=COUNTER, include_key=False) as values:
            return {"sum": sum(int.from_bytes(value, "little") for value in values)}

    def call_size(self) -> dict[str, int]:
        """Length of all files of the database; one that a compaction removes meanwhile counts no more."""
        total = 0
        for entry in os.scandir(self.job.dir):
            try:
                total += entry.stat().st_size if entry.is_file() else 0
            except FileNotFoundError:
                pass
        return {"bytes": total}


STORE = LevelDbStore

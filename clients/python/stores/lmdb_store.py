"""LMDB through py-lmdb, which brings the library: an environment that all processes of the job share, one database in it."""

from __future__ import annotations

import os
import platform
from typing import Any, Iterator

import lmdb

from kurabe_job import Job, Layout, Refused

from .ordered_keys import COUNTER, OrderedKeys

SCAN_ROWS = 1024
MAP_BYTES = 1 << 40
READERS = 2048
#: Words of `flags`, and what of `open` they are.
FLAGS = {"nosync": {"sync": False}, "nometasync": {"metasync": False}}


class LmdbStore(OrderedKeys):
    """One environment; writes between two commits are one transaction, which all other writers wait for."""

    settings = ("flags", "map_size")
    errors = (lmdb.Error, OSError)
    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "open")
    read_scopes = ("each", "snapshot")
    transactions = True
    max_value_bytes = (1 << 32) - 1

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        self.words = [word for word in job.settings.get("flags", "").split(",") if word not in ("", "none")]
        for word in self.words:
            if word not in FLAGS:
                raise Refused(f"lmdb has no flag '{word}' here; it has none, {', '.join(FLAGS)}")
        map_bytes = self.bytes_of("map_size", MAP_BYTES)
        self.options: dict[str, Any] = {"map_size": map_bytes, "max_readers": READERS, "readahead": True}
        for word in self.words:
            self.options |= FLAGS[word]
        #: The transaction of writes, and that of reads of one snapshot.
        self.writing: lmdb.Transaction | None = None
        self.snapshot: lmdb.Transaction | None = None

    def libraries(self) -> dict[str, str]:
        return {"python": platform.python_version(), "py-lmdb": lmdb.__version__,
                "lmdb": ".".join(map(str, lmdb.version()))}

    def connect(self) -> lmdb.Environment:
        """The environment, opened."""
        return lmdb.open(self.job.dir, **self.options)

    def close(self) -> None:
        for transaction in (self.writing, self.snapshot):
            if transaction is not None:
                transaction.abort()
        self.writing = self.snapshot = None
        super().close()

    def reading(self) -> Any:
        """The transaction that a read belongs to, for `with`: its own writes must be seen."""
        return Kept(self.writing or self.snapshot) if self.writing or self.snapshot else self.opened.begin()

    def changing(self) -> Any:
        """The transaction that a write belongs to, for `with`: one of its own, where none is open, is committed behind it."""
        return Kept(self.writing) if self.writing else self.opened.begin(write=True)

    def load(self, request: tuple[bytes, bytes]) -> bool:
        """Writes one row."""
        with self.changing() as transaction:
            return transaction.put(*request)

    def insert(self, request: tuple[bytes, bytes]) -> bool:
        """Writes one row; False where its key exists."""
        with self.changing() as transaction:
            return transaction.put(*request, overwrite=False)

    def read(self, request: bytes) -> tuple[bytes, bytes] | None:
        """The value of one row, None where it is missing."""
        with self.reading() as transaction:
            value = transaction.get(request)
        return None if value is None else (request, value)

    def update(self, request: tuple[bytes, bytes]) -> bool:
        """Replaces one row; False where it is missing. LMDB has no such write: a lookup comes first, in the transaction."""
        with self.changing() as transaction:
            return transaction.get(request[0]) is not None and transaction.put(*request)

    def delete(self, request: bytes) -> bool:
        """Removes one row; False where it is missing."""
        with self.changing() as transaction:
            return transaction.delete(request)

    def rows_of(self, cursor: Any, more: bool, step: Any) -> Iterator[tuple[bytes, bytes]]:
        """Rows from where a cursor is, without counters."""
        while more:
            key, value = cursor.item()
            if not key.startswith(COUNTER):
                yield key, value
            more = step()

    def scan(self) -> Iterator[list[tuple[bytes, bytes]]]:
        """All rows in blocks."""
        with self.reading() as transaction:
            cursor = transaction.cursor()
            block = []
            for row in self.rows_of(cursor, cursor.first(), cursor.next):
                block.append(row)
                if len(block) == SCAN_ROWS:
                    yield block
                    block = []
            yield block

    def latest(self, count: int) -> list[tuple[bytes, bytes]]:
        """The rows with the highest keys, highest first."""
        with self.reading() as transaction:
            cursor = transaction.cursor()
            # Behind all rows stand the counters, if there are any.
            more = cursor.prev() if cursor.set_range(COUNTER) else cursor.last()
            return [row for _, row in zip(range(count), self.rows_of(cursor, more, cursor.prev))]

    def multi_read(self, keys: list[bytes]) -> list[tuple[bytes, bytes] | None]:
        """The values of several rows, in the order of the keys."""
        with self.reading() as transaction:
            values = [transaction.get(key) for key in keys]
        return [None if value is None else (key, value) for key, value in zip(keys, values)]

    def increment(self, request: bytes) -> None:
        """Adds 1 to a counter: read, add, write in one transaction."""
        with self.changing() as transaction:
            value = transaction.get(request)
            count = 1 + (int.from_bytes(value, "little") if value else 0)
            transaction.put(request, count.to_bytes(8, "little"))

    def open_and_read(self, request: bytes) -> tuple[bytes, bytes] | None:
        """The value of one row through an environment of its own."""
        with self.connect() as environment, environment.begin() as transaction:
            value = transaction.get(request)
        return None if value is None else (request, value)

    def begin(self) -> None:
        self.writing = self.opened.begin(write=True)

    def begin_snapshot(self) -> None:
        self.snapshot = self.opened.begin()

    def commit(self) -> None:
        if self.snapshot is not None:
            self.snapshot.abort()
            self.snapshot = None
        writing, self.writing = self.writing, None
        if writing is not None:
            writing.commit()

    def recover(self) -> None:
        writing, self.writing = self.writing, None
        if writing is not None:
            writing.abort()

    def call_info(self) -> dict[str, str]:
        """The library's version."""
        return {"version": ".".join(map(str, lmdb.version()))}

    def call_settings(self) -> dict[str, str]:
        """Settings of the live environment."""
        flags = self.opened.flags()
        words = [word for word, option in FLAGS.items() if all(flags[name] is value for name, value in option.items())]
        info = self.opened.info()
        return {"flags": ",".join(words) or "none", "map_size": str(info["map_size"]),
                "max_readers": str(info["max_readers"])}

    def call_create(self) -> bool:
        """Makes the database empty; there is nothing to create."""
        return self.call_reset()

    def call_reset(self) -> bool:
        """Removes everything: the environment is the job's own."""
        with self.opened.begin(write=True) as transaction:
            transaction.drop(self.opened.open_db(None, txn=transaction), delete=False)
        return True

    def counters(self) -> list[int]:
        """All counters."""
        with self.opened.begin() as transaction:
            cursor = transaction.cursor()
            found = cursor.iternext() if cursor.set_range(COUNTER) else []
            return [int.from_bytes(value, "little") for _, value in found]

    def call_count(self) -> dict[str, int]:
        """Number of rows."""
        return {"rows": self.opened.stat()["entries"] - len(self.counters())}

    def call_sum(self) -> dict[str, int]:
        """Sum of all counters."""
        return {"sum": sum(self.counters())}

    def call_size(self) -> dict[str, int]:
        """Length of the data file, free pages too."""
        return {"bytes": os.stat(os.path.join(self.job.dir, "data.mdb")).st_size}


class Kept:
    """A transaction that goes on after a read in it."""

    def __init__(self, transaction: lmdb.Transaction) -> None:
        self.transaction = transaction

    def __enter__(self) -> lmdb.Transaction:
        return self.transaction

    def __exit__(self, *_: object) -> None:
        pass


STORE = LmdbStore

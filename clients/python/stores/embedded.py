"""Embedded stores that keep bytes under bytes, in the order of the keys: LevelDB through plyvel and LMDB through
py-lmdb. Each brings its library, and may be missing where the other is here. Behind the rows stand counters."""

from __future__ import annotations

import importlib
import os
from contextlib import nullcontext
from itertools import islice
from typing import Any, Iterator

from kurabe_values import Refused, Values

from . import Job, KeyedStore

#: Before the keys of counters; no row has such a byte there.
COUNTER = b"\xff"
SCAN_ROWS = 1024
#: Size of LMDB's map where the job says nothing, and most processes that read it.
MAP_BYTES, READERS = 1 << 40, 2048
#: Words of LMDB's `flags`, and what of `open` they are.
FLAGS = {"nosync": {"sync": False}, "nometasync": {"metasync": False}}

Record = tuple[bytes, bytes]


class OrderedStore(KeyedStore):
    """A record is a key with its value; a read is asked for by the key, a write by both. `connect` of a subclass opens
    what lies in the folder of the job, which a process can have open once only."""

    #: Settings of a job that it takes.
    settings: tuple[str, ...] = ()
    #: Methods of the driver's objects: which ends a snapshot, which keeps what was written, and which gives it up.
    ends: tuple[str, str, str]
    version: str
    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "open")
    read_scopes = ("each", "snapshot")
    transactions = True
    passes = True

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.folder = job.folder()
        self.refuse_settings(self.settings, f"it has {', '.join(self.settings)}")
        #: What `connect` gave, as long as it is open; the batch or transaction of writes, and the snapshot of reads.
        self.opened: Any = None
        self.writing: Any = None
        self.snapshot: Any = None

    def bytes_of(self, name: str, usual: int | None = None) -> int | None:
        """A setting that is a number of bytes; the usual one where the job does not have it."""
        text = self.job.settings.get(name)
        if text is not None and not text.isdigit():
            raise Refused(f"{name} '{text}' is no number of bytes; write digits only")
        return usual if text is None else int(text)

    def open(self) -> None:
        if self.opened is None:
            self.opened = self.connect()

    def close(self) -> None:
        self.recover()
        self.end_snapshot()
        opened, self.opened = self.opened, None
        if opened is not None:
            opened.close()

    def end_snapshot(self) -> None:
        """Gives the snapshot up, where there is one."""
        snapshot, self.snapshot = self.snapshot, None
        if snapshot is not None:
            getattr(snapshot, self.ends[0])()

    def end_writing(self, how: str) -> None:
        """Ends the batch or transaction of writes, where there is one, by this method of it."""
        writing, self.writing = self.writing, None
        if writing is not None:
            getattr(writing, how)()

    def commit(self) -> None:
        self.end_snapshot()
        self.end_writing(self.ends[1])

    def recover(self) -> None:
        self.end_writing(self.ends[2])

    def prepare(self, phase: dict[str, Any]) -> None:
        # A phase that measures the opening must find it closed.
        if "open" in phase["operations"]:
            self.close()

    def key(self, row: int) -> bytes:
        """The key of a row: a number is 8 bytes big-endian, in whose order numbers are."""
        key = self.values.key(row)
        return key.encode() if isinstance(key, str) else key.to_bytes(8, "big")

    def counter(self, row: int) -> bytes:
        return COUNTER + row.to_bytes(8, "big")

    def digest(self, record: Record, row: int | None) -> bytes:
        key, value = record
        named = key.decode("utf-8", "replace") if self.values.text_key else int.from_bytes(key, "big")
        return self.values.digest(named, value)

    def call_info(self) -> dict[str, str]:
        return {"version": self.version}

    def call_ping(self) -> bool:
        return self.opened is not None


class LevelDbStore(OrderedStore):
    """One database, for one process at a time; writes between two commits are one batch."""

    settings = ("sync", "block_cache")
    ends = ("close", "write", "clear")
    # A put overwrites: there is no write that fails where the key exists.
    insert_mode = "upsert"
    max_value_bytes = 1 << 30
    processes = False

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.plyvel: Any = importlib.import_module("plyvel")
        self.version = self.plyvel.__leveldb_version__
        self.errors = (self.plyvel.Error, OSError)
        sync = job.settings.get("sync", "false")
        if sync not in ("true", "false"):
            raise Refused(f"sync '{sync}' is neither true nor false")
        self.sync = sync == "true"
        self.cache_bytes = self.bytes_of("block_cache")
        #: The keys that the batch writes or removes.
        self.waiting: dict[bytes, bytes | None] = {}

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "plyvel": self.plyvel.__version__, "leveldb": self.version}

    def connect(self) -> Any:
        return self.plyvel.DB(self.folder, create_if_missing=True, lru_cache_size=self.cache_bytes)

    def write(self, key: bytes, value: bytes | None) -> None:
        """Writes or removes a key: at once, or with the batch that is open."""
        if self.writing is not None:
            self.waiting[key] = value
            self.writing.delete(key) if value is None else self.writing.put(key, value)
        elif value is None:
            self.opened.delete(key, sync=self.sync)
        else:
            self.opened.put(key, value, sync=self.sync)

    def own(self, key: bytes) -> bytes | None:
        """The value that this connection's next write meets: what waits in its batch counts."""
        return self.waiting[key] if self.writing is not None and key in self.waiting else self.opened.get(key)

    def load(self, request: Record) -> bool:
        self.write(*request)
        return True

    insert = load

    def read(self, request: bytes) -> Record | None:
        value = (self.snapshot or self.opened).get(request)
        return None if value is None else (request, value)

    def update(self, request: Record) -> bool:
        """LevelDB has no such write: a lookup comes first."""
        if self.own(request[0]) is None:
            return False
        self.write(*request)
        return True

    def delete(self, request: bytes) -> bool:
        """A lookup comes first here too."""
        if self.own(request) is None:
            return False
        self.write(request, None)
        return True

    def scan(self) -> Iterator[list[Record]]:
        """Behind the rows stand the counters."""
        with (self.snapshot or self.opened).iterator(stop=COUNTER) as rows:
            yield from in_blocks(rows)

    def latest(self, count: int) -> list[Record]:
        with (self.snapshot or self.opened).iterator(stop=COUNTER, reverse=True) as rows:
            return list(islice(rows, count))

    def multi_read(self, keys: list[bytes]) -> list[Record | None]:
        """There is no request for many."""
        return in_order(self.snapshot or self.opened, keys)

    def increment(self, request: bytes) -> None:
        """Read, add, write, which nobody else does to this database."""
        self.write(request, one_more(self.own(request)))

    def open_and_read(self, requests: list[bytes]) -> list[Record | None]:
        database = self.connect()
        try:
            return in_order(database, requests)
        finally:
            database.close()

    def begin(self) -> None:
        self.writing, self.waiting = self.opened.write_batch(sync=self.sync), {}

    def begin_snapshot(self) -> None:
        self.snapshot = self.opened.snapshot()

    def call_reset(self) -> bool:
        """Removes the database, which is the job's own, and begins a new one."""
        self.close()
        self.plyvel.destroy_db(self.folder)
        self.open()
        return True

    def call_count(self) -> dict[str, int]:
        with self.opened.iterator(stop=COUNTER, include_value=False) as keys:
            return {"rows": sum(1 for _ in keys)}

    def call_sum(self) -> dict[str, int]:
        with self.opened.iterator(start=COUNTER, include_key=False) as values:
            return {"sum": sum(int.from_bytes(value, "little") for value in values)}

    def call_size(self) -> dict[str, int]:
        """Length of all files of the database; one that a compaction removes meanwhile counts no more."""
        total = 0
        for entry in os.scandir(self.folder):
            try:
                total += entry.stat().st_size if entry.is_file() else 0
            except FileNotFoundError:
                pass
        return {"bytes": total}


class LmdbStore(OrderedStore):
    """One environment with one database, shared by all processes of the job; writes between two commits are one
    transaction, which all other writers wait for."""

    settings = ("flags", "map_size")
    ends = ("abort", "commit", "abort")
    max_value_bytes = (1 << 32) - 1

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.lmdb: Any = importlib.import_module("lmdb")
        self.version = ".".join(map(str, self.lmdb.version()))
        self.errors = (self.lmdb.Error, OSError)
        map_bytes = self.bytes_of("map_size", MAP_BYTES)
        self.options: dict[str, Any] = {"map_size": map_bytes, "max_readers": READERS, "readahead": True}
        for word in job.settings.get("flags", "").split(","):
            if word not in ("", "none", *FLAGS):
                raise Refused(f"lmdb has no flag '{word}' here; it has none, {', '.join(FLAGS)}")
            self.options |= FLAGS.get(word, {})

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "py-lmdb": self.lmdb.__version__, "lmdb": self.version}

    def connect(self) -> Any:
        return self.lmdb.open(self.folder, **self.options)

    def reading(self) -> Any:
        """The transaction that a read belongs to, for `with`: its own writes must be seen."""
        kept = self.writing or self.snapshot
        return nullcontext(kept) if kept else self.opened.begin()

    def changing(self) -> Any:
        """The transaction that a write belongs to, for `with`, which commits one of its own."""
        return nullcontext(self.writing) if self.writing else self.opened.begin(write=True)

    def load(self, request: Record) -> bool:
        with self.changing() as transaction:
            return transaction.put(*request)

    def insert(self, request: Record) -> bool:
        with self.changing() as transaction:
            return transaction.put(*request, overwrite=False)

    def read(self, request: bytes) -> Record | None:
        with self.reading() as transaction:
            value = transaction.get(request)
        return None if value is None else (request, value)

    def update(self, request: Record) -> bool:
        """LMDB has no such write: a lookup comes first."""
        with self.changing() as transaction:
            return transaction.get(request[0]) is not None and transaction.put(*request)

    def delete(self, request: bytes) -> bool:
        with self.changing() as transaction:
            return transaction.delete(request)

    def scan(self) -> Iterator[list[Record]]:
        """Behind the rows stand the counters."""
        with self.reading() as transaction:
            rows = transaction.cursor().iternext()
            yield from in_blocks(row for row in rows if not row[0].startswith(COUNTER))

    def latest(self, count: int) -> list[Record]:
        with self.reading() as transaction:
            cursor = transaction.cursor()
            # Behind all rows stand the counters, if there are any.
            is_at_last = cursor.prev() if cursor.set_range(COUNTER) else cursor.last()
            return list(islice(cursor.iterprev(), count)) if is_at_last else []

    def multi_read(self, keys: list[bytes]) -> list[Record | None]:
        with self.reading() as transaction:
            return in_order(transaction, keys)

    def increment(self, request: bytes) -> None:
        """Read, add, write in one transaction."""
        with self.changing() as transaction:
            transaction.put(request, one_more(transaction.get(request)))

    def open_and_read(self, requests: list[bytes]) -> list[Record | None]:
        with self.connect() as environment, environment.begin() as transaction:
            return in_order(transaction, requests)

    def begin(self) -> None:
        self.writing = self.opened.begin(write=True)

    def begin_snapshot(self) -> None:
        self.snapshot = self.opened.begin()

    def call_settings(self) -> dict[str, str]:
        flags = self.opened.flags()
        words = [word for word, option in FLAGS.items() if all(flags[name] is value for name, value in option.items())]
        info = self.opened.info()
        return {"flags": ",".join(words) or "none", "map_size": str(info["map_size"]),
                "max_readers": str(info["max_readers"])}

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
        return {"rows": self.opened.stat()["entries"] - len(self.counters())}

    def call_sum(self) -> dict[str, int]:
        return {"sum": sum(self.counters())}

    def call_size(self) -> dict[str, int]:
        """Length of the data file, free pages too."""
        return {"bytes": os.stat(os.path.join(self.folder, "data.mdb")).st_size}


def in_blocks(rows: Iterator[Record]) -> Iterator[list[Record]]:
    """Rows, so many at a time."""
    while block := list(islice(rows, SCAN_ROWS)):
        yield block


def in_order(source: Any, keys: list[bytes]) -> list[Record | None]:
    """What a database, snapshot or transaction has of several keys."""
    return [None if (value := source.get(key)) is None else (key, value) for key in keys]


def one_more(count: bytes | None) -> bytes:
    """A counter with 1 added."""
    return (1 + (int.from_bytes(count, "little") if count else 0)).to_bytes(8, "little")

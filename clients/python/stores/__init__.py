"""What a job asks, what a store's adapter offers, and where each adapter is; and `echo`, which is no store."""

from __future__ import annotations

import importlib
import platform
import re
from dataclasses import dataclass, field, fields
from typing import Any, Iterable, Iterator

from kurabe_values import Refused, Values

#: Module and adapter by what a store speaks, and by that and a driver behind a colon; the only place that knows them all.
STORES = {
    "echo": ("stores", "Echo"), "sqlite": ("stores.sql", "SqliteStore"), "redis": ("stores.redis_store", "blocking"),
    "redis:asyncio": ("stores.redis_store", "awaiting"), "mysql": ("stores.sql_servers", "PymysqlStore"),
    "mysql:connector": ("stores.sql_servers", "ConnectorStore"), "postgres": ("stores.sql_servers", "PostgresStore"),
    "mongodb": ("stores.mongodb_store", "MongodbStore"), "memcached": ("stores.memcached_store", "MemcachedStore"),
    "lmdb": ("stores.embedded", "LmdbStore"), "leveldb": ("stores.embedded", "LevelDbStore"),
}


class Unsupported(Exception):
    """The store has no such thing."""


@dataclass
class Job:
    """A job as one process receives it; keys that are not known here are ignored."""

    id: str
    candidate: dict[str, Any]
    schema: dict[str, Any]
    rows: int
    namespace: str
    pool: str
    dir: str | None = None
    url: str | None = None
    settings: dict[str, str] = field(default_factory=dict)
    processes: int = 1
    limits: dict[str, int] = field(default_factory=dict)
    encoding: str = "raw"

    def folder(self) -> str:
        """The folder of an embedded store's files."""
        if self.dir is None:
            raise Refused(f"store '{self.candidate['store']}' needs a folder: the job has no 'dir'")
        return self.dir

    def server(self) -> str:
        """The address of a server."""
        if self.url is None:
            raise Refused(f"store '{self.candidate['store']}' needs a running server: the job has no 'url'")
        return self.url

    @property
    def operation_s(self) -> float:
        """Time limit of one operation, in seconds."""
        return self.limits.get("operation_ns", 30 * 10**9) / 1e9

    @staticmethod
    def parse(told: Any) -> Job:
        """The job of the first line."""
        names = {entry.name for entry in fields(Job)}
        try:
            job = Job(**{name: value for name, value in told.items() if name in names})
        except (AttributeError, TypeError) as error:
            raise Refused(f"unusable job: {error}") from error
        if not re.fullmatch("[a-z0-9_]+", job.namespace):
            raise Refused(f"namespace '{job.namespace}' does not match [a-z0-9_]+")
        return job


class Store:
    """A store as one job uses it, by one connection. Each method is one blocking request to the driver and nothing
    else.

    An adapter has a method for each of its `operations`: `load`, `insert`, `update` and `delete` take a request and
    tell whether they were done (not: the row exists, or is missing), `read` gives a record or None, `latest` and
    `search` a list of records, `scan` yields such lists, `multi_read` gives a record or None for each of its keys, in
    their order; `increment` gives nothing. `open_and_read` makes a connection of its own, reads by several requests and
    closes it. With `batch` or the load path `batch`, `send` takes the kinds of several operations and their requests,
    and gives their answers, or the error of one that failed alone. `request`, `request_many` and `request_range`
    prepare what a method is given and `digest` takes in what it gave, both outside the time stamps. Calls are methods,
    `call_ping` and so on, which answer as the protocol has them; those that are left out are unsupported. An adapter
    says of a method only what is its own.
    """

    #: Exceptions of the driver: a failed operation, not a fault of this client.
    errors: tuple[type[Exception], ...] = ()
    operations: tuple[str, ...] = ()
    key_types: tuple[str, ...] = ("int64", "text")
    load_paths: tuple[str, ...] = ("row",)
    read_scopes: tuple[str, ...] = ("each",)
    insert_mode = "exists"
    transactions = False
    #: Encodings of rows that it can keep.
    encodings: tuple[str, ...] = ("raw",)
    #: Whether it keeps columns, so that nothing is encoded.
    keeps_columns = False
    batch = False
    #: Whether a load over rows that are there writes them again.
    passes = False
    max_value_bytes = 0
    max_key_bytes = 255
    #: Whether several processes can work on one job.
    processes = True

    def __init__(self, job: Job, values: Values) -> None:
        self.job, self.values = job, values
        #: Attempts that were repeated inside operations so far.
        self.retries = 0
        #: What the last call left out of its answer, since the user of the address may not read it, in words.
        self.absent: list[str] = []

    def libraries(self) -> dict[str, str]:
        """Libraries in use and their versions."""
        return {"python": platform.python_version()}

    def capabilities(self) -> dict[str, Any]:
        """The capabilities that `hello` names."""
        names = ("operations", "key_types", "load_paths", "read_scopes", "transactions", "batch", "encodings",
                 "keeps_columns", "passes", "max_value_bytes", "max_key_bytes", "processes")
        return {**{name: getattr(self, name) for name in names}, "insert": self.insert_mode, "max_connections": 1,
                "empty_values": True, "open_rows": True, "own_data": False, "schedules": True}

    def refuse_settings(self, known: Iterable[str], hint: str) -> None:
        """Refuses the first setting of the job that is not known."""
        for name in self.job.settings:
            if name not in known:
                raise Refused(f"{self.job.candidate['store']} has no setting '{name}' in the Python client; {hint}")

    def open(self) -> None:
        """Connects where that was not done yet."""

    def prepare(self, phase: dict[str, Any]) -> None:
        """Makes ready for a phase; the namespace must exist afterwards."""

    def close(self) -> None:
        """Closes the connection; what was not committed is given up."""

    def request(self, kind: str, row: int, version: int) -> Any:
        """What the method of an operation is given."""
        raise NotImplementedError

    def request_many(self, rows: tuple[int, ...]) -> Any:
        """What `multi_read` is given."""
        raise NotImplementedError

    def request_range(self, field: int, low: int, high: int) -> Any:
        """What `search` is given: number of a field, least and greatest value."""
        raise NotImplementedError

    def digest(self, record: Any, row: int | None) -> bytes:
        """What a tape holds of a record; `row` is the one that was asked for, if one was."""
        raise NotImplementedError

    def encoding_ns(self) -> int | None:
        """Time that encoding and decoding took inside operations so far, or None where rows are raw."""
        return None

    def begin(self) -> None:
        """Begins a transaction of writes."""

    def commit(self) -> None:
        """Commits the writes since `begin`, or ends a snapshot."""

    def begin_snapshot(self) -> None:
        """Begins one snapshot for all reads until `commit`."""

    def recover(self) -> None:
        """Makes the connection usable after a failed operation."""

    def call(self, name: str) -> Any:
        """Answers a call of the protocol by the method `call_<name>`."""
        answer = getattr(self, f"call_{name}", None)
        if answer is None:
            raise Unsupported(name)
        return answer()

    def call_create(self) -> bool:
        """Makes the namespace empty, where there is nothing to create."""
        return self.call("reset")


class KeyedStore(Store):
    """A store that keeps bytes under bytes: a read is asked for by the name of a row, a write by this and the value."""

    def key(self, row: int) -> bytes:
        """The name of a row."""
        raise NotImplementedError

    def counter(self, row: int) -> bytes:
        """The name of a counter; no row has such a one."""
        raise NotImplementedError

    def value(self, row: int, version: int) -> Any:
        """What a write is given."""
        return self.values.raw(row, version)

    def request(self, kind: str, row: int, version: int) -> Any:
        if kind == "increment":
            return self.counter(row)
        if kind == "read" or kind == "delete":
            return self.key(row)
        return self.key(row), self.value(row, version)

    def request_many(self, rows: tuple[int, ...]) -> list[bytes]:
        return [self.key(row) for row in rows]

    def digest(self, record: bytes, row: int | None) -> bytes:
        return self.values.digest(self.values.key(row), record)


def make_store(job: Job, values: Values, driver: str) -> Store:
    """The store of a job; the adapter of the driver, where it has one of its own."""
    name, wire = job.candidate["store"], job.candidate["wire"]
    if wire not in STORES:
        known = [store for store in STORES if ":" not in store]
        raise Refused(f"store '{name}' is not in the Python client; it has {', '.join(known)}")
    module, adapter = STORES.get(f"{wire}:{driver}", STORES[wire])
    try:
        return getattr(importlib.import_module(module), adapter)(job, values)
    except ImportError as error:
        raise Refused(f"store '{name}' needs a Python package that is not here: {error}; "
                      "install it with 'pip install -r requirements.txt'") from error


class Echo(Store):
    """No store: it answers what is expected, and keeps what was written since the load in a dict. What is left is the
    language, the loop, values and tapes."""

    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment")
    key_types = ("int64",)
    passes = True
    max_value_bytes = 1 << 30

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.refuse_settings((), "it has none")
        self.call_reset()

    def request(self, kind: str, row: int, version: int) -> Any:
        if kind in ("read", "delete", "increment"):
            return row
        return row, self.values.raw(row, version)

    def request_many(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        return rows

    def digest(self, record: tuple[int, bytes], row: int | None) -> bytes:
        return self.values.digest(*record)

    def load(self, request: tuple[int, bytes]) -> bool:
        """Rows that are loaded are made anew where they are read."""
        return True

    def has(self, row: int) -> bool:
        """Whether a row is there."""
        return self.written[row] is not None if row in self.written else row < self.job.rows

    def insert(self, request: tuple[int, bytes]) -> bool:
        row, raw = request
        if self.has(row):
            return False
        self.end = max(self.end, row + 1)
        self.written[row] = raw
        return True

    def update(self, request: tuple[int, bytes]) -> bool:
        row, raw = request
        if not self.has(row):
            return False
        self.written[row] = raw
        return True

    def delete(self, row: int) -> bool:
        if not self.has(row):
            return False
        self.written[row] = None
        return True

    def increment(self, row: int) -> None:
        self.sum += 1

    def read(self, row: int) -> tuple[int, bytes] | None:
        """One that nobody wrote since the load is made anew."""
        if not self.has(row):
            return None
        return row, self.written[row] if row in self.written else self.values.raw(row, 0)

    def multi_read(self, rows: tuple[int, ...]) -> list[tuple[int, bytes] | None]:
        return [self.read(row) for row in rows]

    def scan(self) -> Iterator[list[tuple[int, bytes]]]:
        for row in range(self.end):
            record = self.read(row)
            if record is not None:
                yield [record]

    def latest(self, count: int) -> list[tuple[int, bytes]]:
        found = (record for record in map(self.read, range(self.end - 1, -1, -1)) if record is not None)
        return [record for _, record in zip(range(count), found)]

    def call_reset(self) -> bool:
        self.written: dict[int, bytes | None] = {}
        self.end, self.sum = self.job.rows, 0
        return True

    def call_sum(self) -> dict[str, int]:
        """Each process counts for itself, so of several nobody knows the sum."""
        if self.job.processes > 1:
            raise Unsupported("sum")
        return {"sum": self.sum}

"""What a job asks, how its values are written, and what a store's adapter must offer.

See docs/PROTOCOL.md for all of it. Standard library only.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

PROTOCOL = 1
#: Kinds of operation in the order of their codes in a kinds stream.
KINDS = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "search", "open",
         "mix")
#: Kinds that write rows, and all that write: counters are apart from the rows.
ROW_WRITES = frozenset(("load", "insert", "update", "delete"))
WRITES = ROW_WRITES | {"increment"}

#: Largest integer of the protocol.
MAX_SAFE_INTEGER = (1 << 53) - 1
POOL_BYTES = 1 << 20
HEAD_BYTES = 25
OFFSETS = 1_048_573


class ClientError(Exception):
    """The job cannot go on (exit status 1)."""


class Refused(Exception):
    """The job cannot be done here at all (exit status 2)."""


class HarnessGone(Exception):
    """Stdin ended without `stop` (exit status 3)."""


class Unsupported(Exception):
    """The store has no such thing."""


@dataclass
class Phase:
    """One phase of a job, with the protocol's defaults."""

    name: str
    operation: str
    count: int | None = None
    duration_ns: int | None = None
    warmup: dict[str, int] | None = None
    connections: int = 1
    depth: int = 1
    batch: int = 1
    distribution: str = "sequential"
    rows_stream: str | None = None
    kinds_stream: str | None = None
    mix: list[dict[str, Any]] = field(default_factory=list)
    commit_every: int = 1
    load_path: str = "row"
    batch_rows: int = 1
    read_scope: str = "each"
    latest_rows: int | None = None
    multi_read_rows: int | None = None
    search: dict[str, Any] | None = None
    first_row: int = 0

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of operation that the phase does."""
        if self.operation != "mix":
            return frozenset((self.operation,))
        if self.mix:
            return frozenset(part["operation"] for part in self.mix if part["share"] > 0)
        with open(self.kinds_stream or "", "rb") as stream:
            return frozenset(KINDS[code] for code in set(stream.read()))

    @property
    def group(self) -> int:
        """Operations that are sent together."""
        batched_load = self.operation == "load" and self.load_path == "batch"
        return self.batch_rows if batched_load else self.batch


@dataclass
class Job:
    """A job as one process receives it."""

    id: str
    candidate: dict[str, Any]
    schema: dict[str, Any]
    rows: int
    namespace: str
    pool: str
    phases: list[Phase]
    dir: str | None = None
    url: str | None = None
    settings: dict[str, str] = field(default_factory=dict)
    process: int = 0
    processes: int = 1
    limits: dict[str, int] = field(default_factory=dict)
    data: dict[str, Any] | None = None
    encoding: str = "raw"

    @property
    def operation_s(self) -> float:
        """Time limit of one operation, in seconds."""
        return self.limits.get("operation_ns", 30 * 10**9) / 1e9

    @staticmethod
    def parse(line: dict[str, Any]) -> Job:
        """The job of the first line; unknown keys are ignored, an unknown version is refused."""
        if "job" not in line:
            raise Refused("the first line is no job; 'kurabe run' starts a client, 'kurabe wire' feeds one")
        if line.get("kurabe") != PROTOCOL:
            got = json.dumps(line.get("kurabe"))
            raise Refused(f"protocol version {got} is not spoken here, only version {PROTOCOL}")
        try:
            job = known_keys(Job, line["job"])
            job.phases = [known_keys(Phase, phase) for phase in line["job"]["phases"]]
        except (TypeError, KeyError) as error:
            raise Refused(f"unusable job: {error}") from error
        job.validate()
        return job

    def validate(self) -> None:
        """Refuses what no phase could run with."""
        if not re.fullmatch("[a-z0-9_]+", self.namespace):
            raise Refused(f"namespace '{self.namespace}' does not match [a-z0-9_]+")
        columns = self.schema["fields"]
        if len(columns) < 2 or columns[0]["type"] not in ("int64", "text"):
            raise Refused("unusable schema: it needs an int64 or text key and at least one more field")
        for phase in self.phases:
            if phase.connections > self.processes:
                raise Refused(f"phase '{phase.name}' has {phase.connections} connections, but there are "
                              f"{self.processes} processes and this client has one connection in each")
            if self.rows % phase.connections:
                raise Refused(f"{self.rows} rows are no multiple of the {phase.connections} connections "
                              f"of phase '{phase.name}'")


def known_keys(of: type, values: dict[str, Any]) -> Any:
    """A dataclass from the keys that it knows."""
    names = {entry.name for entry in fields(of)}
    return of(**{name: value for name, value in values.items() if name in names})


class Layout:
    """How the values of one schema are written and taken apart (PROTOCOL.md, "Values")."""

    def __init__(self, schema: dict[str, Any], pool: bytes) -> None:
        if len(pool) != POOL_BYTES:
            raise Refused(f"the pool of filler has {len(pool)} bytes, expected {POOL_BYTES}")
        columns = schema["fields"]
        self.columns = columns
        self.text_key = columns[0]["type"] == "text"
        self.prefix = columns[0].get("prefix", "k")
        self.digits = columns[0].get("digits", 10)
        #: How many values each column has, None where it has as many as there are.
        self.distinct = [column.get("distinct") for column in columns]
        self.parts = [(part["type"], number, part.get("len_bytes") or 0)
                      for number, part in enumerate(columns) if number]
        #: The text of each part that is the same in every row, None for the others.
        self.constants = [("1234567890" * (length // 10 + 1))[:length] if columns[number].get("constant") else None
                          for _, number, length in self.parts]
        longest = max(length for _, _, length in self.parts)
        turns = 1 + math.ceil(longest / POOL_BYTES)
        self.pool = (pool * turns)[: POOL_BYTES + longest].decode("latin-1")
        self.head = next((at for at, (_, _, length) in enumerate(self.parts)
                          if length >= HEAD_BYTES and self.constants[at] is None), None)

    def int_field(self, name: str) -> int | None:
        """Number of the int64 field of this name that is not the key, or None."""
        names = [column["name"] if column["type"] == "int64" else None for column in self.columns]
        return names.index(name, 1) if name in names[1:] else None

    def key(self, row: int) -> int | str:
        """The key of a row."""
        return f"{self.prefix}{row:0{self.digits}d}" if self.text_key else row

    def row_of(self, key: Any) -> int | None:
        """The row of a key that a store gave, or None where it is no key of ours."""
        if not self.text_key:
            return key if isinstance(key, int) and key >= 0 else None
        if not isinstance(key, str) or not key.startswith(self.prefix):
            return None
        digits = key[len(self.prefix):]
        return int(digits) if re.fullmatch(f"[0-9]{{{self.digits}}}", digits, re.ASCII) else None

    def int_value(self, row: int, version: int, number: int) -> int:
        """The value of an int64 field; the key is field 0."""
        value = (row * 31 + version * 17 + number) & 0x7FFF_FFFF
        distinct = self.distinct[number]
        return value if distinct is None else 1 + value % distinct

    def fields(self, row: int, version: int) -> tuple[Any, ...]:
        """The fields after the key."""
        start = (row * 7919 + version * 104_729) % OFFSETS
        head = f"{row:010d}:{version:010d}:"
        values: list[Any] = []
        for (kind, number, length), constant in zip(self.parts, self.constants):
            if kind == "int64":
                values.append(self.int_value(row, version, number))
                continue
            if constant is not None:
                text = constant
            elif length < HEAD_BYTES:
                text = self.pool[start : start + length]
            else:
                text = f"{head}{number:02d}:{self.pool[start:start + length - HEAD_BYTES]}"
            values.append(text if kind == "text" else text.encode("latin-1"))
        return tuple(values)

    def raw(self, row: int, version: int) -> bytes:
        """The raw encoding: what a key-value store holds."""
        values = self.fields(row, version)
        if len(values) == 1 and not isinstance(values[0], int):
            return as_bytes(values[0])
        pieces = []
        for value in values:
            if isinstance(value, int):
                pieces.append(value.to_bytes(8, "little"))
            else:
                pieces.append(len(value).to_bytes(4, "little") + as_bytes(value))
        return b"".join(pieces)

    def unpack(self, raw: bytes) -> tuple[Any, ...]:
        """The fields of a raw value; a value of a wrong form gives fields that match nothing."""
        framed = len(self.parts) > 1
        values: list[Any] = []
        at = 0
        for kind, _, length in self.parts:
            size = 8 if kind == "int64" else length + 4 * framed
            piece = raw[at : at + size]
            at += size
            values.append(piece[4:] if framed and kind != "int64" else piece)
        return tuple(values)

    def claim(self, values: tuple[Any, ...]) -> tuple[int, int] | None:
        """Row and version that the fields of a value claim to be of, or None where they cannot tell."""
        if self.head is None or self.head >= len(values):
            return None
        head = values[self.head]
        if not isinstance(head, (str, bytes)):
            return None
        found = re.match(rb"([0-9]{10}):([0-9]{10}):", as_bytes(head))
        return (int(found[1]), int(found[2])) if found else None


def as_bytes(value: str | bytes) -> bytes:
    """Text as its bytes."""
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


class Store:
    """What an adapter offers. Each method is one blocking request to the driver and nothing else.

    An adapter has a method for each of its `operations`: `load`, `insert`, `update` and `delete` take
    a request and tell whether they were done (not: the row exists, or is missing), `read` gives a
    record or None, `latest` and `search` a list of records, `scan` yields such lists, `multi_read` gives a
    record or None for each of its keys, in their order; `increment` gives nothing. `open_and_read` makes a
    connection of its own, reads as `read` and closes it. With `batch` or the load
    path `batch`, `send` takes the kinds and requests of several operations and gives their answers.
    `request` prepares the argument of a method and `record` the answer that a read must give; both
    are called outside the time stamps. Calls that are left out answer `unsupported`.
    """

    #: Exceptions of the driver: a failed operation, not a fault of this client.
    errors: tuple[type[Exception], ...] = ()
    operations: tuple[str, ...] = ()
    load_paths: tuple[str, ...] = ("row",)
    read_scopes: tuple[str, ...] = ("each",)
    insert_mode = "exists"
    transactions = False
    #: Encodings of rows that it can keep.
    encodings: tuple[str, ...] = ("raw",)
    #: Whether it keeps columns, so that nothing is encoded.
    keeps_columns = False
    batch = False
    max_value_bytes = 0

    def __init__(self, job: Job, layout: Layout) -> None:
        self.job = job
        self.layout = layout
        #: What the last call left out of its answer, since the user of the address may not read it, in words.
        self.absent: list[str] = []

    def libraries(self) -> dict[str, str]:
        """Libraries in use and their versions."""
        raise NotImplementedError

    def open(self) -> None:
        """Connects where that was not done yet."""
        raise NotImplementedError

    def prepare(self, phase: Phase) -> None:
        """Makes ready for a phase; the namespace must exist afterwards."""

    def close(self) -> None:
        """Closes the connection; what was not committed is given up."""

    def request(self, kind: str, row: int, version: int) -> Any:
        """The argument of the method named `kind`."""
        raise NotImplementedError

    def request_many(self, rows: list[int]) -> Any:
        """The argument of `multi_read`."""
        raise NotImplementedError

    def request_range(self, field: int, low: int, high: int) -> Any:
        """The argument of `search`: number of a field, least and greatest value."""
        raise NotImplementedError

    def record(self, row: int, version: int) -> Any:
        """What a read of the row at this version answers."""
        raise NotImplementedError

    def values_of(self, record: Any) -> tuple[Any, ...]:
        """The fields after the key of an answer, to tell what is wrong with it."""
        raise NotImplementedError

    def key_of(self, record: Any) -> Any:
        """The key in a record; needed where the store has `scan` or `latest`."""
        raise NotImplementedError

    def encoding_ns(self) -> int | None:
        """Time that encoding and decoding took inside operations so far, or None where rows are raw."""
        return None

    def begin(self) -> None:
        """Begins a transaction of writes."""

    def commit(self) -> None:
        """Commits the writes since `begin`."""

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

    def capabilities(self) -> dict[str, Any]:
        """The capabilities of the receipt."""
        return {
            "operations": list(self.operations), "key_types": ["int64", "text"], "insert": self.insert_mode,
            "load_paths": list(self.load_paths), "read_scopes": list(self.read_scopes),
            "transactions": self.transactions, "max_depth": 1, "batch": self.batch, "max_connections": 1,
            "processes": True, "shared_versions": False, "max_value_bytes": self.max_value_bytes,
            "max_key_bytes": 255,
            "empty_values": True,
            "own_data": False,
            "encodings": list(self.encodings),
            "keeps_columns": self.keeps_columns,
        }

    def obstacle(self, phase: Phase) -> str | None:
        """Why the phase cannot be done with this store, or None."""
        if self.job.encoding not in self.encodings:
            return f"encoding '{self.job.encoding}' does not exist here"
        missing = sorted(phase.kinds - set(self.operations))
        if missing:
            return f"operation '{missing[0]}' does not exist here"
        if phase.operation == "load" and phase.load_path not in self.load_paths:
            return f"load path '{phase.load_path}' does not exist here"
        if phase.read_scope not in self.read_scopes or (phase.read_scope != "each" and phase.kinds & WRITES):
            return f"read scope '{phase.read_scope}' does not exist here for such a phase"
        if "latest" in phase.kinds and not phase.latest_rows:
            return "'latest' needs 'latest_rows'"
        if "multi-read" in phase.kinds and not phase.multi_read_rows:
            return "'multi-read' needs 'multi_read_rows'"
        if phase.batch > 1 and phase.kinds & {"multi-read", "search", "open"}:
            return "'multi-read', 'search' and 'open' are not sent in batches"
        if "search" in phase.kinds:
            search = phase.search or {}
            field = self.layout.int_field(search.get("field", ""))
            if field is None:
                return f"'{search.get('field', '')}' is no int64 field beside the key"
            if ("rows" in search) == ("at_least" in search):
                return "a search asks either for 'rows' or for 'at_least'"
            if "rows" in search and self.layout.distinct[field] is not None:
                return f"'{search['field']}' has few values, of which no range is one of rows"
        if phase.count is None and phase.duration_ns is None:
            return "it has neither 'count' nor 'duration_ns'"
        if phase.depth > 1 or (phase.batch > 1 and not self.batch):
            return f"depth {phase.depth} with batch {phase.batch} does not exist here"
        return None

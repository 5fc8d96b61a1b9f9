"""Keys and values, as docs/PROTOCOL.md has them under "Values": how they are made, and what stands on a tape of one
that came.

Beside the raw encoding there are JSON, YAML and MessagePack for stores that keep no columns, each by its usual library.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import math
import struct
import time
from functools import partial
from typing import Any, Callable
from zlib import crc32

POOL_BYTES = 1 << 20
HEAD_BYTES = 25
#: Filler begins at one of so many places of the pool.
OFFSETS = 1_048_573
INT64 = struct.Struct("<q")
LENGTH = struct.Struct("<I")
DIGEST = struct.Struct("<II")
#: What stands on a tape where there is no such row.
NOTHING = bytes(DIGEST.size)
#: What goes wrong with a key or field of another type than the schema says.
MISFITS = (AttributeError, TypeError, ValueError, struct.error)

#: CLOCK_MONOTONIC in ns, comparable between the processes of one machine. A partial object and no function of Python,
#: so that less of our own code lies between two stamps.
clock: Callable[[], int] = partial(time.clock_gettime_ns, time.CLOCK_MONOTONIC)


class Refused(Exception):
    """The job cannot be done here at all (exit status 2)."""


class Values:
    """How the rows of one schema look."""

    def __init__(self, schema: dict[str, Any], pool: bytes) -> None:
        columns = self.columns = schema["fields"]
        if len(columns) < 2 or columns[0]["type"] not in ("int64", "text"):
            raise Refused("unusable schema: it needs an int64 or text key and at least one more field")
        if len(pool) != POOL_BYTES:
            raise Refused(f"the pool of filler has {len(pool)} bytes, expected {POOL_BYTES}")
        self.text_key = columns[0]["type"] == "text"
        self.prefix, self.digits = columns[0].get("prefix", "k"), columns[0].get("digits", 10)
        self.key_bytes: Callable[[Any], bytes] = str.encode if self.text_key else INT64.pack
        self.parts = [(column["type"], number, column.get("len_bytes") or 0, column.get("distinct"),
                       repeated(column.get("len_bytes") or 0) if column.get("constant") else None)
                      for number, column in enumerate(columns) if number]
        is_bare = len(self.parts) == 1
        self.packers = [packer(kind, is_bare) for kind, *_ in self.parts]
        # Filler begins anywhere and goes round.
        longest = max(length for _, _, length, *_ in self.parts)
        turns = 1 + math.ceil(longest / POOL_BYTES)
        self.pool = (pool * turns)[: POOL_BYTES + longest].decode("latin-1")

    def key(self, row: int) -> int | str:
        """The key of a row."""
        return f"{self.prefix}{row:0{self.digits}d}" if self.text_key else row

    def fields(self, row: int, version: int) -> tuple[Any, ...]:
        """The fields after the key."""
        start = (row * 7919 + version * 104_729) % OFFSETS
        values: list[Any] = []
        for kind, number, length, distinct, constant in self.parts:
            if kind == "int64":
                value = (row * 31 + version * 17 + number) & 0x7FFF_FFFF
                values.append(value if distinct is None else 1 + value % distinct)
                continue
            if constant is not None:
                text = constant
            elif length < HEAD_BYTES:
                text = self.pool[start : start + length]
            else:
                text = f"{row:010d}:{version:010d}:{number:02d}:{self.pool[start:start + length - HEAD_BYTES]}"
            values.append(text if kind == "text" else text.encode("latin-1"))
        return tuple(values)

    def raw(self, row: int, version: int) -> bytes:
        """The raw encoding of a row: what a key-value store holds."""
        return self.raw_of(self.fields(row, version))

    def raw_of(self, fields: tuple[Any, ...]) -> bytes:
        """The raw encoding of fields, written or read. What is no row of the schema gives bytes that no row has."""
        try:
            return b"".join([pack(field) for pack, field in zip(self.packers, fields, strict=True)])
        except MISFITS:
            return repr(fields).encode("utf-8", "backslashreplace")

    def digest(self, key: Any, raw: bytes) -> bytes:
        """What a tape holds of a row: CRC-32 of the key and of the raw encoding that came."""
        try:
            key_bytes = self.key_bytes(key)
        except MISFITS:
            key_bytes = repr(key).encode("utf-8", "backslashreplace")
        return DIGEST.pack(crc32(key_bytes), crc32(raw))


def repeated(length: int) -> str:
    """The value of a field that is the same in every row."""
    return ("1234567890" * (length // 10 + 1))[:length]


def packer(kind: str, is_bare: bool) -> Callable[[Any], bytes]:
    """What makes the raw encoding of a field; it fails where the value is of another type than the schema says."""
    if kind == "int64":
        return INT64.pack
    if kind == "text":
        return str.encode if is_bare else lambda text: framed(str.encode(text))
    # Joined with the others, or alone, it must be bytes.
    return (lambda value: value) if is_bare else framed


def framed(value: bytes) -> bytes:
    """Bytes behind their length."""
    return LENGTH.pack(len(value)) + value


#: The module of each encoding that is not raw.
MODULES = {"json": "json", "yaml": "yaml", "messagepack": "msgpack"}


def known_encodings() -> tuple[str, ...]:
    """Encodings whose library is here."""
    return ("raw", *(name for name, module in MODULES.items() if importlib.util.find_spec(module)))


class Codec:
    """Writes and reads rows as maps of their fields, name to value, and adds up the time that it takes."""

    def __init__(self, encoding: str, values: Values) -> None:
        self.columns = [(column["name"], column["type"]) for column in values.columns[1:]]
        #: MessagePack has bytes of its own; elsewhere they are texts in base64.
        self.has_bytes = encoding == "messagepack"
        self.dump, self.parse = functions(encoding)
        self.spent_ns = 0

    def encode(self, values: tuple[Any, ...]) -> bytes:
        """The fields of a row as one value."""
        start = clock()
        row = {name: value if self.has_bytes or not isinstance(value, bytes) else base64.b64encode(value).decode()
               for (name, _), value in zip(self.columns, values)}
        kept = self.dump(row)
        self.spent_ns += clock() - start
        return kept

    def decode(self, kept: bytes | None) -> tuple[Any, ...] | None:
        """The fields of a value. One that is no row of the schema gives what is no right answer to anything."""
        if kept is None:
            return None
        start = clock()
        try:
            row = self.parse(kept)
            values = tuple(self.field(row[name], kind) for name, kind in self.columns)
            values = values if len(row) == len(values) else (kept, None)
        except Exception:  # The libraries have errors of many kinds, and of Python's own.
            values = (kept, None)
        self.spent_ns += clock() - start
        return values

    def field(self, value: Any, kind: str) -> Any:
        """The value of a field, of the type that the schema says."""
        wanted = {"int64": int, "text": str, "bytes": bytes if self.has_bytes else str}[kind]
        if type(value) is not wanted:
            raise TypeError(f"{type(value).__name__} where {kind} is expected")
        return base64.b64decode(value, validate=True) if kind == "bytes" and not self.has_bytes else value


def functions(encoding: str) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    """What writes a row, and what reads one."""
    library: Any = importlib.import_module(MODULES[encoding])
    if encoding == "json":
        return lambda row: json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode(), json.loads
    if encoding == "messagepack":
        return library.packb, library.unpackb
    # Its parser and writer in C where they are there, as everybody takes them who looks at the time.
    dumper = getattr(library, "CSafeDumper", library.SafeDumper)
    loader = getattr(library, "CSafeLoader", library.SafeLoader)
    return (lambda row: library.dump(row, Dumper=dumper, sort_keys=False, allow_unicode=True, encoding="utf-8"),
            lambda kept: library.load(kept, Loader=loader))

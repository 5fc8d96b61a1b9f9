"""Encodings of rows for stores that keep no columns: JSON, YAML and MessagePack, each by its usual library.

A row is a map of its fields after the key, name to value. What a library does not have is not named in the receipt.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
from typing import Any, Callable

from kurabe_job import Layout, Refused
from kurabe_record import clock

#: The module of each encoding.
MODULES = {"json": "json", "yaml": "yaml", "messagepack": "msgpack"}


def known() -> list[str]:
    """Encodings whose library is here."""
    return ["raw", *(name for name, module in MODULES.items() if importlib.util.find_spec(module))]


class Codec:
    """Writes and reads the rows of one schema, and adds up the time that it takes."""

    def __init__(self, encoding: str, layout: Layout) -> None:
        if encoding not in known():
            raise Refused(f"encoding '{encoding}' does not exist here")
        self.columns = [(column["name"], column["type"]) for column in layout.columns[1:]]
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
        """The fields of a value. One that is no row of the schema gives itself, which is no right answer to anything."""
        if kept is None:
            return None
        start = clock()
        try:
            row = self.parse(kept)
            values = tuple(self.field(row[name], kind) for name, kind in self.columns)
            values = values if len(row) == len(values) else (kept,)
        except Exception:  # The libraries have errors of many kinds, and of Python's own.
            values = (kept,)
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

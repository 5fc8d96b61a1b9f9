"""What embedded stores have in common that keep bytes under bytes, in the order of the keys: rows, and behind them counters."""

from __future__ import annotations

from typing import Any

from kurabe_job import Store

#: Before the keys of counters; no row has such a byte there.
COUNTER = b"\xff"


class OrderedKeys(Store):
    """A record is a key with its value; a read is asked for by the key, a write by both."""

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

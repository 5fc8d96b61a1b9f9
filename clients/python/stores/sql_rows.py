"""What adapters of SQL stores have in common: one connection with a cursor, and rows as places of statements."""

from __future__ import annotations

from typing import Any

from kurabe_job import Store


class SqlRows(Store):
    """`connect` makes the connection; `search_sql` has the statement of a search for each field."""

    connection: Any = None
    cursor: Any = None
    search_sql: list[str]

    def connect(self) -> Any:
        """A new connection."""
        raise NotImplementedError

    def open(self) -> None:
        if self.connection is None:
            self.connection = self.connect()
            self.cursor = self.connection.cursor()

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def request(self, kind: str, row: int, version: int) -> tuple[Any, ...]:
        if kind == "increment":
            return (row,)
        key = self.layout.key(row)
        if kind in ("load", "insert"):
            return (key, *self.layout.fields(row, version))
        if kind == "update":
            return (*self.layout.fields(row, version), key)
        return (key,)

    def request_range(self, field: int, low: int, high: int) -> tuple[str, tuple[int, int]]:
        return self.search_sql[field], (low, high)

    def record(self, row: int, version: int) -> tuple[Any, ...]:
        return (self.layout.key(row), *self.layout.fields(row, version))

    def values_of(self, record: tuple[Any, ...]) -> tuple[Any, ...]:
        return record[1:]

    def key_of(self, record: tuple[Any, ...]) -> Any:
        return record[0]

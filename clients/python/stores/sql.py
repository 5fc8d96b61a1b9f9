"""What stores that speak SQL have in common, and SQLite through Python's own sqlite3 module.

A row is a row of a table named as the namespace, with a column a field, through one connection of a DB-API driver.
"""

from __future__ import annotations

import os
import re
import sqlite3
from typing import Any, Iterator

from kurabe_values import Refused, Values

from . import Job, Store

SCAN_ROWS = 1024
#: Settings of SQLite that a job may give, in the order in which they must be applied.
PRAGMAS = ("page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint")
#: Setting for the declared type of text columns: `string` has numeric affinity, so that digits become a number.
TEXT_TYPE = "text_type"
SYNCHRONOUS = ("off", "normal", "full", "extra")
COLUMN_TYPES = {"int64": "INTEGER", "text": "TEXT", "bytes": "BLOB"}
BUSY_SECONDS = 30.0


class SqlStore(Store):
    """One connection in autocommit with one cursor. A subclass has `connect`, how tables are made, and what differs of
    transactions."""

    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "open")
    read_scopes = ("each", "snapshot")
    transactions = True
    keeps_columns = True
    #: Quotation mark of names, and what stands for a value.
    quote = '"'
    place = "%s"
    begin_sql = snapshot_sql = "BEGIN"
    counted_sql = "ON CONFLICT (id) DO UPDATE SET value = c.value + 1"

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.connection: Any = None
        self.cursor: Any = None
        #: Whether a transaction of writes is open.
        self.in_transaction = False
        self.table, self.counters = self.quoted(job.namespace), self.quoted(f"{job.namespace}_counters")
        names = self.names = [self.quoted(column["name"]) for column in values.columns]
        key, rest, place = names[0], names[1:], self.place
        places = ", ".join([place] * len(names))
        self.insert_sql = f"INSERT INTO {self.table} ({', '.join(names)}) VALUES ({places})"
        self.scan_sql = f"SELECT {', '.join(names)} FROM {self.table}"
        self.read_sql = f"{self.scan_sql} WHERE {key} = {place}"
        changes = ", ".join(f"{name} = {place}" for name in rest)
        self.update_sql = f"UPDATE {self.table} SET {changes} WHERE {key} = {place}"
        self.delete_sql = f"DELETE FROM {self.table} WHERE {key} = {place}"
        self.latest_sql = f"{self.scan_sql} ORDER BY {key} DESC LIMIT {place}"
        self.increment_sql = f"INSERT INTO {self.counters} AS c VALUES ({place}, 1) {self.counted_sql}"
        self.search_sql = [f"{self.scan_sql} WHERE {name} BETWEEN {place} AND {place}" for name in names]
        if any(column["type"] == "int64" for column in values.columns[1:]):
            self.operations = (*self.operations, "search")

    def quoted(self, name: str) -> str:
        """A name as it stands in a statement."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def indexed(self) -> list[tuple[str, str]]:
        """Columns that have an index: as the schema names them, and as they stand in a statement."""
        columns = zip(self.values.columns, self.names)
        return [(column["name"], name) for column, name in columns if column.get("indexed")]

    def connect(self) -> Any:
        """A new connection in autocommit."""
        raise NotImplementedError

    def open(self) -> None:
        if self.connection is None:
            self.connection = self.connect()
            self.cursor = self.connection.cursor()

    def close(self) -> None:
        connection, self.connection = self.connection, None
        self.in_transaction = False
        if connection is not None:
            connection.close()

    def request(self, kind: str, row: int, version: int) -> tuple[Any, ...]:
        if kind == "increment":
            return (row,)
        key = self.values.key(row)
        if kind == "read" or kind == "delete":
            return (key,)
        fields = self.values.fields(row, version)
        return (*fields, key) if kind == "update" else (key, *fields)

    def request_many(self, rows: tuple[int, ...]) -> tuple[str, list[Any]]:
        places = ", ".join([self.place] * len(rows))
        return f"{self.scan_sql} WHERE {self.names[0]} IN ({places})", [self.values.key(row) for row in rows]

    def request_range(self, field: int, low: int, high: int) -> tuple[str, tuple[int, int]]:
        return self.search_sql[field], (low, high)

    def digest(self, record: tuple[Any, ...], row: int | None) -> bytes:
        return self.values.digest(record[0], self.values.raw_of(record[1:]))

    def run(self, sql: str, values: Any = ()) -> Any:
        """Does a statement; gives the cursor."""
        self.cursor.execute(sql, values)
        return self.cursor

    def is_duplicate(self, error: Exception) -> bool:
        """Whether an error means that the key is there already."""
        raise NotImplementedError

    def load(self, request: tuple[Any, ...]) -> bool:
        self.cursor.execute(self.insert_sql, request)
        return True

    def insert(self, request: tuple[Any, ...]) -> bool:
        try:
            self.cursor.execute(self.insert_sql, request)
        except self.errors as error:
            if self.is_duplicate(error):
                return False
            raise
        return True

    def read(self, request: tuple[Any, ...]) -> tuple[Any, ...] | None:
        self.cursor.execute(self.read_sql, request)
        return self.cursor.fetchone()

    def update(self, request: tuple[Any, ...]) -> bool:
        self.cursor.execute(self.update_sql, request)
        return self.cursor.rowcount > 0

    def delete(self, request: tuple[Any, ...]) -> bool:
        self.cursor.execute(self.delete_sql, request)
        return self.cursor.rowcount > 0

    def scan_cursor(self) -> Any:
        """A cursor that does not hold all rows at a time."""
        return self.connection.cursor()

    def scan(self) -> Iterator[list[tuple[Any, ...]]]:
        cursor = self.scan_cursor()
        try:
            cursor.execute(self.scan_sql, ())
            while rows := cursor.fetchmany(SCAN_ROWS):
                yield rows
        finally:
            cursor.close()

    def latest(self, count: int) -> list[tuple[Any, ...]]:
        return self.run(self.latest_sql, (count,)).fetchall()

    def multi_read(self, request: tuple[str, list[Any]]) -> list[Any]:
        found = {record[0]: record for record in self.run(*request).fetchall()}
        return [found.get(key) for key in request[1]]

    def search(self, request: tuple[str, tuple[int, int]]) -> list[tuple[Any, ...]]:
        return self.run(*request).fetchall()

    def increment(self, request: tuple[int]) -> None:
        self.cursor.execute(self.increment_sql, request)

    def open_and_read(self, requests: list[tuple[Any, ...]]) -> list[tuple[Any, ...] | None]:
        connection = self.connect()
        try:
            cursor, found = connection.cursor(), []
            for request in requests:
                cursor.execute(self.read_sql, request)
                found.append(cursor.fetchone())
            return found
        finally:
            connection.close()

    def begin(self) -> None:
        self.cursor.execute(self.begin_sql)
        self.in_transaction = True

    def begin_snapshot(self) -> None:
        self.cursor.execute(self.snapshot_sql)

    def commit(self) -> None:
        self.in_transaction = False
        self.cursor.execute("COMMIT")

    def recover(self) -> None:
        if self.in_transaction:
            self.in_transaction = False
            try:
                self.cursor.execute("ROLLBACK")
            except self.errors:
                # A connection that is gone fails in the next operation.
                pass

    def one(self, sql: str, values: Any = ()) -> Any:
        """The first row of an answer."""
        return self.run(sql, values).fetchone()

    def create_sql(self) -> list[str]:
        """The statements that make the tables."""
        raise NotImplementedError

    def call_ping(self) -> bool:
        return self.one("SELECT 1") is not None

    def call_create(self) -> bool:
        self.call_reset()
        for sql in self.create_sql():
            self.run(sql)
        return True

    def call_reset(self) -> bool:
        for table in (self.table, self.counters):
            self.run(f"DROP TABLE IF EXISTS {table}")
        return True

    def call_count(self) -> dict[str, int]:
        return {"rows": self.one(f"SELECT count(*) FROM {self.table}")[0]}

    def call_sum(self) -> dict[str, int]:
        return {"sum": int(self.one(f"SELECT coalesce(sum(value), 0) FROM {self.counters}")[0])}


class SqliteStore(SqlStore):
    """One connection to `<dir>/data.sqlite`; transactions are begun and committed by hand.

    An int64 key is the INTEGER PRIMARY KEY, so the row is stored under it. A text key is a TEXT PRIMARY KEY: SQLite
    keeps such a table under a hidden rowid and the key in an index beside it. WITHOUT ROWID is not used, since most
    applications do not use it either.
    """

    errors = (sqlite3.Error,)
    load_paths = ("row", "batch")
    max_value_bytes = 1_000_000_000
    place = "?"
    begin_sql = "BEGIN IMMEDIATE"

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        for name, value in job.settings.items():
            if name == TEXT_TYPE and value in ("text", "string"):
                continue
            if name not in PRAGMAS or not re.fullmatch("[A-Za-z0-9_-]+", str(value)):
                raise Refused(f"setting '{name}' = '{value}' is not known to store 'sqlite'; "
                              f"it takes {', '.join(PRAGMAS)} and {TEXT_TYPE} = text or string")
        self.path = os.path.join(job.folder(), "data.sqlite")

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "sqlite": sqlite3.sqlite_version}

    def connect(self) -> sqlite3.Connection:
        """A new connection with the settings of the job."""
        seconds = min(BUSY_SECONDS, self.job.operation_s)
        connection = sqlite3.connect(self.path, timeout=seconds, isolation_level=None)
        for name in PRAGMAS:
            if name in self.job.settings:
                connection.execute(f"PRAGMA {name} = {self.job.settings[name]}").fetchall()
        return connection

    def prepare(self, phase: dict[str, Any]) -> None:
        for sql in self.create_sql():
            self.run(sql)

    def create_sql(self) -> list[str]:
        types = [COLUMN_TYPES[column["type"]] for column in self.values.columns]
        if self.job.settings.get(TEXT_TYPE) == "string":
            types[1:] = ["STRING" if one == "TEXT" else one for one in types[1:]]
        types[0] += " PRIMARY KEY"
        columns = ", ".join(f"{name} {kind}" for name, kind in zip(self.names, types))
        return [f"CREATE TABLE IF NOT EXISTS {self.table} ({columns})",
                f"CREATE TABLE IF NOT EXISTS {self.counters} (id INTEGER PRIMARY KEY, value INTEGER)",
                *(f"CREATE INDEX IF NOT EXISTS {self.quoted(f'{self.job.namespace}_{field}')} ON {self.table} ({name})"
                  for field, name in self.indexed())]

    def is_duplicate(self, error: Exception) -> bool:
        return isinstance(error, sqlite3.IntegrityError)

    def send(self, asked: tuple[list[str], list[tuple[Any, ...]]]) -> list[bool]:
        """Rows of a load in one request."""
        self.cursor.executemany(self.insert_sql, asked[1])
        return [True] * len(asked[1])

    def recover(self) -> None:
        if self.connection is not None and self.connection.in_transaction:
            self.connection.rollback()

    def pragma(self, name: str) -> str:
        """The value of a pragma as the connection reports it; empty where this build has none."""
        value = self.one(f"PRAGMA {name}")
        return "" if value is None else str(value[0]).lower()

    def call_info(self) -> dict[str, str]:
        return {"version": sqlite3.sqlite_version}

    def call_settings(self) -> dict[str, str]:
        """Settings as this connection has them."""
        settings = {name: self.pragma(name) for name in PRAGMAS}
        settings["synchronous"] = SYNCHRONOUS[int(settings["synchronous"])]
        return settings

    def call_size(self) -> dict[str, int]:
        """Size of the database file by its pages."""
        return {"bytes": int(self.pragma("page_count")) * int(self.pragma("page_size"))}

    def call_check(self) -> dict[str, Any]:
        lines = [row[0] for row in self.run("PRAGMA integrity_check").fetchall()]
        return {"sound": lines == ["ok"], "detail": "; ".join(lines[:5])}

"""SQLite through Python's own sqlite3 module.

One table named as the namespace. An int64 key is the INTEGER PRIMARY KEY, so the row is stored under
it. A text key is a TEXT PRIMARY KEY: SQLite keeps such a table under a hidden rowid and the key in an
index beside it. WITHOUT ROWID is not used, since most applications do not use it either.
"""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from typing import Any, Iterator

from kurabe_job import Job, Layout, Refused

from .sql_rows import SqlRows

#: Settings that a job may give, in the order in which they must be applied.
PRAGMAS = ("page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint")
#: Setting for the declared type of text columns: `string` has numeric affinity, so that digits become a number.
TEXT_TYPE = "text_type"
SYNCHRONOUS = ("off", "normal", "full", "extra")
COLUMN_TYPES = {"int64": "INTEGER", "text": "TEXT", "bytes": "BLOB"}
BUSY_SECONDS = 30.0
SCAN_ROWS = 1024


class SqliteStore(SqlRows):
    """One connection to `<dir>/data.sqlite`; transactions are begun and committed by hand."""

    errors = (sqlite3.Error,)
    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "open")
    load_paths = ("row", "batch")
    read_scopes = ("each", "snapshot")
    transactions = True
    keeps_columns = True
    max_value_bytes = 1_000_000_000

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        if job.dir is None:
            raise Refused("store 'sqlite' needs a folder: the job has no 'dir'")
        for name, value in job.settings.items():
            if name == TEXT_TYPE and value in ("text", "string"):
                continue
            if name not in PRAGMAS or not re.fullmatch("[A-Za-z0-9_-]+", str(value)):
                raise Refused(f"setting '{name}' = '{value}' is not known to store 'sqlite'; "
                              f"it takes {', '.join(PRAGMAS)} and {TEXT_TYPE} = text or string")
        if any(column["type"] == "int64" for column in layout.columns[1:]):
            self.operations = (*self.operations, "search")
        self.path = os.path.join(job.dir, "data.sqlite")
        self.table = f'"{job.namespace}"'
        names = [f'"{column["name"]}"' for column in layout.columns]
        key, rest = names[0], names[1:]
        marks = ", ".join("?" * len(names))
        self.insert_sql = f"INSERT INTO {self.table} VALUES ({marks})"
        self.read_sql = f"SELECT {', '.join(names)} FROM {self.table} WHERE {key} = ?"
        changes = ", ".join(f"{name} = ?" for name in rest)
        self.update_sql = f"UPDATE {self.table} SET {changes} WHERE {key} = ?"
        self.delete_sql = f"DELETE FROM {self.table} WHERE {key} = ?"
        self.scan_sql = f"SELECT {', '.join(names)} FROM {self.table}"
        self.latest_sql = f"{self.scan_sql} ORDER BY {key} DESC LIMIT ?"
        self.counters = f'"{job.namespace}_counters"'
        self.increment_sql = (f"INSERT INTO {self.counters} VALUES (?, 1) "
                              "ON CONFLICT (id) DO UPDATE SET value = value + 1")
        self.search_sql = [f"{self.scan_sql} WHERE {name} BETWEEN ? AND ?" for name in names]
        self.many_sql = self.many_at = f"{self.scan_sql} WHERE {key} IN "
        self.indexes = [(f'"{job.namespace}_{column["name"]}"', name)
                        for column, name in zip(layout.columns, names) if column.get("indexed")]
        types = [COLUMN_TYPES[column["type"]] for column in layout.columns]
        if job.settings.get(TEXT_TYPE) == "string":
            types[1:] = ["STRING" if one == "TEXT" else one for one in types[1:]]
        types[0] += " PRIMARY KEY"
        self.create_sql = f"{self.table} ({', '.join(f'{n} {t}' for n, t in zip(names, types))})"

    def libraries(self) -> dict[str, str]:
        return {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}

    def connect(self) -> sqlite3.Connection:
        """A new connection with the settings of the job."""
        seconds = min(BUSY_SECONDS, self.job.operation_s)
        connection = sqlite3.connect(self.path, timeout=seconds, isolation_level=None)
        for name in PRAGMAS:
            if name in self.job.settings:
                connection.execute(f"PRAGMA {name} = {self.job.settings[name]}").fetchall()
        return connection

    def prepare(self, phase: Any) -> None:
        self.make_tables()
        marks = ", ".join("?" * min(phase.multi_read_rows or 1, self.job.rows))
        self.many_sql = f"{self.many_at}({marks})"

    def make_tables(self) -> None:
        """Makes what is not there yet."""
        self.cursor.execute(f"CREATE TABLE IF NOT EXISTS {self.create_sql}")
        self.cursor.execute(f"CREATE TABLE IF NOT EXISTS {self.counters} (id INTEGER PRIMARY KEY, value INTEGER)")
        for index, column in self.indexes:
            self.cursor.execute(f"CREATE INDEX IF NOT EXISTS {index} ON {self.table} ({column})")

    def request_many(self, rows: list[int]) -> list[Any]:
        return [self.layout.key(row) for row in rows]

    def load(self, request: tuple[Any, ...]) -> bool:
        """Writes one row."""
        self.cursor.execute(self.insert_sql, request)
        return True

    def insert(self, request: tuple[Any, ...]) -> bool:
        """Writes one row; False where its key exists."""
        try:
            self.cursor.execute(self.insert_sql, request)
        except sqlite3.IntegrityError:
            return False
        return True

    def read(self, request: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """All fields of one row, None where it is missing."""
        return self.cursor.execute(self.read_sql, request).fetchone()

    def update(self, request: tuple[Any, ...]) -> bool:
        """Replaces one row; False where it is missing."""
        return self.cursor.execute(self.update_sql, request).rowcount > 0

    def delete(self, request: tuple[Any, ...]) -> bool:
        """Removes one row; False where it is missing."""
        return self.cursor.execute(self.delete_sql, request).rowcount > 0

    def scan(self) -> Iterator[list[tuple[Any, ...]]]:
        """All rows in blocks."""
        cursor = self.connection.cursor()
        cursor.execute(self.scan_sql)
        while rows := cursor.fetchmany(SCAN_ROWS):
            yield rows

    def latest(self, count: int) -> list[tuple[Any, ...]]:
        """The rows with the highest keys, highest first."""
        return self.cursor.execute(self.latest_sql, (count,)).fetchall()

    def multi_read(self, keys: list[Any]) -> list[Any]:
        """All fields of several rows, in the order of the keys."""
        sql = self.many_sql
        if len(keys) != sql.count("?"):
            sql = f"{self.many_at}({', '.join('?' * len(keys))})"
        found = {record[0]: record for record in self.cursor.execute(sql, keys).fetchall()}
        return [found.get(key) for key in keys]

    def search(self, request: tuple[str, tuple[int, int]]) -> list[tuple[Any, ...]]:
        """All rows whose value lies in a range."""
        return self.cursor.execute(*request).fetchall()

    def increment(self, request: tuple[int]) -> None:
        """Adds 1 to a counter."""
        self.cursor.execute(self.increment_sql, request)

    def open_and_read(self, request: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """One row through a connection of its own."""
        connection = self.connect()
        try:
            return connection.execute(self.read_sql, request).fetchone()
        finally:
            connection.close()

    def send(self, kinds: list[str], requests: list[tuple[Any, ...]]) -> list[bool]:
        """Rows of a load in one request."""
        self.cursor.executemany(self.insert_sql, requests)
        return [True] * len(requests)

    def begin(self) -> None:
        self.cursor.execute("BEGIN IMMEDIATE")

    def begin_snapshot(self) -> None:
        self.cursor.execute("BEGIN")

    def commit(self) -> None:
        self.cursor.execute("COMMIT")

    def recover(self) -> None:
        if self.connection is not None and self.connection.in_transaction:
            self.connection.rollback()

    def pragma(self, name: str) -> str:
        """The value of a pragma as the connection reports it; empty where this build has none."""
        value = self.connection.execute(f"PRAGMA {name}").fetchone()
        return "" if value is None else str(value[0]).lower()

    def call_ping(self) -> bool:
        """Whether the store answers."""
        return self.connection.execute("SELECT 1").fetchone() == (1,)

    def call_info(self) -> dict[str, str]:
        """The library's version."""
        return {"version": sqlite3.sqlite_version}

    def call_settings(self) -> dict[str, str]:
        """Settings as this connection has them."""
        settings = {name: self.pragma(name) for name in PRAGMAS}
        settings["synchronous"] = SYNCHRONOUS[int(settings["synchronous"])]
        return settings

    def call_create(self) -> bool:
        """Makes the table, empty."""
        self.call_reset()
        self.make_tables()
        return True

    def call_reset(self) -> bool:
        """Drops the tables."""
        self.connection.execute(f"DROP TABLE IF EXISTS {self.table}")
        self.connection.execute(f"DROP TABLE IF EXISTS {self.counters}")
        return True

    def call_sum(self) -> dict[str, int]:
        """Sum of all counters."""
        return {"sum": self.connection.execute(f"SELECT coalesce(sum(value), 0) FROM {self.counters}").fetchone()[0]}

    def call_count(self) -> dict[str, int]:
        """Number of rows."""
        return {"rows": self.connection.execute(f"SELECT count(*) FROM {self.table}").fetchone()[0]}

    def call_size(self) -> dict[str, int]:
        """Size of the database file by its pages."""
        return {"bytes": int(self.pragma("page_count")) * int(self.pragma("page_size"))}

    def call_check(self) -> dict[str, Any]:
        """SQLite's integrity check."""
        lines = [row[0] for row in self.connection.execute("PRAGMA integrity_check")]
        return {"sound": lines == ["ok"], "detail": "; ".join(lines[:5])}


STORE = SqliteStore

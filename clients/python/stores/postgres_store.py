"""PostgreSQL through psycopg 3 with its C part: statements are prepared on the server when they are first used."""

from __future__ import annotations

from itertools import islice
from typing import Any, Iterator

import psycopg

from kurabe_values import Values

from . import Job
from .sql import SCAN_ROWS, SqlServerStore

TYPES = {"int64": "BIGINT", "text": "TEXT", "bytes": "BYTEA"}
#: Settings that decide what is kept and what it costs.
SETTINGS = [
    "autovacuum", "checkpoint_timeout", "commit_delay", "data_checksums", "effective_cache_size", "fsync",
    "full_page_writes", "huge_pages", "io_method", "jit", "max_connections", "max_wal_size", "random_page_cost",
    "shared_buffers", "synchronous_commit", "transaction_read_only", "wal_compression", "wal_level",
    "wal_sync_method", "wal_writer_delay"
]


class PostgresStore(SqlServerStore):
    """One connection; psycopg neither connects again nor tries anything again."""

    errors = (psycopg.Error, OSError)
    snapshot_sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    max_value_bytes = (1 << 30) - 1024

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.refuse_settings(("synchronous_commit",), "it has synchronous_commit")
        self.kind = "UNLOGGED TABLE" if job.candidate.get("variant") == "unlogged" else "TABLE"
        self.insert_new_sql = f"{self.insert_sql} ON CONFLICT DO NOTHING"
        self.increment_sql = (f"INSERT INTO {self.counters} AS c VALUES (%s, 1) "
                              "ON CONFLICT (id) DO UPDATE SET value = c.value + 1")

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "psycopg": psycopg.__version__,
                "psycopg implementation": psycopg.pq.__impl__, "libpq": str(psycopg.pq.version())}

    def connect(self) -> Any:
        options = ["-c client_min_messages=warning"]
        if "synchronous_commit" in self.job.settings:
            options.append(f"-c synchronous_commit={self.job.settings['synchronous_commit']}")
        seconds = self.job.operation_s
        options.append(f"-c statement_timeout={max(1, round(seconds * 1000))}")
        return psycopg.connect(self.job.url, autocommit=True, prepare_threshold=0, options=" ".join(options),
                               connect_timeout=max(2, round(seconds)))

    def is_duplicate(self, error: Exception) -> bool:
        return isinstance(error, psycopg.errors.UniqueViolation)

    def insert(self, request: tuple[Any, ...]) -> bool:
        """Writes one row; False where its key exists. A duplicate key ends a transaction, so there it is asked for without."""
        if not self.in_transaction:
            return super().insert(request)
        return self.run(self.insert_new_sql, request).rowcount > 0

    def scan(self) -> Iterator[list[tuple[Any, ...]]]:
        """All rows in blocks, as the server sends them."""
        rows = self.cursor.stream(self.scan_sql, (), size=SCAN_ROWS if psycopg.capabilities.has_stream_chunked() else 1)
        while block := list(islice(rows, SCAN_ROWS)):
            yield block

    def create_sql(self) -> list[str]:
        # Text is compared by bytes, as in the other stores.
        types = [TYPES[column["type"]] + (' COLLATE "C"' if column["type"] == "text" else "")
                 for column in self.values.columns]
        columns = [f"{name} {kind} {'NOT NULL' if at else 'PRIMARY KEY'}"
                   for at, (name, kind) in enumerate(zip(self.names, types))]
        return [f"CREATE {self.kind} {self.table} ({', '.join(columns)})",
                *(f"CREATE INDEX ON {self.table} ({name})" for _, name in self.indexed()),
                f"CREATE {self.kind} {self.counters} (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)"]

    def call_info(self) -> dict[str, str]:
        """Version of the server."""
        version, build = self.one("SELECT current_setting('server_version'), version()")
        return {"version": version, "build": build}

    def call_settings(self) -> dict[str, str]:
        """Settings of the live session, and of which kind the table is."""
        asked = "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)"
        found = dict(self.run(asked, (SETTINGS,)).fetchall())
        kind = self.one("SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass(%s)", (self.table,))
        return found | ({"relpersistence": kind[0]} if kind else {})

    def call_size(self) -> dict[str, int]:
        """The table with its indexes."""
        return {"bytes": self.one("SELECT pg_total_relation_size(%s::regclass)", (self.table,))[0]}

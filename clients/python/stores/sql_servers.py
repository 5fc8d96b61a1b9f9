"""Servers that speak SQL: MySQL, and what speaks as it does, through PyMySQL, which is Python all through, or MySQL
Connector/Python, the driver of its makers, and PostgreSQL through psycopg 3. Each driver may be missing where
another is here."""

from __future__ import annotations

import importlib
from itertools import islice
from typing import Any, Iterator
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from kurabe_values import Refused, Values

from . import Job, Unsupported
from .sql import SCAN_ROWS, SqlStore

ENGINES = {"innodb": "InnoDB", "myisam": "MyISAM", "aria": "Aria", "rocksdb": "ROCKSDB", "archive": "ARCHIVE",
           "blackhole": "BLACKHOLE"}
#: What engines can do that cannot do everything.
PARTS = {"ARCHIVE": ("load", "insert", "read", "scan", "latest", "multi-read", "open"),
         # An increment is the UPDATE, which meets no row.
         "BLACKHOLE": ("load", "insert", "increment")}
SHORT_BYTES = 255
RETRIES = 1000
#: Numbers of errors of the server.
DUPLICATE_KEY, DEADLOCK = 1062, 1213
#: Takes rows as they are, whatever the mode of the server is.
SQL_MODE = ("SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
            "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'")
#: Settings of MySQL that decide what is kept and what it costs.
MYSQL_SETTINGS = (
    "aria_group_commit", "aria_pagecache_buffer_size", "aria_sync_log_dir", "binlog_format", "binlog_row_image",
    "delay_key_write", "innodb_adaptive_hash_index", "innodb_buffer_pool_size", "innodb_change_buffering",
    "innodb_doublewrite", "innodb_flush_log_at_timeout", "innodb_flush_log_at_trx_commit", "innodb_flush_method",
    "innodb_io_capacity", "innodb_log_buffer_size", "innodb_log_file_size", "innodb_redo_log_capacity",
    "innodb_use_fdatasync", "key_buffer_size", "log_bin", "max_allowed_packet", "max_connections",
    "myisam_recover_options", "performance_schema", "read_only", "rocksdb_block_cache_size",
    "rocksdb_flush_log_at_trx_commit", "rocksdb_manual_wal_flush", "rocksdb_write_disable_wal", "sync_binlog",
    "transaction_isolation", "tx_isolation")

POSTGRES_TYPES = {"int64": "BIGINT", "text": "TEXT", "bytes": "BYTEA"}
#: Settings of PostgreSQL that do.
POSTGRES_SETTINGS = [
    "autovacuum", "checkpoint_timeout", "commit_delay", "data_checksums", "effective_cache_size", "fsync",
    "full_page_writes", "huge_pages", "io_method", "jit", "max_connections", "max_wal_size", "random_page_cost",
    "shared_buffers", "synchronous_commit", "transaction_read_only", "wal_compression", "wal_level",
    "wal_sync_method", "wal_writer_delay"
]


class SqlServerStore(SqlStore):
    """A server at the address of the job."""

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        self.url = job.server()

    def quoted(self, name: str) -> str:
        """A name as it stands in a statement; a percent sign would be a place."""
        return super().quoted(name).replace("%", "%%")

    def address(self) -> tuple[SplitResult, dict[str, str]]:
        """The address of the server in its parts, and its query."""
        url = urlsplit(self.url)
        return url, {name: values[-1] for name, values in parse_qs(url.query).items()}

    def login(self) -> tuple[str | None, str]:
        """User and password of the address."""
        url, _ = self.address()
        return (unquote(url.username) if url.username else None), unquote(url.password or "")


class MysqlStore(SqlServerStore):
    """Engines, tables and settings; a subclass has what is of its driver. Both write values into the text of each
    statement, and tell errors apart by the server's numbers."""

    quote = "`"
    begin_sql = "START TRANSACTION"
    snapshot_sql = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
    max_value_bytes = 60 << 20

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        variant = job.candidate.get("variant") or "innodb"
        if variant not in ENGINES:
            raise Refused(f"the Python client has no variant '{variant}' of {job.candidate['store']}")
        self.refuse_settings((), "give the server arguments")
        self.engine = ENGINES[variant]
        self.is_full = self.engine not in PARTS
        self.operations = PARTS.get(self.engine, self.operations)
        self.insert_mode = "exists" if self.is_full else "upsert"
        self.transactions = self.engine in ("InnoDB", "ROCKSDB")
        self.read_scopes = ("each", "snapshot") if self.transactions else ("each",)
        self.key_types = ("int64",) if self.engine == "ARCHIVE" else self.key_types
        self.add_sql = f"UPDATE {self.counters} SET value = value + 1 WHERE id = %s"
        self.increment_sql = (f"INSERT INTO {self.counters} VALUES (%s, 1) "
                              "ON DUPLICATE KEY UPDATE value = value + 1")

    def is_duplicate(self, error: Exception) -> bool:
        return error.args[:1] == (DUPLICATE_KEY,)

    def increment(self, request: tuple[int]) -> None:
        """Connections that make the same counters may deadlock; then nothing was written."""
        for turn in range(RETRIES):
            try:
                # In a longer transaction an UPDATE that meets no row locks the gap, and others that make counters
                # there wait for it.
                if not self.in_transaction:
                    self.cursor.execute(self.add_sql, request)
                    if self.cursor.rowcount > 0 or self.engine == "BLACKHOLE":
                        return
                super().increment(request)
                return
            except self.errors as error:
                if error.args[:1] != (DEADLOCK,) or self.in_transaction or turn + 1 == RETRIES:
                    raise
                self.retries += 1

    def create_sql(self) -> list[str]:
        is_archive = self.engine == "ARCHIVE"
        types = [self.type_of_key(), *(type_of(column) for column in self.values.columns[1:])]
        columns = [f"{name} {kind} NOT NULL" for name, kind in zip(self.names, types)]
        if is_archive:
            # The one index that an archive can have is on a number that counts up.
            columns[0] += " AUTO_INCREMENT"
            keys = [f"KEY ({self.names[0]})"]
        else:
            keys = [f"PRIMARY KEY ({self.names[0]})", *(f"KEY ({name})" for _, name in self.indexed())]
        rows = (f"CREATE TABLE {self.table} ({', '.join(columns + keys)}) ENGINE={self.engine} "
                "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        counters = (f"CREATE TABLE {self.counters} (id BIGINT NOT NULL PRIMARY KEY, value BIGINT NOT NULL) "
                    f"ENGINE={self.engine}")
        return [rows] if is_archive else [rows, counters]

    def type_of_key(self) -> str:
        """A key is compared by its bytes."""
        if not self.values.text_key:
            return "BIGINT"
        key = self.values.key(0)
        character_set = "ascii" if key.isascii() else "utf8mb4"
        return f"VARCHAR({len(key)}) CHARACTER SET {character_set} COLLATE {character_set}_bin"

    def call(self, name: str) -> Any:
        # What cannot be counted has no such call.
        if (name == "count" and self.engine == "BLACKHOLE") or (name == "sum" and not self.is_full):
            raise Unsupported(name)
        return super().call(name)

    def call_info(self) -> dict[str, str]:
        version, build = self.one("SELECT VERSION(), @@version_comment")
        return {"version": version, "build": build}

    def call_settings(self) -> dict[str, str]:
        """Settings of the live server, and the engine that the table has."""
        places = ", ".join(["%s"] * len(MYSQL_SETTINGS))
        found = list(self.run(f"SHOW GLOBAL VARIABLES WHERE variable_name IN ({places})", MYSQL_SETTINGS).fetchall())
        found += self.run("SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'").fetchall()
        told = {name.lower(): str(value) for name, value in found}
        engine = self.one("SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() "
                          "AND table_name = %s", (self.job.namespace,))
        if engine and engine[0]:
            told["engine"] = engine[0].lower()
        return told


class PymysqlStore(MysqlStore):
    """PyMySQL tries nothing again and connects again only where it is told to."""

    def __init__(self, job: Job, values: Values) -> None:
        self.driver: Any = importlib.import_module("pymysql")
        self.errors = (self.driver.MySQLError, OSError)
        super().__init__(job, values)

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "pymysql": self.driver.__version__}

    def connect(self) -> Any:
        url, query = self.address()
        user, password = self.login()
        seconds = self.job.operation_s
        return self.driver.connect(
            host=url.hostname, port=url.port or 3306, unix_socket=query.get("socket"), user=user, password=password,
            database=url.path[1:] or None, charset="utf8mb4", autocommit=True, binary_prefix=True,
            # An update that changes nothing has met its row.
            client_flag=self.driver.constants.CLIENT.FOUND_ROWS, init_command=SQL_MODE,
            connect_timeout=max(1, round(seconds)), read_timeout=seconds, write_timeout=seconds)

    def scan_cursor(self) -> Any:
        return self.connection.cursor(self.driver.cursors.SSCursor)


class ConnectorStore(MysqlStore):
    """MySQL Connector connects again only where it is told to. The C part that some wheels have is never used."""

    def __init__(self, job: Job, values: Values) -> None:
        self.driver: Any = importlib.import_module("mysql.connector")
        self.errors = (self.driver.Error, OSError)
        super().__init__(job, values)

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "mysql-connector-python": self.driver.__version__}

    def quoted(self, name: str) -> str:
        """A name as it stands in a statement; `%s` alone is a place here."""
        return super().quoted(name).replace("%%", "%")

    def connect(self) -> Any:
        url, query = self.address()
        user, password = self.login()
        seconds = max(1, round(self.job.operation_s))
        where = {"host": url.hostname, "port": url.port or 3306}
        if "socket" in query:
            where = {"unix_socket": query["socket"]}
        return self.driver.connect(
            **where, user=user, password=password, database=url.path[1:] or None, charset="utf8mb4",
            collation="utf8mb4_bin", autocommit=True, use_pure=True, ssl_disabled=True, buffered=True,
            # An update that changes nothing has met its row.
            client_flags=[self.driver.ClientFlag.FOUND_ROWS], init_command=SQL_MODE,
            connection_timeout=seconds, read_timeout=seconds, write_timeout=seconds)

    def scan_cursor(self) -> Any:
        return self.connection.cursor(buffered=False)


class PostgresStore(SqlServerStore):
    """One connection; psycopg neither connects again nor tries anything again."""

    snapshot_sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    max_value_bytes = (1 << 30) - 1024

    def __init__(self, job: Job, values: Values) -> None:
        self.driver: Any = importlib.import_module("psycopg")
        self.errors = (self.driver.Error, OSError)
        super().__init__(job, values)
        self.refuse_settings(("synchronous_commit",), "it has synchronous_commit")
        self.kind = "UNLOGGED TABLE" if job.candidate.get("variant") == "unlogged" else "TABLE"
        self.insert_new_sql = f"{self.insert_sql} ON CONFLICT DO NOTHING"

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "psycopg": self.driver.__version__,
                "psycopg implementation": self.driver.pq.__impl__, "libpq": str(self.driver.pq.version())}

    def connect(self) -> Any:
        options = ["-c client_min_messages=warning"]
        if "synchronous_commit" in self.job.settings:
            options.append(f"-c synchronous_commit={self.job.settings['synchronous_commit']}")
        seconds = self.job.operation_s
        options.append(f"-c statement_timeout={max(1, round(seconds * 1000))}")
        return self.driver.connect(self.url, autocommit=True, prepare_threshold=0, options=" ".join(options),
                               connect_timeout=max(2, round(seconds)))

    def is_duplicate(self, error: Exception) -> bool:
        return isinstance(error, self.driver.errors.UniqueViolation)

    def insert(self, request: tuple[Any, ...]) -> bool:
        """A key that exists would end a transaction, as an error."""
        if not self.in_transaction:
            return super().insert(request)
        return self.run(self.insert_new_sql, request).rowcount > 0

    def scan(self) -> Iterator[list[tuple[Any, ...]]]:
        """As the server sends them."""
        size = SCAN_ROWS if self.driver.capabilities.has_stream_chunked() else 1
        rows = self.cursor.stream(self.scan_sql, (), size=size)
        while block := list(islice(rows, SCAN_ROWS)):
            yield block

    def create_sql(self) -> list[str]:
        # Text is compared by bytes, as in the other stores.
        types = [POSTGRES_TYPES[column["type"]] + (' COLLATE "C"' if column["type"] == "text" else "")
                 for column in self.values.columns]
        columns = [f"{name} {kind} {'NOT NULL' if at else 'PRIMARY KEY'}"
                   for at, (name, kind) in enumerate(zip(self.names, types))]
        return [f"CREATE {self.kind} {self.table} ({', '.join(columns)})",
                *(f"CREATE INDEX ON {self.table} ({name})" for _, name in self.indexed()),
                f"CREATE {self.kind} {self.counters} (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)"]

    def call_info(self) -> dict[str, str]:
        version, build = self.one("SELECT current_setting('server_version'), version()")
        return {"version": version, "build": build}

    def call_settings(self) -> dict[str, str]:
        """Settings of the live session, and of which kind the table is."""
        asked = "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)"
        found = dict(self.run(asked, (POSTGRES_SETTINGS,)).fetchall())
        kind = self.one("SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass(%s)", (self.table,))
        return found | ({"relpersistence": kind[0]} if kind else {})

    def call_size(self) -> dict[str, int]:
        """The table with its indexes."""
        return {"bytes": self.one("SELECT pg_total_relation_size(%s::regclass)", (self.table,))[0]}


def type_of(column: dict[str, Any]) -> str:
    """The type of a column that is not the key."""
    if column["type"] == "int64":
        return "BIGINT"
    text, length = column["type"] == "text", column.get("len_bytes") or 0
    if length <= SHORT_BYTES:
        return f"{'VARCHAR' if text else 'VARBINARY'}({max(length, 1)})"
    size = "" if length <= 0xFFFF else "MEDIUM" if length < 1 << 24 else "LONG"
    return size + ("TEXT" if text else "BLOB")

"""What MySQL, MariaDB and PostgreSQL have in common: one connection of a DB-API driver, a column a field, statements with
`%s` places. A subclass has `connect`, `create_sql`, `increment_sql` and what differs of transactions."""

from __future__ import annotations

from typing import Any, Iterator
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from kurabe_job import Job, Layout, Refused

from .sql_rows import SqlRows

SCAN_ROWS = 1024


class SqlServerStore(SqlRows):
    """One connection in autocommit; transactions are begun and committed by statements."""

    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "open")
    read_scopes = ("each", "snapshot")
    transactions = True
    keeps_columns = True
    #: Quotation mark of names.
    quote = '"'
    begin_sql = "BEGIN"
    snapshot_sql = ""

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        if job.url is None:
            raise Refused(f"store '{job.candidate['store']}' needs a running server: the job has no 'url'")
        #: Whether a transaction of writes is open.
        self.in_transaction = False
        self.table, self.counters = self.quoted(job.namespace), self.quoted(f"{job.namespace}_counters")
        names = self.names = [self.quoted(column["name"]) for column in layout.columns]
        key, rest = names[0], names[1:]
        places = ", ".join(["%s"] * len(names))
        self.insert_sql = f"INSERT INTO {self.table} ({', '.join(names)}) VALUES ({places})"
        self.scan_sql = f"SELECT {', '.join(names)} FROM {self.table}"
        self.read_sql = f"{self.scan_sql} WHERE {key} = %s"
        self.update_sql = f"UPDATE {self.table} SET {', '.join(f'{name} = %s' for name in rest)} WHERE {key} = %s"
        self.delete_sql = f"DELETE FROM {self.table} WHERE {key} = %s"
        self.latest_sql = f"{self.scan_sql} ORDER BY {key} DESC LIMIT %s"
        self.search_sql = [f"{self.scan_sql} WHERE {name} BETWEEN %s AND %s" for name in names]
        if any(column["type"] == "int64" for column in layout.columns[1:]):
            self.operations = (*self.operations, "search")

    def quoted(self, name: str) -> str:
        """A name as it stands in a statement; a percent sign would be a place."""
        return self.quote + name.replace(self.quote, self.quote * 2).replace("%", "%%") + self.quote

    def address(self) -> tuple[SplitResult, dict[str, str]]:
        """The address of the server in its parts, and its query."""
        url = urlsplit(self.job.url)
        return url, {name: values[-1] for name, values in parse_qs(url.query).items()}

    def login(self) -> tuple[str | None, str]:
        """User and password of the address."""
        url, _ = self.address()
        return (unquote(url.username) if url.username else None), unquote(url.password or "")

    def connect(self) -> Any:
        """A new connection in autocommit."""
        raise NotImplementedError

    def run(self, sql: str, values: Any = ()) -> Any:
        """Does a statement; gives the cursor."""
        self.cursor.execute(sql, values)
        return self.cursor

    def request_many(self, rows: list[int]) -> tuple[str, list[Any]]:
        places = ", ".join(["%s"] * len(rows))
        return f"{self.scan_sql} WHERE {self.names[0]} IN ({places})", [self.layout.key(row) for row in rows]

    def row(self, record: Any) -> Any:
        """A record as this client compares it."""
        return record

    def is_duplicate(self, error: Exception) -> bool:
        """Whether an error means that the key is there already."""
        raise NotImplementedError

    def load(self, request: tuple[Any, ...]) -> bool:
        """Writes one row."""
        self.run(self.insert_sql, request)
        return True

    def insert(self, request: tuple[Any, ...]) -> bool:
        """Writes one row; False where its key exists."""
        try:
            self.run(self.insert_sql, request)
        except self.errors as error:
            if self.is_duplicate(error):
                return False
            raise
        return True

    def read(self, request: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """All fields of one row, None where it is missing."""
        return self.row(self.run(self.read_sql, request).fetchone())

    def update(self, request: tuple[Any, ...]) -> bool:
        """Replaces one row; False where it is missing."""
        return self.run(self.update_sql, request).rowcount > 0

    def delete(self, request: tuple[Any, ...]) -> bool:
        """Removes one row; False where it is missing."""
        return self.run(self.delete_sql, request).rowcount > 0

    def scan(self) -> Iterator[list[tuple[Any, ...]]]:
        """All rows in blocks: the driver has them all before it gives the first."""
        cursor = self.run(self.scan_sql)
        while rows := cursor.fetchmany(SCAN_ROWS):
            yield [self.row(row) for row in rows]

    def latest(self, count: int) -> list[tuple[Any, ...]]:
        """The rows with the highest keys, highest first."""
        return [self.row(row) for row in self.run(self.latest_sql, (count,)).fetchall()]

    def multi_read(self, request: tuple[str, list[Any]]) -> list[Any]:
        """All fields of several rows, in the order of the keys."""
        found = {row[0]: row for row in map(self.row, self.run(*request).fetchall())}
        return [found.get(key) for key in request[1]]

    def search(self, request: tuple[str, tuple[int, int]]) -> list[tuple[Any, ...]]:
        """All rows whose value lies in a range."""
        return [self.row(row) for row in self.run(*request).fetchall()]

    def increment(self, request: tuple[int]) -> None:
        """Adds 1 to a counter."""
        self.run(self.increment_sql, request)

    def open_and_read(self, request: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """One row through a connection of its own."""
        connection = self.connect()
        try:
            cursor = connection.cursor()
            cursor.execute(self.read_sql, request)
            return self.row(cursor.fetchone())
        finally:
            connection.close()

    def begin(self) -> None:
        self.run(self.begin_sql)
        self.in_transaction = True

    def begin_snapshot(self) -> None:
        self.run(self.snapshot_sql)

    def commit(self) -> None:
        self.in_transaction = False
        self.run("COMMIT")

    def recover(self) -> None:
        if self.in_transaction:
            self.in_transaction = False
            try:
                self.run("ROLLBACK")
            except self.errors:
                # A connection that is gone fails in the next operation.
                pass

    def one(self, sql: str, values: Any = ()) -> Any:
        """The first row of an answer."""
        return self.run(sql, values).fetchone()

    def call_ping(self) -> bool:
        """Whether the server answers."""
        return self.one("SELECT 1") is not None

    def call_create(self) -> bool:
        """Makes the tables, empty."""
        self.call_reset()
        for sql in self.create_sql():
            self.run(sql)
        return True

    def create_sql(self) -> list[str]:
        """The statements that make the tables."""
        raise NotImplementedError

    def call_reset(self) -> bool:
        """Drops the tables."""
        self.run(f"DROP TABLE IF EXISTS {self.table}, {self.counters}")
        return True

    def call_count(self) -> dict[str, int]:
        """Number of rows."""
        return {"rows": self.one(f"SELECT count(*) FROM {self.table}")[0]}

    def call_sum(self) -> dict[str, int]:
        """Sum of all counters."""
        return {"sum": int(self.one(f"SELECT coalesce(sum(value), 0) FROM {self.counters}")[0])}

"""Redis through redis-py: one string key a row, `namespace:<key>`, holding its fields in the encoding of the job.

There is no scan of a namespace in Redis that does not walk the whole server, so `scan` and `latest`
do not exist here, and rows are counted and removed by the keys that the job is known to write.
"""

from __future__ import annotations

import platform
from typing import Any, Callable

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from kurabe_encoding import Codec, known
from kurabe_job import Job, Layout, Refused, Unsupported

from .known_keys import KeyedStore, walk

SETTINGS = ("appendonly", "appendfsync", "io-threads", "no-appendfsync-on-rewrite", "save", "maxmemory", "maxmemory-policy")


class RedisStore(KeyedStore):
    """One connection; every attempt is counted, since redis-py's own retries are off."""

    errors = (redis.RedisError, OSError)
    operations = ("load", "insert", "read", "update", "delete", "multi-read", "increment", "open")
    load_paths = ("row", "batch")
    batch = True
    max_value_bytes = 512 << 20
    encodings = tuple(known())

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        if job.url is None:
            raise Refused("store 'redis' needs a running server: the job has no 'url'")
        try:
            self.client = self.connect()
        except ValueError:
            # The error's own text may quote a part of the password.
            raise Refused("the job's url is no address of a Redis server; "
                          "expected redis://[[user]:password@]host:port[/number]") from None
        self.opened = False
        self.pipeline = self.client.pipeline(transaction=False)

    def connect(self) -> redis.Redis:
        """A client that connects with its first request."""
        seconds = self.job.operation_s
        return redis.Redis.from_url(self.job.url, socket_timeout=seconds, socket_connect_timeout=seconds,
                                    retry=Retry(NoBackoff(), 0), decode_responses=False)

    def libraries(self) -> dict[str, str]:
        found = {"python": platform.python_version(), "redis": redis.__version__, "hiredis": "not used"}
        if redis.utils.HIREDIS_AVAILABLE:
            import hiredis
            found["hiredis"] = hiredis.__version__
        return found

    def open(self) -> None:
        if not self.opened:
            self.call_ping()
            self.opened = True

    def counter(self, row: int) -> bytes:
        """The key of a counter; no row has such a one."""
        return f"{self.job.namespace}:counter:{row}".encode()

    def load(self, request: tuple[Any, ...]) -> bool:
        """Writes one row."""
        return bool(self.client.set(*request))

    def insert(self, request: tuple[Any, ...]) -> bool:
        """Writes one row; False where its key exists."""
        return bool(self.client.set(*request, nx=True))

    def read(self, request: tuple[Any, ...]) -> bytes | None:
        """The value of one row, None where it is missing."""
        return self.client.get(*request)

    def update(self, request: tuple[Any, ...]) -> bool:
        """Replaces one row; False where it is missing."""
        return bool(self.client.set(*request, xx=True))

    def delete(self, request: tuple[Any, ...]) -> bool:
        """Removes one row; False where it is missing."""
        return self.client.delete(*request) > 0

    def multi_read(self, keys: list[bytes]) -> list[bytes | None]:
        """The values of several rows, in the order of the keys."""
        return self.client.mget(keys)

    def increment(self, request: tuple[bytes]) -> None:
        """Adds 1 to a counter."""
        self.client.incr(*request)

    def open_and_read(self, request: tuple[bytes]) -> bytes | None:
        """The value of one row through a connection of its own."""
        with self.connect() as client:
            return client.get(*request)

    def send(self, kinds: list[str], requests: list[tuple[Any, ...]]) -> list[Any]:
        """Several operations in one pipeline; an operation that failed answers its exception."""
        pipeline = self.pipeline
        for kind, request in zip(kinds, requests):
            if kind == "read":
                pipeline.get(*request)
            elif kind == "delete":
                pipeline.delete(*request)
            elif kind == "increment":
                pipeline.incr(*request)
            else:
                pipeline.set(*request, nx=kind == "insert", xx=kind == "update")
        answers = pipeline.execute(raise_on_error=False)
        return [answer if kind == "read" or isinstance(answer, Exception) else bool(answer)
                for kind, answer in zip(kinds, answers)]

    def recover(self) -> None:
        self.pipeline.reset()

    def walk(self, command: Any, name: Any) -> int:
        """Sums what a command tells of the keys of all rows, or of all counters, that the job can have written."""
        return walk(self.job, command, name)

    def call_sum(self) -> dict[str, int]:
        """Sum of all counters."""
        return {"sum": self.walk(lambda *keys: sum(int(value or 0) for value in self.client.mget(keys)), self.counter)}

    def unless_denied(self, what: str, ask: Callable[[], Any]) -> Any:
        """The answer, None where the user may not have it or the server has no such command; then it is noted as absent."""
        try:
            return ask()
        except redis.ResponseError as error:
            if not isinstance(error, redis.exceptions.NoPermissionError) and "unknown command" not in str(error):
                raise
            self.absent.append(f"{what}: {error}")
            return None

    def call_ping(self) -> bool:
        """Whether the server answers; one that refuses the command to this user does."""
        try:
            self.client.ping()
        except redis.exceptions.NoPermissionError:
            pass
        return True

    def call_info(self) -> dict[str, str]:
        """The server's version, by HELLO where the user may not ask for INFO; in both it tells which product it is."""
        told = self.unless_denied("what the server tells about itself",
                                  lambda: {**self.client.info("server"), **self.client.info("replication")})
        if told is None:
            told = self.unless_denied("version of the server", self.hello) or {}
        if "valkey_version" in told or told.get("server_name") == "valkey":
            raise redis.RedisError("the server is Valkey, not Redis; for it there is the store 'valkey'")
        names = {"redis_version": "version", "redis_mode": "redis_mode", "role": "role"}
        return {ours: str(told[theirs]) for theirs, ours in names.items() if theirs in told}

    def hello(self) -> dict[str, str]:
        """Name and version of the server as HELLO tells them; nothing before Redis 6."""
        try:
            answer = self.client.execute_command("HELLO")
        except redis.exceptions.NoPermissionError:
            raise
        except redis.ResponseError:
            return {}
        pairs = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2])
        told = {as_text(name): value for name, value in pairs}
        names = {"server": "server_name", "version": "redis_version", "mode": "redis_mode", "role": "role"}
        return {ours: as_text(told[theirs]) for theirs, ours in names.items() if theirs in told}

    def call_settings(self) -> dict[str, str]:
        """Settings of the live server; some services and users may not see them."""
        try:
            found = self.client.config_get(*SETTINGS)
        except redis.ResponseError as error:
            self.absent.append(f"settings of the server: {error}")
            raise Unsupported("settings") from error
        return {as_text(name): as_text(value) for name, value in found.items()}

    def call_evicts(self) -> dict[str, str]:
        """How the server throws keys away where its memory ends, if it does."""
        told = self.unless_denied("whether the server throws keys away", lambda: self.client.info("memory"))
        if told is None:
            raise Unsupported("evicts")
        limit, policy = told.get("maxmemory", 0), told.get("maxmemory_policy", "noeviction")
        return {"policy": f"maxmemory {limit}, maxmemory-policy {policy}"} if limit and policy != "noeviction" else {}

    def call_create(self) -> bool:
        """Makes the namespace empty; there is nothing to create."""
        return self.call_reset()

    def call_reset(self) -> bool:
        """Removes the rows and counters that the job can have written."""
        self.walk(self.client.delete, self.key)
        self.walk(self.client.delete, self.counter)
        return True

    def call_count(self) -> dict[str, int]:
        """Number of rows among those that the job can have written."""
        return {"rows": self.walk(self.client.exists, self.key)}


class EncodedRedisStore(RedisStore):
    """The same with rows that are encoded inside the time of a write and decoded inside that of a read."""

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        self.codec = Codec(job.encoding, layout)

    def encoding_ns(self) -> int:
        return self.codec.spent_ns

    def request(self, kind: str, row: int, version: int) -> tuple[Any, ...]:
        request = super().request(kind, row, version)
        return (request[0], self.layout.fields(row, version)) if len(request) > 1 else request

    def encoded(self, request: tuple[Any, ...]) -> tuple[Any, ...]:
        """The request of a write with its fields as one value."""
        return request[0], self.codec.encode(request[1])

    def record(self, row: int, version: int) -> tuple[Any, ...]:
        return self.layout.fields(row, version)

    def values_of(self, record: tuple[Any, ...]) -> tuple[Any, ...]:
        return record

    def load(self, request: tuple[Any, ...]) -> bool:
        return super().load(self.encoded(request))

    def insert(self, request: tuple[Any, ...]) -> bool:
        return super().insert(self.encoded(request))

    def update(self, request: tuple[Any, ...]) -> bool:
        return super().update(self.encoded(request))

    def read(self, request: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return self.codec.decode(super().read(request))

    def multi_read(self, keys: list[bytes]) -> list[tuple[Any, ...] | None]:
        return [self.codec.decode(value) for value in super().multi_read(keys)]

    def open_and_read(self, request: tuple[bytes]) -> tuple[Any, ...] | None:
        return self.codec.decode(super().open_and_read(request))

    def send(self, kinds: list[str], requests: list[tuple[Any, ...]]) -> list[Any]:
        encoded = [self.encoded(request) if len(request) > 1 else request for request in requests]
        return [self.codec.decode(answer) if kind == "read" and not isinstance(answer, Exception) else answer
                for kind, answer in zip(kinds, super().send(kinds, encoded))]


def store(job: Job, layout: Layout) -> RedisStore:
    """The adapter for the encoding of the job; one that is not here is told in the receipt."""
    return EncodedRedisStore(job, layout) if encodes(job) else RedisStore(job, layout)


def encodes(job: Job) -> bool:
    """Whether rows are encoded, in a way that is known here."""
    return job.encoding != "raw" and job.encoding in known()


def as_text(value: bytes | str) -> str:
    """An answer of the server as text."""
    return value.decode() if isinstance(value, bytes) else str(value)


STORE = store

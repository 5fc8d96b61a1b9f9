"""Redis through redis-py: one string key a row, `namespace:<key>`, holding its fields in the encoding of the job; with
plain sockets, or by redis.asyncio, each operation awaited in an event loop that does nothing else.

Redis has no scan of a namespace that does not walk the whole server, so `scan` and `latest` do not exist here; rows are
counted and removed by such a walk, outside of what is measured.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Callable, Iterator

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AwaitingRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from kurabe_values import Codec, Refused, Values, known_encodings

from . import Job, KeyedStore, Unsupported

SETTINGS = ("appendonly", "appendfsync", "io-threads", "no-appendfsync-on-rewrite", "save", "maxmemory",
            "maxmemory-policy")
KEYS_PER_REQUEST = 1000


class Awaited:
    """A client or pipeline whose answers are waited for in an event loop."""

    def __init__(self, client: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.client, self.loop = client, loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.client, name)

        def call(*args: Any, **named: Any) -> Any:
            answer = method(*args, **named)
            return self.loop.run_until_complete(answer) if inspect.isawaitable(answer) else answer

        # Asked for once: what is measured is the library, and not this class.
        setattr(self, name, call)
        return call

    def pipeline(self, **named: Any) -> Awaited:
        """A pipeline, which is awaited when it is executed."""
        return Awaited(self.client.pipeline(**named), self.loop)

    def close(self) -> None:
        """Ends the connection."""
        self.loop.run_until_complete(self.client.aclose())


class RedisStore(KeyedStore):
    """One connection; every attempt is counted, since redis-py's own retries are off. `loop` is for redis.asyncio."""

    errors = (redis.RedisError, OSError)
    operations = ("load", "insert", "read", "update", "delete", "multi-read", "increment", "open")
    load_paths = ("row", "batch")
    batch = True
    passes = True
    max_value_bytes = 512 << 20
    encodings = known_encodings()

    def __init__(self, job: Job, values: Values, loop: asyncio.AbstractEventLoop | None) -> None:
        super().__init__(job, values)
        self.url, self.loop = job.server(), loop
        self.refuse_settings((), "give the server arguments")
        self.rows, self.counters = f"{job.namespace}:", f"{job.namespace}+"
        try:
            self.client = self.connect()
        except ValueError:
            # The error's own text may quote a part of the password.
            raise Refused("the job's url is no address of a Redis server; "
                          "expected redis://[[user]:password@]host:port[/number]") from None
        self.opened = False
        self.pipeline = self.client.pipeline(transaction=False)

    def connect(self) -> Any:
        """A client that connects with its first request."""
        seconds = self.job.operation_s
        options = {"socket_timeout": seconds, "socket_connect_timeout": seconds, "decode_responses": False}
        if self.loop is None:
            return redis.Redis.from_url(self.url, retry=Retry(NoBackoff(), 0), **options)
        client = redis.asyncio.Redis.from_url(self.url, retry=AwaitingRetry(NoBackoff(), 0), **options)
        return Awaited(client, self.loop)

    def libraries(self) -> dict[str, str]:
        hiredis = "not used"
        if redis.utils.HIREDIS_AVAILABLE:
            import hiredis as parser
            hiredis = parser.__version__
        name = "redis" if self.loop is None else "redis.asyncio"
        return {**super().libraries(), name: redis.__version__, "hiredis": hiredis}

    def open(self) -> None:
        if not self.opened:
            self.call_ping()
            self.opened = True

    def close(self) -> None:
        self.opened = False
        self.client.close()

    def recover(self) -> None:
        self.pipeline.reset()

    def key(self, row: int) -> bytes:
        return f"{self.rows}{self.values.key(row)}".encode()

    def counter(self, row: int) -> bytes:
        return f"{self.counters}{row}".encode()

    def load(self, request: tuple[Any, ...]) -> bool:
        return bool(self.client.set(*request))

    def insert(self, request: tuple[Any, ...]) -> bool:
        return bool(self.client.set(*request, nx=True))

    def read(self, key: bytes) -> Any:
        return self.client.get(key)

    def update(self, request: tuple[Any, ...]) -> bool:
        return bool(self.client.set(*request, xx=True))

    def delete(self, key: bytes) -> bool:
        return self.client.delete(key) > 0

    def multi_read(self, keys: list[bytes]) -> list[Any]:
        return self.client.mget(keys)

    def increment(self, key: bytes) -> None:
        self.client.incr(key)

    def open_and_read(self, keys: list[bytes]) -> list[Any]:
        client = self.connect()
        try:
            return [client.get(key) for key in keys]
        finally:
            client.close()

    def send(self, asked: tuple[list[str], list[Any]]) -> list[Any]:
        """Several operations in one pipeline; an operation that failed answers its exception."""
        pipeline = self.pipeline
        for kind, request in zip(*asked):
            if kind == "read":
                pipeline.get(request)
            elif kind == "delete":
                pipeline.delete(request)
            elif kind == "increment":
                pipeline.incr(request)
            else:
                pipeline.set(*request, nx=kind == "insert", xx=kind == "update")
        answers = pipeline.execute(raise_on_error=False)
        return [answer if kind == "read" or isinstance(answer, Exception) else bool(answer)
                for kind, answer in zip(asked[0], answers)]

    def names(self, prefix: str) -> Iterator[list[bytes]]:
        """All names that begin so, by SCAN, which may give one twice."""
        cursor = 0
        while True:
            cursor, names = self.client.scan(cursor, match=f"{prefix}*", count=KEYS_PER_REQUEST)
            if names:
                yield names
            if not cursor:
                return

    def different(self, prefix: str) -> list[bytes]:
        """All names that begin so, each once."""
        return list({name for names in self.names(prefix) for name in names})

    def unless_denied(self, what: str, ask: Callable[[], Any]) -> Any:
        """The answer; None, and noted as absent, where the user may not have it or there is no such command."""
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
        """What the server tells to be, by HELLO where the user may not ask for INFO: whether that is what was asked for,
        Kurabe decides."""
        told = self.unless_denied("what the server tells about itself", self.info)
        return self.unless_denied("version of the server", self.hello) or {} if told is None else told

    def info(self) -> dict[str, str]:
        """What INFO tells of product and part. The product's own version stands under its name, or beside that of the
        Redis that it is like."""
        about = {**self.client.info("server"), **self.client.info("replication")}
        told = {name: str(value) for name, value in about.items()
                if name.endswith("_version") or name in ("server_name", "redis_mode", "server_mode", "role")}
        others = [name for name in told if name.endswith("_version") and name not in ("redis_version", "gcc_version")]
        own = f"{told.get('server_name')}_version"
        version = told.get(own) or told.get(others[0] if len(others) == 1 else "redis_version", "unknown")
        return {"version": version, **told}

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
        names = {"server": "server_name", "version": "version", "mode": "redis_mode", "role": "role"}
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

    def call_reset(self) -> bool:
        for prefix in (self.rows, self.counters):
            for names in self.names(prefix):
                self.client.delete(*names)
        return True

    def call_count(self) -> dict[str, int]:
        return {"rows": len(self.different(self.rows))}

    def call_sum(self) -> dict[str, int]:
        names = self.different(self.counters)
        parts = (names[at : at + KEYS_PER_REQUEST] for at in range(0, len(names), KEYS_PER_REQUEST))
        return {"sum": sum(int(value or 0) for part in parts for value in self.client.mget(part))}


class EncodedRedisStore(RedisStore):
    """The same with rows that are encoded inside the time of a write and decoded inside that of a read."""

    def __init__(self, job: Job, values: Values, loop: asyncio.AbstractEventLoop | None) -> None:
        super().__init__(job, values, loop)
        self.codec = Codec(job.encoding, values)

    def encoding_ns(self) -> int:
        return self.codec.spent_ns

    def value(self, row: int, version: int) -> tuple[Any, ...]:
        return self.values.fields(row, version)

    def digest(self, record: tuple[Any, ...], row: int | None) -> bytes:
        return super().digest(self.values.raw_of(record), row)

    def encoded(self, request: tuple[Any, ...]) -> tuple[Any, ...]:
        """The request of a write with its fields as one value."""
        return request[0], self.codec.encode(request[1])

    def load(self, request: tuple[Any, ...]) -> bool:
        return super().load(self.encoded(request))

    def insert(self, request: tuple[Any, ...]) -> bool:
        return super().insert(self.encoded(request))

    def update(self, request: tuple[Any, ...]) -> bool:
        return super().update(self.encoded(request))

    def read(self, key: bytes) -> Any:
        return self.codec.decode(super().read(key))

    def multi_read(self, keys: list[bytes]) -> list[Any]:
        return [self.codec.decode(value) for value in super().multi_read(keys)]

    def open_and_read(self, keys: list[bytes]) -> list[Any]:
        spent_ns = self.codec.spent_ns
        records = [self.codec.decode(value) for value in super().open_and_read(keys)]
        # The time of an opening is told without that of its encoding.
        self.codec.spent_ns = spent_ns
        return records

    def send(self, asked: tuple[list[str], list[Any]]) -> list[Any]:
        kinds, requests = asked
        encoded = [self.encoded(request) if isinstance(request, tuple) else request for request in requests]
        return [self.codec.decode(answer) if kind == "read" and not isinstance(answer, Exception) else answer
                for kind, answer in zip(kinds, super().send((kinds, encoded)))]


def of(job: Job, values: Values, loop: asyncio.AbstractEventLoop | None) -> RedisStore:
    """The adapter for the encoding of the job; one that is not here is told by `hello`, which does not name it."""
    is_encoded = job.encoding != "raw" and job.encoding in RedisStore.encodings
    return (EncodedRedisStore if is_encoded else RedisStore)(job, values, loop)


def blocking(job: Job, values: Values) -> RedisStore:
    """The adapter by redis-py's own sockets."""
    return of(job, values, None)


def awaiting(job: Job, values: Values) -> RedisStore:
    """The adapter by redis.asyncio."""
    return of(job, values, asyncio.new_event_loop())


def as_text(value: bytes | str) -> str:
    """An answer of the server as text."""
    return value.decode() if isinstance(value, bytes) else str(value)

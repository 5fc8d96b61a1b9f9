"""Redis through redis.asyncio: the same operations, each awaited in an event loop that does nothing else."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Callable

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from kurabe_job import Job, Layout

from .redis_store import EncodedRedisStore, RedisStore, encodes


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

    def __enter__(self) -> Awaited:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self.loop.run_until_complete(self.client.aclose())


class OnLoop:
    """What the adapters of redis-py have otherwise: their client."""

    job: Job

    def connect(self) -> Any:
        """A client that connects with its first request."""
        seconds = self.job.operation_s
        client = redis.asyncio.Redis.from_url(self.job.url, socket_timeout=seconds, socket_connect_timeout=seconds,
                                              retry=Retry(NoBackoff(), 0), decode_responses=False)
        self.loop = getattr(self, "loop", None) or asyncio.new_event_loop()
        return Awaited(client, self.loop)

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "redis.asyncio": redis.__version__}


class AsyncRedisStore(OnLoop, RedisStore):
    """Redis with raw rows."""


class AsyncEncodedRedisStore(OnLoop, EncodedRedisStore):
    """Redis with rows that are encoded."""


def store(job: Job, layout: Layout) -> RedisStore:
    """The adapter for the encoding of the job."""
    return AsyncEncodedRedisStore(job, layout) if encodes(job) else AsyncRedisStore(job, layout)


STORE = store

"""memcached through pymemcache, which is Python all through: an item a row, `namespace:<key>`."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheError

from kurabe_job import Job, Layout, Refused

from .known_keys import KeyedStore, walk

SETTINGS = ("evictions", "item_size_max", "maxbytes", "maxconns", "num_threads")
#: Longest item where the server does not tell, and what of it is not the value: name and head.
ITEM_BYTES, ITEM_HEAD_BYTES, NAME_BYTES = 1 << 20, 63, 250
LOOK_SECONDS = 1


class MemcachedStore(KeyedStore):
    """One connection; what fails is not tried again."""

    errors = (MemcacheError, OSError)
    operations = ("load", "insert", "read", "update", "delete", "multi-read", "increment", "open")

    def __init__(self, job: Job, layout: Layout) -> None:
        super().__init__(job, layout)
        url = urlsplit(job.url or "")
        if url.scheme != "memcache":
            raise Refused("store 'memcached' needs a running server: memcache://host:port or memcache:///path")
        for name in job.settings:
            raise Refused(f"memcached has no setting '{name}' in the Python client; give the server arguments")
        self.server: Any = (url.hostname, url.port or 11211) if url.hostname else url.path
        self.client = self.connect(job.operation_s)
        self.evicted = 0
        longest_name = len(job.namespace) + 1 + max(10, len(str(layout.key(0))))
        self.max_value_bytes = ITEM_BYTES - ITEM_HEAD_BYTES - longest_name
        try:
            # It may not be up yet.
            told = self.connect(LOOK_SECONDS).stats("settings")
            self.max_value_bytes = int(told[b"item_size_max"]) - ITEM_HEAD_BYTES - longest_name
        except (KeyError, *self.errors):
            pass

    def connect(self, seconds: float) -> Client:
        """A client that connects with its first request."""
        return Client(self.server, connect_timeout=seconds, timeout=seconds, no_delay=True, default_noreply=False)

    def capabilities(self) -> dict[str, Any]:
        return {**super().capabilities(), "max_key_bytes": NAME_BYTES - len(self.job.namespace) - 1}

    def libraries(self) -> dict[str, str]:
        return {"python": platform.python_version(), "pymemcache": version("pymemcache")}

    def open(self) -> None:
        if self.client.sock is None:
            self.call_ping()

    def counter(self, row: int) -> bytes:
        """The name of a counter; no row has such a one."""
        return f"{self.job.namespace}+{row}".encode()

    def load(self, request: tuple[bytes, bytes]) -> bool:
        """Writes one row."""
        return stored(self.client.set(*request))

    def insert(self, request: tuple[bytes, bytes]) -> bool:
        """Writes one row; False where its key exists."""
        return self.client.add(*request)

    def read(self, request: tuple[bytes]) -> bytes | None:
        """The value of one row, None where it is missing."""
        return self.client.get(*request)

    def update(self, request: tuple[bytes, bytes]) -> bool:
        """Replaces one row; False where it is missing."""
        return self.client.replace(*request)

    def delete(self, request: tuple[bytes]) -> bool:
        """Removes one row; False where it is missing."""
        return self.client.delete(*request)

    def multi_read(self, keys: list[bytes]) -> list[bytes | None]:
        """The values of several rows, in the order of the keys."""
        found = self.client.get_many(keys)
        return [found.get(key) for key in keys]

    def increment(self, request: tuple[bytes]) -> None:
        """Adds 1 to a counter. The server makes none: where there is none it is added, unless another was quicker."""
        while self.client.incr(request[0], 1) is None and not self.client.add(request[0], b"1"):
            pass

    def open_and_read(self, request: tuple[bytes]) -> bytes | None:
        """The value of one row through a connection of its own."""
        client = self.connect(self.job.operation_s)
        try:
            return client.get(*request)
        finally:
            client.close()

    def stats(self, *what: str) -> dict[str, Any]:
        """What the server tells of itself, by name."""
        return {name.decode(): value for name, value in self.client.stats(*what).items()}

    def call_ping(self) -> bool:
        """Whether the server answers."""
        self.client.version()
        return True

    def call_info(self) -> dict[str, str]:
        """The server's version."""
        return {"version": self.client.version().decode()}

    def call_settings(self) -> dict[str, str]:
        """Settings of the live server."""
        told = self.stats("settings")
        return {name: as_text(name, told[name]) for name in SETTINGS if name in told}

    def call_evicts(self) -> dict[str, Any]:
        """It throws items away where its memory is full, unless it was told to refuse new ones instead."""
        if self.call_settings().get("evictions") == "off":
            return {}
        told = self.stats()
        limit, used = int(told["limit_maxbytes"]), int(told["bytes"])
        return {"policy": f"evictions on, limit_maxbytes {limit}", "room_bytes": max(limit - used, 0)}

    def call_create(self) -> bool:
        """Makes the namespace empty; there is nothing to create."""
        self.call_reset()
        self.evicted = int(self.stats()["evictions"])
        return True

    def call_reset(self) -> bool:
        """Removes the rows and counters that the job can have written."""
        walk(self.job, lambda *keys: sum(self.client.delete(key) for key in keys), self.key)
        walk(self.job, lambda *keys: sum(self.client.delete(key) for key in keys), self.counter)
        return True

    def call_count(self) -> dict[str, int]:
        """Number of rows among those that the job can have written. Where items were thrown away rows are lost."""
        evicted = int(self.stats()["evictions"]) - self.evicted
        if evicted > 0:
            raise MemcacheError(f"the server threw {evicted} items away for want of memory; start it with more (-m)")
        return {"rows": walk(self.job, lambda *keys: len(self.client.get_many(keys)), self.key)}

    def call_sum(self) -> dict[str, int]:
        """Sum of all counters."""
        def summed(*keys: bytes) -> int:
            return sum(int(value) for value in self.client.get_many(keys).values())
        return {"sum": walk(self.job, summed, self.counter)}

    def call_size(self) -> dict[str, int]:
        """Bytes of all items of the whole server."""
        return {"bytes": int(self.stats()["bytes"])}


def stored(is_done: bool) -> bool:
    """A load that the server did not take is no answer but a failure."""
    if not is_done:
        raise MemcacheError("the server did not store the value")
    return True


def as_text(name: str, value: Any) -> str:
    """A setting as the server says it: the library makes numbers and truth values of some."""
    if name == "evictions":
        return "off" if value in (b"off", False, 0) else "on"
    return value.decode() if isinstance(value, bytes) else str(int(value) if isinstance(value, bool) else value)


STORE = MemcachedStore

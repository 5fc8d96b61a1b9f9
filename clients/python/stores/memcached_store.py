"""memcached through pymemcache, which is Python all through: an item a row, `namespace:<key>`."""

from __future__ import annotations

from importlib.metadata import version
from itertools import chain
from typing import Any, Callable, Iterator
from urllib.parse import urlsplit

from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheError

from kurabe_values import Refused, Values

from . import Job, KeyedStore

SETTINGS = ("evictions", "item_size_max", "maxbytes", "maxconns", "num_threads")
#: Longest item where the server does not tell, and what of it is not the value: name and head.
ITEM_BYTES, ITEM_HEAD_BYTES, NAME_BYTES = 1 << 20, 63, 250
LOOK_SECONDS = 1
KEYS_PER_REQUEST = 1000
#: So many rows that are not there, one after the other, are the end of those that were inserted.
LONGEST_GAP = 20_000


class MemcachedStore(KeyedStore):
    """One connection; what fails is not tried again."""

    errors = (MemcacheError, OSError)
    operations = ("load", "insert", "read", "update", "delete", "multi-read", "increment", "open")
    passes = True

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        url = urlsplit(job.server())
        if url.scheme != "memcache":
            raise Refused("expected memcache://host:port or memcache:///path as the address of the server")
        self.refuse_settings((), "give the server arguments")
        self.server: Any = (url.hostname, url.port or 11211) if url.hostname else url.path
        self.client = self.connect(job.operation_s)
        self.evicted = 0
        #: First rows of inserts: nothing else tells which rows there can be.
        self.first_inserted = {job.rows}
        self.is_first_insert = True
        longest_name = len(job.namespace) + 1 + max(10, len(str(values.key(0))))
        self.max_key_bytes = NAME_BYTES - len(job.namespace) - 1
        self.max_value_bytes = self.longest_item() - ITEM_HEAD_BYTES - longest_name

    def longest_item(self) -> int:
        """Bytes of the longest item, as the server tells; it may not be up yet."""
        try:
            return int(self.connect(LOOK_SECONDS).stats("settings")[b"item_size_max"])
        except (KeyError, *self.errors):
            return ITEM_BYTES

    def connect(self, seconds: float) -> Client:
        """A client that connects with its first request."""
        return Client(self.server, connect_timeout=seconds, timeout=seconds, no_delay=True, default_noreply=False)

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "pymemcache": version("pymemcache")}

    def open(self) -> None:
        if self.client.sock is None:
            self.call_ping()

    def close(self) -> None:
        self.client.close()

    def prepare(self, phase: dict[str, Any]) -> None:
        self.is_first_insert = True

    def key(self, row: int) -> bytes:
        return f"{self.job.namespace}:{self.values.key(row)}".encode()

    def counter(self, row: int) -> bytes:
        return f"{self.job.namespace}+{row}".encode()

    def request(self, kind: str, row: int, version: int) -> Any:
        if kind == "insert" and self.is_first_insert:
            self.is_first_insert = False
            self.first_inserted.add(row)
        return super().request(kind, row, version)

    def load(self, request: tuple[bytes, bytes]) -> bool:
        """A server that does not take it gives no answer but a failure."""
        if not self.client.set(*request):
            raise MemcacheError("the server did not store the value")
        return True

    def insert(self, request: tuple[bytes, bytes]) -> bool:
        return self.client.add(*request)

    def read(self, key: bytes) -> bytes | None:
        return self.client.get(key)

    def update(self, request: tuple[bytes, bytes]) -> bool:
        return self.client.replace(*request)

    def delete(self, key: bytes) -> bool:
        return self.client.delete(key)

    def multi_read(self, keys: list[bytes]) -> list[bytes | None]:
        found = self.client.get_many(keys)
        return [found.get(key) for key in keys]

    def increment(self, key: bytes) -> None:
        """The server makes no counter: where there is none it is added, unless another was quicker."""
        while self.client.incr(key, 1) is None and not self.client.add(key, b"1"):
            pass

    def open_and_read(self, keys: list[bytes]) -> list[bytes | None]:
        client = self.connect(self.job.operation_s)
        try:
            return [client.get(key) for key in keys]
        finally:
            client.close()

    def found(self, name: Callable[[int], bytes], first: int, count: int) -> dict[bytes, bytes]:
        """Those of so many items that are there."""
        return self.client.get_many([name(row) for row in range(first, first + count)])

    def all_rows(self) -> Iterator[dict[bytes, bytes]]:
        """The rows that are there, some at a time: those of the load, and from where inserts began until a long gap."""
        rows = self.job.rows
        for first in range(0, rows, KEYS_PER_REQUEST):
            yield self.found(self.key, first, min(KEYS_PER_REQUEST, rows - first))
        following = rows
        for first in sorted(self.first_inserted):
            following, missing = max(following, first), 0
            while missing < LONGEST_GAP:
                found = self.found(self.key, following, KEYS_PER_REQUEST)
                yield found
                following += KEYS_PER_REQUEST
                missing = 0 if found else missing + KEYS_PER_REQUEST

    def all_counters(self) -> Iterator[dict[bytes, bytes]]:
        """The counters that are there, some at a time."""
        for first in range(0, self.job.rows, KEYS_PER_REQUEST):
            yield self.found(self.counter, first, min(KEYS_PER_REQUEST, self.job.rows - first))

    def stats(self, *what: str) -> dict[str, Any]:
        """What the server tells of itself, by name."""
        return {name.decode(): value for name, value in self.client.stats(*what).items()}

    def call_ping(self) -> bool:
        self.client.version()
        return True

    def call_info(self) -> dict[str, str]:
        return {"version": self.client.version().decode()}

    def call_settings(self) -> dict[str, str]:
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
        self.call_reset()
        self.evicted = int(self.stats()["evictions"])
        return True

    def call_reset(self) -> bool:
        for items in chain(self.all_rows(), self.all_counters()):
            for name in items:
                self.client.delete(name)
        return True

    def call_count(self) -> dict[str, int]:
        """A server that threw items away for want of room has lost rows, whichever they were."""
        evicted = int(self.stats()["evictions"]) - self.evicted
        if evicted > 0:
            raise MemcacheError(f"the server threw {evicted} items away for want of memory; start it with more (-m)")
        return {"rows": sum(len(items) for items in self.all_rows())}

    def call_sum(self) -> dict[str, int]:
        return {"sum": sum(int(value) for items in self.all_counters() for value in items.values())}

    def call_size(self) -> dict[str, int]:
        """Bytes of all items of the whole server."""
        return {"bytes": int(self.stats()["bytes"])}


def as_text(name: str, value: Any) -> str:
    """A setting as the server says it: the library makes numbers and truth values of some."""
    if name == "evictions":
        return "off" if value in (b"off", False, 0) else "on"
    return value.decode() if isinstance(value, bytes) else str(int(value) if isinstance(value, bool) else value)

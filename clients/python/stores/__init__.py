"""The adapters, one module a store."""

from __future__ import annotations

import importlib
from typing import Callable

from kurabe_job import Job, Layout, Refused, Store

#: Module of each store, and of its drivers behind a colon; the only place that knows them all.
STORES = {"sqlite": "stores.sqlite", "redis": "stores.redis_store", "redis:asyncio": "stores.redis_asyncio",
          "mariadb": "stores.mysql_store", "mysql": "stores.mysql_store", "postgres": "stores.postgres_store",
          "mongodb": "stores.mongodb_store", "memcached": "stores.memcached_store", "lmdb": "stores.lmdb_store",
          "leveldb": "stores.leveldb_store", "mariadb:connector": "stores.mysql_connector",
          "mysql:connector": "stores.mysql_connector"}


def find_store(name: str, driver: str = "") -> Callable[[Job, Layout], Store]:
    """The adapter of a store; that of a driver, where it has one of its own."""
    if name not in STORES:
        known = [store for store in STORES if ":" not in store]
        raise Refused(f"store '{name}' is not in the Python client; it has {', '.join(known)}")
    try:
        return importlib.import_module(STORES.get(f"{name}:{driver}", STORES[name])).STORE
    except ImportError as error:
        raise Refused(f"store '{name}' needs a Python package that is not here: {error}; "
                      "install it with 'pip install -r requirements.txt'") from error

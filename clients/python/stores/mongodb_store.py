"""MongoDB through PyMongo: a document a row, by one connection. Its retries are off."""

from __future__ import annotations

from typing import Any, Iterator
from urllib.parse import quote, urlsplit

import pymongo
import pymongo.errors

from kurabe_values import Refused, Values

from . import Job, Store

SCAN_ROWS = 1024
KEY_INDEX = "kurabe_key"
LOOK_MS = 5000
VARIANTS = ("id", "indexed-before", "indexed-after")
CONCERNS = {"w1": {"w": 1, "journal": False}, "journaled": {"w": 1, "journal": True}}


class MongodbStore(Store):
    """One client with one connection for operations; another, which it always has, asks how the server is."""

    errors = (pymongo.errors.PyMongoError, OSError)
    operations = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "open")
    keeps_columns = True
    max_value_bytes = (16 << 20) - (16 << 10)

    def __init__(self, job: Job, values: Values) -> None:
        super().__init__(job, values)
        url = job.server()
        self.variant = job.candidate.get("variant") or VARIANTS[0]
        if self.variant not in VARIANTS:
            raise Refused(f"no variant '{self.variant}'; there are {', '.join(VARIANTS)}")
        self.refuse_settings(("write_concern",), "it has write_concern")
        self.concern = job.settings.get("write_concern")
        if self.concern is not None and self.concern not in CONCERNS:
            raise Refused(f"setting write_concern cannot be '{self.concern}'; there are {', '.join(CONCERNS)}")
        is_socket = url.startswith("mongodb:///")
        self.uri = "mongodb://" + quote(url[len("mongodb://"):], safe="") if is_socket else url
        self.database = "test" if is_socket else urlsplit(url).path[1:] or "test"
        columns = values.columns
        self.key_name = "_id" if self.variant == "id" else columns[0]["name"]
        self.fields = [column["name"] for column in columns[1:]]
        self.shown = None if self.key_name == "_id" else {"_id": False}
        # The index is built by the process that loads the last row.
        self.processes = self.variant != "indexed-after"
        self.loaded = 0
        self.client: pymongo.MongoClient | None = None
        if any(column["type"] == "int64" for column in columns[1:]):
            self.operations = (*self.operations, "search")

    def libraries(self) -> dict[str, str]:
        return {**super().libraries(), "pymongo": pymongo.version,
                "bson in C": "yes" if pymongo.has_c() else "no"}

    def connect(self) -> pymongo.MongoClient:
        """A client that connects with its first request."""
        patience = max(1, round(self.job.operation_s * 1000))
        concern = {} if self.concern is None else CONCERNS[self.concern]
        try:
            return pymongo.MongoClient(
                self.uri, appname="kurabe", retryReads=False, retryWrites=False, maxPoolSize=1,
                socketTimeoutMS=patience, serverSelectionTimeoutMS=min(patience, LOOK_MS), connectTimeoutMS=patience,
                serverMonitoringMode="poll",
                **concern)
        except (ValueError, pymongo.errors.PyMongoError):
            # What it says may quote the password.
            raise Refused("the job's url is no address of a MongoDB server; "
                          "expected mongodb://[user:password@]host[:port][/database]") from None

    def open(self) -> None:
        if self.client is None:
            client = self.connect()
            client[self.database].command("ping")
            self.client = client
            self.rows, self.counters = self.collections(client)

    def collections(self, client: pymongo.MongoClient) -> tuple[Any, Any]:
        """Where rows and counters are."""
        database = client[self.database]
        return database[self.job.namespace], database[f"{self.job.namespace}_counters"]

    def close(self) -> None:
        if self.client is not None:
            self.client.close()
            self.client = None

    def document(self, row: int, version: int) -> dict[str, Any]:
        """The key, then the fields in order. Where the key has a field of its own, the driver adds the _id."""
        values = dict(zip(self.fields, self.values.fields(row, version)))
        return {self.key_name: self.values.key(row), **values}

    def request(self, kind: str, row: int, version: int) -> Any:
        if kind == "increment":
            return {"_id": row}
        if kind in ("load", "insert"):
            return self.document(row, version)
        filter_ = {self.key_name: self.values.key(row)}
        return (filter_, self.document(row, version)) if kind == "update" else filter_

    def request_many(self, rows: tuple[int, ...]) -> list[Any]:
        return [self.values.key(row) for row in rows]

    def request_range(self, field: int, low: int, high: int) -> dict[str, Any]:
        return {self.fields[field - 1]: {"$gte": low, "$lte": high}}

    def digest(self, record: dict[str, Any], row: int | None) -> bytes:
        fields = tuple(record.get(name) for name in self.fields)
        if len(record) != len(fields) + 1:
            fields = tuple(record.items())
        return self.values.digest(record.get(self.key_name), self.values.raw_of(fields))

    def load(self, request: dict[str, Any]) -> bool:
        """After the last row the index is built that is built then."""
        self.rows.insert_one(request)
        if self.variant == "indexed-after":
            self.loaded += 1
            if self.loaded == self.job.rows:
                self.build_index()
        return True

    def build_index(self) -> None:
        """The index on the key's own field."""
        self.rows.create_index(self.key_name, unique=True, name=KEY_INDEX)

    def insert(self, request: dict[str, Any]) -> bool:
        try:
            self.rows.insert_one(request)
        except pymongo.errors.DuplicateKeyError:
            return False
        return True

    def read(self, request: dict[str, Any]) -> dict[str, Any] | None:
        return self.rows.find_one(request, self.shown)

    def update(self, request: tuple[dict[str, Any], dict[str, Any]]) -> bool:
        return self.rows.replace_one(*request).matched_count > 0

    def delete(self, request: dict[str, Any]) -> bool:
        return self.rows.delete_one(request).deleted_count > 0

    def scan(self) -> Iterator[list[dict[str, Any]]]:
        block = []
        for document in self.rows.find({}, self.shown, batch_size=SCAN_ROWS):
            block.append(document)
            if len(block) == SCAN_ROWS:
                yield block
                block = []
        yield block

    def latest(self, count: int) -> list[dict[str, Any]]:
        return self.rows.find({}, self.shown).sort(self.key_name, -1).limit(count).to_list()

    def multi_read(self, keys: list[Any]) -> list[Any]:
        found = {document[self.key_name]: document
                 for document in self.rows.find({self.key_name: {"$in": keys}}, self.shown)}
        return [found.get(key) for key in keys]

    def search(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        return self.rows.find(request, self.shown).to_list()

    def increment(self, request: dict[str, int]) -> None:
        self.counters.update_one(request, {"$inc": {"value": 1}}, upsert=True)

    def open_and_read(self, requests: list[dict[str, Any]]) -> list[dict[str, Any] | None]:
        with self.connect() as client:
            rows = self.collections(client)[0]
            return [rows.find_one(request, self.shown) for request in requests]

    def call_ping(self) -> bool:
        self.client.admin.command("ping")
        return True

    def call_info(self) -> dict[str, str]:
        build = self.client.admin.command("buildInfo")
        return {"version": build["version"], "commit": build["gitVersion"], "allocator": build["allocator"]}

    def call_settings(self) -> dict[str, str]:
        """Settings of the live server, what every write asks for, and which index the key has."""
        admin = self.client.admin
        status = admin.command("serverStatus")
        given = admin.command("getCmdLineOpts").get("parsed", {}).get("storage", {})
        intervals = admin.command("getParameter", journalCommitInterval=1, syncdelay=1)
        found = {
            "storage_engine": status.get("storageEngine", {}).get("name"),
            "cache_bytes": status.get("wiredTiger", {}).get("cache", {}).get("maximum bytes configured"),
            "engine_config": given.get("wiredTiger", {}).get("engineConfig", {}).get("configString"),
            "journal_commit_interval_ms": intervals.get("journalCommitInterval"),
            "checkpoint_every_s": intervals.get("syncdelay"),
            "write_concern": self.concern or self.usual_concern(),
            "key_index": "unique" if KEY_INDEX in self.rows.index_information() else "none",
        }
        return {name: f"{value:g}" if isinstance(value, float) else str(value)
                for name, value in found.items() if value is not None}

    def usual_concern(self) -> str:
        """What a server does where nobody says it. The implicit majority of one lone server syncs nothing."""
        return "of the replica set" if "setName" in self.client.admin.command("hello") else "w1"

    def call_create(self) -> bool:
        """Makes the collections, empty, and the indexes that are there from the start."""
        self.loaded = 0
        self.call_reset()
        database = self.client[self.database]
        for collection in (self.rows, self.counters):
            database.create_collection(collection.name)
        if self.variant == "indexed-before":
            self.build_index()
        for column in self.values.columns[1:]:
            if column.get("indexed"):
                self.rows.create_index(column["name"])
        return True

    def call_reset(self) -> bool:
        self.rows.drop()
        self.counters.drop()
        return True

    def call_count(self) -> dict[str, int]:
        return {"rows": self.rows.count_documents({})}

    def call_sum(self) -> dict[str, int]:
        found = self.counters.aggregate([{"$group": {"_id": None, "sum": {"$sum": "$value"}}}]).to_list()
        return {"sum": found[0]["sum"] if found else 0}

    def call_size(self) -> dict[str, int]:
        """Asked for after a checkpoint: before one, next to nothing of what was written is in the files."""
        self.client.admin.command("fsync")
        return {"bytes": int(self.client[self.database].command("collStats", self.job.namespace)["totalSize"])}

    def call_check(self) -> dict[str, Any]:
        told = self.client[self.database].command("validate", self.job.namespace, full=True)
        return {"sound": told["valid"] is True, "detail": "; ".join(told.get("errors", []))}

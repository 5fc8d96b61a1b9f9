"""Script and tape of a worker: what it is to do, and what came of it (docs/PROTOCOL.md, "A phase").

Both are streams, often pipes: a script is read a piece ahead and a tape is written in pieces, so that neither needs
more memory than that, however long the phase is.
"""

from __future__ import annotations

import os
import re
import struct
from typing import Iterator
from urllib.parse import unquote

#: Kinds of operation in the order of their codes.
KINDS = ("load", "insert", "read", "update", "delete", "scan", "latest", "multi-read", "increment", "search", "open")
LOAD, INSERT, READ, SCAN, LATEST, MULTI_READ, SEARCH, OPEN = (
    KINDS.index(kind) for kind in ("load", "insert", "read", "scan", "latest", "multi-read", "search", "open"))
#: By their codes, whether kinds write.
WRITES = tuple(kind in ("load", "insert", "update", "delete", "increment") for kind in KINDS)
#: Bits of a code: the kind, that a commit is due behind it, and that it goes in one request with the next entry.
KIND_BITS, COMMIT, TOGETHER = 255, 256, 512
#: What came of an operation.
DONE, EXISTS, MISSING, FAILED, COMMIT_FAILED, REST_COMMITTED, REST_NOT_COMMITTED, BEGINS, TAKEN = range(9)

ENTRY = struct.Struct("<III")
HEAD = struct.Struct("<QQII")
ROW_BYTES = 8
#: The descriptor of planned starts, and the bytes of one.
STARTS, START_BYTES = 4, 8
CUT = "a script ends in the middle of an entry"
READ_BYTES = 48 << 10
WRITE_BYTES = 64 << 10

#: The shortest password that is hidden wherever it stands; shorter ones and names only where they are whole words.
LONG_SECRET = 4
#: Keys of a query whose values are hidden however short they are.
CREDENTIALS = ("user", "username", "password", "pass", "passwd", "pwd", "token")
MESSAGE_CHARACTERS = 300

_secrets: list[re.Pattern[str]] = []


class ClientError(Exception):
    """The job cannot go on (exit status 1)."""


#: One operation of a script: code, row, argument, and the rows that stand behind a multi-read or an opening.
Entry = tuple[int, int, int, tuple[int, ...]]


class Script:
    """The entries of a script, in their order."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "rb", buffering=0)

    def close(self) -> None:
        """Reads no more of it, whether it has an end or not."""
        self.file.close()

    def entries(self) -> Iterator[Entry]:
        """The entries, one after the other."""
        piece, at = b"", 0
        while True:
            if len(piece) - at < ENTRY.size:
                piece, at = self.longer(piece[at:], ENTRY.size), 0
                if not piece:
                    return
            code, row, argument = ENTRY.unpack_from(piece, at)
            at += ENTRY.size
            kind = code & KIND_BITS
            if kind >= len(KINDS):
                raise ClientError(f"a script has the kind {kind}, which is not known here")
            rows: tuple[int, ...] = ()
            if argument and (kind == MULTI_READ or kind == OPEN):
                if len(piece) - at < 4 * argument:
                    piece, at = self.longer(piece[at:], 4 * argument), 0
                    if not piece:
                        raise ClientError(CUT)
                rows = struct.unpack_from(f"<{argument}I", piece, at)
                at += 4 * argument
            yield code, row, argument, rows

    def longer(self, piece: bytes, least: int) -> bytes:
        """A piece with what comes next, so many bytes at least; nothing at the end."""
        while len(piece) < least:
            more = self.file.read(READ_BYTES)
            if not more:
                if piece:
                    raise ClientError(CUT)
                return b""
            piece += more
        return piece


def next_start() -> int:
    """Waits for the next planned start, in ns; 0 where there is no further one."""
    return int.from_bytes(os.read(STARTS, START_BYTES), "little")


class Tape:
    """The records of a worker."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "wb", buffering=0)
        self.waiting = bytearray()

    def note(self, start: int, end: int, outcome: int, digests: bytes | bytearray = b"") -> None:
        """Notes an operation with the digests of the rows that it gave."""
        self.append(HEAD.pack(start, end, outcome, len(digests) // ROW_BYTES), digests)

    def fail(self, start: int, end: int, outcome: int, error: BaseException) -> None:
        """Notes a failure in words."""
        message = describe(error).encode("utf-8", "replace")
        self.append(HEAD.pack(start, end, outcome, len(message)), message)

    def append(self, head: bytes, body: bytes | bytearray) -> None:
        """Keeps a record until there is a piece of them. The rows of a scan may be many more: they are not copied."""
        self.waiting += head
        if len(body) >= WRITE_BYTES:
            self.flush()
            self.write(body)
            return
        self.waiting += body
        if len(self.waiting) >= WRITE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Writes out what waits."""
        self.write(self.waiting)
        self.waiting.clear()

    def write(self, data: bytes | bytearray) -> None:
        """Writes bytes out, a piece at a time."""
        with memoryview(data) as left:
            at = 0
            while at < len(left):
                at += self.file.write(left[at : at + WRITE_BYTES]) or 0

    def close(self) -> None:
        """Ends the tape; what was not written out is given up."""
        self.file.close()


def hide(url: str | None) -> None:
    """Keeps user, password and query of an address out of every message from now on."""
    rest, _, query = (url or "").partition("://")[2].partition("?")
    login, found, _ = rest.rpartition("@")
    texts: dict[str, bool] = {}
    if found:
        user, _, password = login.partition(":")
        texts = {login: False, user: False, password: len(password) >= LONG_SECRET}
    for key, _, value in (pair.partition("=") for pair in query.split("&")):
        if key.lower() in CREDENTIALS:
            texts[value] = len(value) >= LONG_SECRET
        elif len(value) >= LONG_SECRET:
            texts[value] = False
    texts = {text: anywhere for one, anywhere in texts.items() for text in (one, unquote(one)) if text}
    # A part of another must not be hidden first.
    _secrets[:] = [re.compile(re.escape(text) if texts[text] else rf"(?<!\w){re.escape(text)}(?!\w)")
                   for text in sorted(texts, key=len, reverse=True)]


def clean(text: str) -> str:
    """A text without the secrets of the job's address."""
    for secret in _secrets:
        text = secret.sub("***", text)
    return text


def describe(error: BaseException) -> str:
    """An error in one line, without secrets."""
    return clean(f"{type(error).__name__}: {' '.join(str(error).split())}")[:MESSAGE_CHARACTERS]

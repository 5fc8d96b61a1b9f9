"""What one phase gives: histograms, failures and the series over time, in constant memory."""

from __future__ import annotations

import re
import time
from collections import Counter
from functools import partial
from typing import Any, Callable
from urllib.parse import unquote

#: Different messages of failures that are told apart in one phase.
MESSAGES = 20
SLOTS = 512
FIRST_SLOT_NS = 1_000_000
NEVER_NS = 1 << 62

#: The shortest password that is hidden wherever it stands; shorter ones and names only where they are whole words.
LONG_SECRET = 4
#: Keys of a query whose values are hidden however short they are.
CREDENTIALS = ("user", "username", "password", "pass", "passwd", "pwd", "token")

_secrets: list[re.Pattern[str]] = []


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
    return clean(f"{type(error).__name__}: {' '.join(str(error).split())}")[:300]


#: CLOCK_MONOTONIC in ns, comparable between the processes of one machine. A partial object and no
#: function of Python, so that less of our own code lies between two stamps.
clock: Callable[[], int] = partial(time.clock_gettime_ns, time.CLOCK_MONOTONIC)


def bucket(latency_ns: int) -> int:
    """Lower bound of the histogram bucket: all but the top eight bits cleared."""
    shift = max(latency_ns.bit_length() - 8, 0)
    return (latency_ns >> shift) << shift


class Histogram:
    """Latencies of one kind of operation."""

    def __init__(self) -> None:
        self.buckets: dict[int, int] = {}
        self.count = self.sum_ns = self.max_ns = 0
        self.min_ns = NEVER_NS

    def record(self, latency_ns: int) -> None:
        """Counts one latency."""
        bound = bucket(latency_ns)
        self.buckets[bound] = self.buckets.get(bound, 0) + 1
        self.count += 1
        self.sum_ns += latency_ns
        if latency_ns > self.max_ns:
            self.max_ns = latency_ns
        if latency_ns < self.min_ns:
            self.min_ns = latency_ns


class Series:
    """Completed operations over time in at most 512 slots, whose length doubles when they are full."""

    def __init__(self, start_ns: int) -> None:
        self.start_ns = start_ns
        self.slot_ns = FIRST_SLOT_NS
        self.slots = [0] * SLOTS
        self.used = 0

    def record(self, end_ns: int) -> None:
        """Counts one operation by its end."""
        slot = (end_ns - self.start_ns) // self.slot_ns
        while slot >= SLOTS:
            pairs = [a + b for a, b in zip(self.slots[::2], self.slots[1::2])]
            self.slots = pairs + [0] * (SLOTS - len(pairs))
            self.slot_ns *= 2
            self.used = (self.used + 1) // 2
            slot = (end_ns - self.start_ns) // self.slot_ns
        self.slots[slot] += 1
        if slot >= self.used:
            self.used = slot + 1


class Recorder:
    """What one phase gave in this process; its size does not depend on the number of operations."""

    def __init__(self) -> None:
        self.series = Series(clock())
        self.histograms: dict[str, Histogram] = {}
        self.failures: Counter[tuple[str, str]] = Counter()
        self.completed = self.failed = self.rows_read = 0
        self.first_start_ns = self.last_end_ns = 0
        self.message: str | None = None

    def done(self, kind: str, latency_ns: int, end_ns: int) -> None:
        """Counts a completed operation."""
        if kind not in self.histograms:
            self.histograms[kind] = Histogram()
        self.histograms[kind].record(latency_ns)
        self.series.record(end_ns)
        self.completed += 1

    def fail(self, kind: str, message: str) -> None:
        """Counts a failed operation."""
        self.failed += 1
        self.message = message
        known = (kind, message) in self.failures or len(self.failures) < MESSAGES
        self.failures[(kind, message if known else "other messages")] += 1

    def latency(self) -> list[dict[str, Any]]:
        """The histograms as they travel."""
        return [{"operation": kind, "buckets": [list(pair) for pair in sorted(one.buckets.items())],
                 "count": one.count, "sum_ns": one.sum_ns, "min_ns": one.min_ns, "max_ns": one.max_ns}
                for kind, one in self.histograms.items()]

    def told(self) -> dict[str, Any]:
        """Series, failures and counts as they travel."""
        series = self.series
        return {
            "latency": self.latency(),
            "failures": [{"operation": kind, "message": message, "count": count}
                         for (kind, message), count in self.failures.items()],
            "retries": 0,
            "rows_read": self.rows_read,
            "series": {"start_ns": series.start_ns, "slot_ns": series.slot_ns,
                       "operations": series.slots[: series.used]},
        }

"""Limits by caller: requests at a time and in a minute, characters in a month, and guesses of keys.

All tables are bounded; what is forgotten first is what was used longest ago.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from lexalign.server.http.logs import RareWarning
from lexalign.server.storage.keys import Key
from lexalign.server.storage.usage import UsageStore

_MAX_REMEMBERED = 10_000
# The first wrong keys cost nothing; each one after them doubles the wait.
_FREE_GUESSES, _MAX_BACKOFF = 10, 300.0
_FORGIVEN_AFTER = 900.0


class ThrottledError(Exception):
    """Too much from one caller; `retry_after` is in seconds."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = max(1, math.ceil(retry_after))


class QuotaError(Exception):
    """The key's characters of this month are used up; `retry_after` is in seconds, until the next month."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the key's {limit:,} characters of this month are used up")
        now = datetime.now(UTC)
        month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        self.retry_after = math.ceil(((month + timedelta(days=32)).replace(day=1) - now).total_seconds())


@dataclass
class _Bucket:
    """A token bucket: so many requests at once, and as many again each minute."""

    tokens: float
    at: float


@dataclass(frozen=True)
class _Guesses:
    count: int = 0
    at: float = 0.0


class KeyLimits:
    """Rates and quotas of keys, and the back-off of addresses that send wrong ones."""

    def __init__(self, usage: UsageStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._usage, self._clock = usage, clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._guesses: OrderedDict[str, _Guesses] = OrderedDict()
        self._familiar: OrderedDict[tuple[str, str], None] = OrderedDict()  # addresses and names of keys
        self._warn = RareWarning("an address sends wrong keys")

    def admit(self, key: Key) -> None:
        """Count a request of a key; an error where it is one too many."""
        if key.requests_per_minute is not None:
            self._take(key.name, key.requests_per_minute)

    def check_quota(self, key: Key) -> None:
        """Refuse what would be counted: a key without a character left may still ask for what it has."""
        limit = key.monthly_characters
        if limit is not None and self._usage.of(key.name).characters >= limit:
            raise QuotaError(limit)

    def count_guess(self, address: str, key: Key | None) -> None:
        """Refuse an address that has sent too many wrong keys, whatever it sends now.

        Keys that it has sent before are let through: others may share its address.
        """
        if key is not None and (address, key.name) in self._familiar:
            return
        found = self._guesses.get(address, _Guesses())
        if found.count >= _FREE_GUESSES:
            wait = min(_MAX_BACKOFF, 2.0 ** min(20, found.count - _FREE_GUESSES)) - (self._clock() - found.at)
            if wait > 0:
                raise ThrottledError("too many wrong keys from this address; try again later", wait)
        if key is None:
            self._note_wrong(address, found)
        else:
            self._familiar[address, key.name] = None
            _forget_oldest(self._familiar)

    def _note_wrong(self, address: str, found: _Guesses) -> None:
        now = self._clock()
        count = 1 if now - found.at > _FORGIVEN_AFTER else found.count + 1
        self._guesses[address] = _Guesses(count, now)
        self._guesses.move_to_end(address)
        _forget_oldest(self._guesses)
        if count >= _FREE_GUESSES:
            self._warn(client=address, wrong_keys=count)

    def _take(self, name: str, per_minute: int) -> None:
        now = self._clock()
        bucket = self._buckets.setdefault(name, _Bucket(per_minute, now))
        bucket.tokens = min(per_minute, bucket.tokens + (now - bucket.at) * per_minute / 60)
        bucket.at = now
        self._buckets.move_to_end(name)
        _forget_oldest(self._buckets)
        if bucket.tokens < 1:
            message = f"the key may send {per_minute} requests a minute; try again later"
            raise ThrottledError(message, (1 - bucket.tokens) * 60 / per_minute)
        bucket.tokens -= 1


def _forget_oldest(table: OrderedDict[Any, Any]) -> None:
    while len(table) > _MAX_REMEMBERED:
        table.popitem(last=False)

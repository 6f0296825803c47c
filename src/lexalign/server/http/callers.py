"""Who sends a request: the owner of a key, or an address where there are no keys."""

from contextvars import ContextVar
from dataclasses import dataclass

from lexalign.server.storage.keys import Key

_caller: ContextVar["Caller | None"] = ContextVar("lexalign_caller", default=None)
_address: ContextVar[str] = ContextVar("lexalign_address", default="unknown")


@dataclass(frozen=True)
class Caller:
    """`name` is empty where the server has no keys: usage, jobs and documents are then everybody's."""

    name: str = ""
    key: Key | None = None


def set_caller(key: Key | None) -> Caller:
    caller = Caller() if key is None else Caller(key.name, key)
    _caller.set(caller)
    return caller


def current_caller() -> Caller:
    """The caller of the request that is being answered; known once its key was checked."""
    return _caller.get() or Caller()


def set_address(address: str) -> None:
    _address.set(address)


def current_address() -> str:
    """Where the request comes from, as far as the connection or a trusted proxy tells."""
    return _address.get()

"""Errors that reach a caller in Python speak of Python, not of flags."""

from collections.abc import Iterator
from contextlib import contextmanager

from lexalign.contracts.errors import LexalignError


@contextmanager
def in_python(kind: type[LexalignError] | None = None) -> Iterator[None]:
    """Raise errors with their wording for Python, as `kind` where they have no kind of their own."""
    try:
        yield
    except LexalignError as error:
        wanted = kind if kind is not None and type(error) is LexalignError else type(error)
        if wanted is type(error) and error.in_python == str(error):
            raise
        reworded = LexalignError.__new__(wanted)
        LexalignError.__init__(reworded, error.in_python)
        raise reworded.with_traceback(error.__traceback__) from None

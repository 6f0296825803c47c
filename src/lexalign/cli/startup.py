"""What makes a command that translates one sentence start sooner."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_asleep() -> Iterator[None]:
    """Do without the garbage collector while modules and weights are loaded.

    Nothing of that is garbage, and to look through it again and again takes a tenth of the time of importing
    torch. Afterwards it is left out of all collections.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

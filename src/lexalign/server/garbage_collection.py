"""When garbage is collected: a full collection stops all threads while it visits every object.

Objects that exist when the server starts are never visited again. What long requests leave behind is
collected while no request is in work, because few objects are alive then; and, so that memory is bounded,
after very many collections of the youngest generation in any case.
"""

import asyncio
import gc
import sys

from lexalign.server.batching.thread_pools import ThreadPools
from lexalign.translator.execution import give_back_memory

_SECONDS_PER_CHECK = 10.0
_YOUNG_COLLECTIONS_PER_FULL_ONE = 10_000
# After this time a busy thread hands the interpreter to one that waits for it.
_SWITCH_SECONDS = 0.001


def configure_garbage_collection() -> None:
    """Keep pauses short from now on; it is called when everything is loaded."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _YOUNG_COLLECTIONS_PER_FULL_ONE)
    sys.setswitchinterval(_SWITCH_SECONDS)


async def collect_when_idle(threads: ThreadPools) -> None:
    """Collect garbage whenever no request is in work, for as long as the server runs."""
    while True:
        await asyncio.sleep(_SECONDS_PER_CHECK)
        if not threads.num_calls and gc.get_count()[2]:
            gc.collect()
            give_back_memory()  # of glossaries that were deleted, most of all

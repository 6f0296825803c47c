"""When garbage is collected: a full collection stops all threads while it looks at every object.

What is there when the server starts is never looked at again. What long requests leave is looked at when none
is being worked on, for then there is little else; and, so that memory is bounded, after very many young
collections in any case.
"""

import asyncio
import gc
import sys

from lexalign.server.batching.lanes import Lanes

_SECONDS_PER_LOOK = 10.0
_COLLECTIONS_PER_FULL = 10_000
# Until a thread that waits for the interpreter gets it from one that is busy.
_SWITCH_SECONDS = 0.001


def settle() -> None:
    """Call it when everything is loaded: from now on, nothing that the event loop waits for is long."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _COLLECTIONS_PER_FULL)
    sys.setswitchinterval(_SWITCH_SECONDS)


async def collect_when_idle(lanes: Lanes) -> None:
    """Runs for as long as the server."""
    while True:
        await asyncio.sleep(_SECONDS_PER_LOOK)
        if not lanes.num_jobs and gc.get_count()[2]:
            gc.collect()

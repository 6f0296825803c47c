"""What a worker process does: translate the shards that come, and end when nobody listens any more."""

import os
import queue
import signal
import threading
import traceback
from multiprocessing.connection import Connection

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.shards import RawShard
from lexalign.corpus.worker import WorkerPlan


def serve(connection: Connection, plan: WorkerPlan, device: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    waiting: queue.SimpleQueue[RawShard] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, waiting), daemon=True).start()
    try:
        translator = plan.start(device)
        while True:
            connection.send(translator.translate(waiting.get()))
    except OSError:
        os._exit(0)
    except Exception as error:
        connection.send(_portable(error))
        threading.Event().wait()  # until the parent has read it and ends us


def _listen(connection: Connection, waiting: "queue.SimpleQueue[RawShard]") -> None:
    """Take in shards at once, so that the parent need not wait; its death ends this process at once."""
    while True:
        try:
            waiting.put(connection.recv())
        except (EOFError, OSError):
            os._exit(0)


def _portable(error: Exception) -> Exception:
    """The trace would be lost on the way, and errors with odd arguments too."""
    if isinstance(error, LexalignError):
        return LexalignError(str(error))
    return RuntimeError("in a worker process:\n" + "".join(traceback.format_exception(error)))

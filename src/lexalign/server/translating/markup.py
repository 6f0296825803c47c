"""Tags in texts: the one place where markup is taken out before a translation and set in again after it."""

from typing import Literal

from lexalign.contracts.errors import LexalignError

TagHandling = Literal["html", "xml"]


def refuse_tags(tags: TagHandling | None) -> None:
    if tags is not None:
        raise LexalignError(f"this server does not handle {tags} tags; send text without them")

"""Versions of what is kept, as HTTP has them: `ETag` tells one, `If-Match` asks for it."""

import re
from typing import Annotated

from fastapi import Depends, Header

from lexalign.contracts.errors import LexalignError

_VERSION = re.compile(r'(?:W/)?"?([0-9]{1,18})"?', re.ASCII)


def version_tag(version: int) -> dict[str, str]:
    return {"ETag": f'"{version}"'}


async def _expected_version(
    if_match: Annotated[str | None, Header(description="Refuse (412) unless it is of this version.")] = None,
) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    found = _VERSION.fullmatch(if_match.strip())
    if found is None:
        raise LexalignError('If-Match is no version; send it as it came in ETag: "1"')
    return int(found[1])


ExpectedVersion = Annotated[int | None, Depends(_expected_version)]

"""Models of Firefox and of Argos, by the indexes that they publish.

Firefox has a record for each file: {"fromLang": "en", "toLang": "de", "fileType": "model", "version": "1.0",
"attachment": {"filename": ..., "location": ..., "hash": SHA-256, "size": ...}}; locations are below another
address. Argos has an entry for each package: {"from_code": "de", "to_code": "en", "package_version": "1.0",
"links": [...]}, without checksums. Other addresses are named by LEXALIGN_FIREFOX_INDEX,
LEXALIGN_FIREFOX_FILES and LEXALIGN_ARGOS_INDEX.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from lexalign.contracts.errors import LexalignError
from lexalign.hub.download import fetch_json
from lexalign.hub.listing import Checksum, Listing, RemoteFile

_FIREFOX_INDEX = (
    "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models/records"
)
_FIREFOX_FILES = "https://firefox-settings-attachments.cdn.mozilla.net"
_ARGOS_INDEX = "https://raw.githubusercontent.com/argosopentech/argospm-index/main/index.json"
_FILE_TYPES = ("model", "lex", "vocab", "srcvocab", "trgvocab")
_RELEASE = re.compile(r"\d+(\.\d+)*")

Entry = Mapping[str, Any]


def list_firefox(source: str, target: str) -> Listing:
    """The files of the latest release; a part that it has not changed is of an earlier one."""
    url = os.environ.get("LEXALIGN_FIREFOX_INDEX", _FIREFOX_INDEX)
    files = os.environ.get("LEXALIGN_FIREFOX_FILES", _FIREFOX_FILES).rstrip("/")
    content = fetch_json(url)
    records = list(_entries(content.get("data") if isinstance(content, dict) else None, url))
    matching = [
        one
        for one in records
        if (one.get("fromLang"), one.get("toLang")) == (source, target)
        and one.get("fileType") in _FILE_TYPES
        and _RELEASE.fullmatch(str(one.get("version")))
    ]
    if not any(one["fileType"] == "model" for one in matching):
        raise _no_model(
            "Firefox", source, target, {(str(one.get("fromLang")), str(one.get("toLang"))) for one in records}
        )
    version = max((str(one["version"]) for one in matching if one["fileType"] == "model"), key=_order)
    return Listing(
        name=f"firefox:{source}-{target}",
        version=version,
        files=tuple(_attachment(record, files, url) for record in _latest(matching)),
        languages=(source, target),
    )


def _latest(records: Iterable[Entry]) -> Iterator[Entry]:
    """One record of each type. A shared vocabulary excludes the two of a later or an earlier form."""
    newest: dict[str, Entry] = {}
    for record in sorted(records, key=lambda one: _order(str(one["version"]))):
        newest[record["fileType"]] = record
    separate = [newest[kind] for kind in ("srcvocab", "trgvocab") if kind in newest]
    shared = newest.get("vocab")
    if shared is not None and separate:
        is_newer = _order(str(shared["version"])) > max(_order(str(one["version"])) for one in separate)
        for kind in ("srcvocab", "trgvocab") if is_newer else ("vocab",):
            newest.pop(kind, None)
    yield from newest.values()


def _attachment(record: Entry, files: str, url: str) -> RemoteFile:
    try:
        found = record["attachment"]
        return RemoteFile(
            name=str(found["filename"]),
            url=f"{files}/{str(found['location']).lstrip('/')}",
            size=int(found["size"]),
            checksum=Checksum(kind="sha256", digest=str(found["hash"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise LexalignError(f"{url}: a record cannot be read ({error!r}); the index has changed") from None


def list_argos(source: str, target: str) -> Listing:
    url = os.environ.get("LEXALIGN_ARGOS_INDEX", _ARGOS_INDEX)
    entries = list(_entries(fetch_json(url), url))
    matching = [one for one in entries if (one.get("from_code"), one.get("to_code")) == (source, target)]
    links = [one for one in matching if _https_links(one)]
    if not links:
        raise _no_model(
            "Argos", source, target, {(str(one.get("from_code")), str(one.get("to_code"))) for one in entries}
        )
    newest = max(links, key=lambda one: _order(str(one.get("package_version", "0"))))
    link = _https_links(newest)[0]
    digest = newest.get("sha256")
    return Listing(
        name=f"argos:{source}-{target}",
        version=str(newest.get("package_version", "")),
        files=(
            RemoteFile(
                name=urlsplit(link).path.rpartition("/")[2],
                url=link,
                checksum=Checksum(kind="sha256", digest=digest) if isinstance(digest, str) else None,
            ),
        ),
        languages=(source, target),
        packed=True,
    )


def _https_links(entry: Entry) -> list[str]:
    links = entry.get("links")
    found = (
        [str(one) for one in links if str(one).startswith(("https://", "http://"))]
        if isinstance(links, list)
        else []
    )
    return sorted(found, key=lambda one: not one.startswith("https://"))


def _entries(content: object, url: str) -> Iterator[Entry]:
    if not isinstance(content, list):
        raise LexalignError(f"{url} is not a list of models; the index has changed")
    return (one for one in content if isinstance(one, dict))


def _order(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _no_model(index: str, source: str, target: str, pairs: set[tuple[str, str]]) -> LexalignError:
    near = sorted(f"{one}-{other}" for one, other in pairs if one == source or other == target)
    offer = f"those available are {', '.join(near)}" if near else "it has neither language"
    return LexalignError(f"{index} has no model from {source} to {target}; {offer}")

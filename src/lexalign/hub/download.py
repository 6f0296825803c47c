"""Downloads over HTTP that go on where they broke off, and are checked before they are used.

What has come of `model.bin` is in `model.bin.part`; the rest is asked for by its range. The file gets its
name when its size and its checksum are right.
"""

import errno
import http.client
import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lexalign.contracts.errors import LexalignError
from lexalign.hub.listing import RemoteFile

OnProgress = Callable[[str, int, int | None], None]  # the file's name, how much has come, and of how much
_BLOCK = 1 << 18
_TIMEOUT_S = 30.0
_ATTEMPTS = 3  # without a single byte more
_LARGEST_INDEX = 64 << 20


class UnreachableError(LexalignError):
    """There is no network, or no such host; nothing is wrong with what was asked for."""


class _BrokenOff(Exception):  # noqa: N818
    """The connection ended before the file did."""


class _SameHostHeaders(urllib.request.HTTPRedirectHandler):
    """A redirection to another host, such as a store of files, does not get the user's token."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None and urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            request.remove_header("Authorization")
        return request


_OPENER = urllib.request.build_opener(_SameHostHeaders)


def fetch_json(url: str) -> Any:
    """The content of an index."""
    try:
        with _open(url, {}) as response:
            return json.loads(response.read(_LARGEST_INDEX))
    except (ValueError, http.client.HTTPException, OSError) as error:
        if isinstance(error, LexalignError):
            raise
        raise LexalignError(f"{url} is not an index of models ({error}); try again later") from None


def download(file: RemoteFile, folder: Path, on_progress: OnProgress) -> Path:
    """The file in the folder, whole and checked; one that is there already is not downloaded again."""
    path = folder / file.name
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{file.name}.part"
    _check_space(file, part, folder)
    attempts = _ATTEMPTS
    while attempts:
        before = _size(part)
        try:
            _receive(file, part, on_progress)
            break
        except _BrokenOff:
            attempts = _ATTEMPTS if _size(part) > before else attempts - 1
    else:
        raise UnreachableError(
            f"the download of {file.name} broke off after {_size(part):,} bytes; run the same command again "
            "to resume it"
        )
    _check(file, part)
    part.replace(path)
    return path


def _check_space(file: RemoteFile, part: Path, folder: Path) -> None:
    missing = (file.size or 0) - _size(part)
    if missing > shutil.disk_usage(folder).free:
        raise _full_disk(folder, missing)


def _full_disk(folder: Path, missing: int | None) -> LexalignError:
    needed = "" if missing is None else f" ({missing / 1e6:,.0f} MB are needed)"
    return LexalignError(
        f"the disk of {folder} is full{needed}; make room, or set LEXALIGN_HOME to a folder of another disk"
    )


def _receive(file: RemoteFile, part: Path, on_progress: OnProgress) -> None:
    """Append what is missing, or begin anew where the server does not know ranges."""
    have = _size(part)
    if file.size is not None and have > file.size:
        part.unlink()
        have = 0
    if have and have == file.size:
        return
    headers = dict(file.headers) | ({"Range": f"bytes={have}-"} if have else {})
    with _open(file.url, headers) as response:
        if have and response.status == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return  # the file is whole, or another one; its checksum tells
        have = have if response.status == http.HTTPStatus.PARTIAL_CONTENT else 0
        expected = _total_size(response, have)
        with part.open("ab" if have else "wb") as output:
            while block := _read(response):
                _write(output, block, part.parent)
                have += len(block)
                on_progress(file.name, have, expected or file.size)
    if expected is not None and have < expected:
        raise _BrokenOff


def _open(url: str, headers: dict[str, str]) -> Any:
    request = urllib.request.Request(url, headers={"User-Agent": "lexalign", **headers})
    try:
        return _OPENER.open(request, timeout=_TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return error
        if error.code >= 500:
            raise UnreachableError(f"{url} does not answer (HTTP {error.code}); try again later") from None
        raise LexalignError(f"{url} cannot be downloaded (HTTP {error.code})") from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        raise UnreachableError(f"{urlsplit(url).netloc} cannot be reached ({reason})") from None


def _read(response: Any) -> bytes:
    try:
        block: bytes = response.read(_BLOCK)
    except (http.client.HTTPException, OSError):
        raise _BrokenOff from None
    return block


def _write(output: Any, block: bytes, folder: Path) -> None:
    try:
        output.write(block)
        output.flush()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full_disk(folder, None) from None
        raise


def _total_size(response: Any, have: int) -> int | None:
    length = response.headers.get("Content-Length")
    return have + int(length) if length and length.isdigit() else None


def _check(file: RemoteFile, part: Path) -> None:
    """A file that is not what the index says is removed, so that the next attempt begins anew."""
    wrong = None
    if file.size is not None and _size(part) != file.size:
        wrong = f"it has {_size(part):,} bytes, and should have {file.size:,}"
    elif file.checksum is not None and not file.checksum.matches(part):
        wrong = "its checksum is wrong"
    if wrong is not None:
        part.unlink()
        raise LexalignError(
            f"{file.url}: {wrong}; the file was damaged on the way, or changed: try again, and if this "
            "persists, do not use it"
        )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0

"""A download that breaks off anywhere goes on, and nothing is used that is not whole and right."""

import errno
import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.hub import download as downloads
from lexalign.hub.download import UnreachableError, download, fetch_json
from lexalign.hub.listing import Checksum, RemoteFile
from tests.hub.local_hosts import Hosts, local_hosts

CONTENT = bytes(range(256)) * 20


def remote(hosts: Hosts, content: bytes = CONTENT, **changes: Any) -> RemoteFile:
    url = hosts.put("/model.bin", content)
    digest = hashlib.sha256(content).hexdigest()
    values: dict[str, Any] = {
        "name": "model.bin",
        "url": url,
        "size": len(content),
        "checksum": Checksum(kind="sha256", digest=digest),
    }
    return RemoteFile(**(values | changes))


def get(file: RemoteFile, folder: Path) -> bytes:
    return download(file, folder, lambda *_: None).read_bytes()


@pytest.fixture
def hosts() -> Any:
    with local_hosts() as found:
        yield found


@given(places=st.lists(st.integers(0, len(CONTENT)), max_size=4), knows_ranges=st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_download_that_breaks_off_anywhere_goes_on(
    hosts: Hosts, tmp_path_factory: pytest.TempPathFactory, places: list[int], knows_ranges: bool
) -> None:
    """Within a command, and over several of them; a server without ranges begins anew."""
    folder, file = tmp_path_factory.mktemp("downloads"), remote(hosts)
    hosts.break_after[:] = places
    hosts.knows_ranges = knows_ranges
    for _ in range(len(places) + 1):
        with suppress(UnreachableError):
            assert get(file, folder) == CONTENT
            break
        assert not (folder / "model.bin").exists()
    assert [path.name for path in folder.iterdir()] == ["model.bin"]


def test_only_the_rest_is_asked_for(hosts: Hosts, tmp_path: Path) -> None:
    hosts.break_after[:] = [1000]
    assert get(remote(hosts), tmp_path) == CONTENT
    assert hosts.requests == [("/model.bin", None), ("/model.bin", "bytes=1000-")]
    assert get(remote(hosts), tmp_path) == CONTENT
    assert len(hosts.requests) == 2  # a file that is there is not downloaded again


@pytest.mark.parametrize("size", [len(CONTENT), None])
def test_a_wrong_checksum_leaves_nothing(hosts: Hosts, tmp_path: Path, size: int | None) -> None:
    file = remote(hosts, size=size, checksum=Checksum(kind="sha256", digest="0" * 64))
    with pytest.raises(LexalignError, match="its checksum is wrong"):
        get(file, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_size_leaves_nothing(hosts: Hosts, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="should have 5,121"):
        get(remote(hosts, size=len(CONTENT) + 1, checksum=None), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_of_another_file_is_found_out(hosts: Hosts, tmp_path: Path) -> None:
    """The first attempt begins where the other file ends, and the second anew."""
    (tmp_path / "model.bin.part").write_bytes(b"other" * 10)
    with pytest.raises(LexalignError, match="its checksum is wrong"):
        get(remote(hosts), tmp_path)
    assert get(remote(hosts), tmp_path) == CONTENT


def test_checksums_of_git(tmp_path: Path) -> None:
    """As `git hash-object` gives it."""
    (tmp_path / "file").write_bytes(b"hello\n")
    assert Checksum(kind="git", digest="ce013625030ba8dba906f756967f9e9ca394464a").matches(tmp_path / "file")
    assert not Checksum(kind="git", digest="0" * 40).matches(tmp_path / "file")


def test_a_full_disk_is_one_line_and_what_has_come_is_kept(
    hosts: Hosts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = downloads._write

    def fill(output: Any, block: bytes, folder: Path) -> None:
        class Full:
            def write(self, _: bytes) -> None:
                output.write(block[:1000])
                raise OSError(errno.ENOSPC, "No space left on device")

        write(Full(), block, folder)

    monkeypatch.setattr(downloads, "_write", fill)
    with pytest.raises(LexalignError, match=r"is full; make room, or set LEXALIGN_HOME"):
        get(remote(hosts), tmp_path)
    assert not (tmp_path / "model.bin").exists()
    monkeypatch.setattr(downloads, "_write", write)
    assert get(remote(hosts), tmp_path) == CONTENT
    assert hosts.requests[-1] == ("/model.bin", "bytes=1000-")


def test_a_disk_without_room_is_known_before(
    hosts: Hosts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lexalign.hub.download.shutil.disk_usage", lambda _: type("Usage", (), {"free": 99}))
    with pytest.raises(LexalignError, match="is full"):
        get(remote(hosts), tmp_path)
    assert hosts.requests == []


def test_no_network_and_no_such_file_are_different_errors(hosts: Hosts, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="cannot be reached"):
        get(remote(hosts, url="http://127.0.0.1:1/model.bin"), tmp_path)
    with pytest.raises(LexalignError, match="HTTP 404") as found:
        get(remote(hosts, url=f"{hosts.address}/nothing"), tmp_path)
    assert not isinstance(found.value, UnreachableError)


@pytest.mark.parametrize("name", ["../model.bin", "a/b", "", ".hidden", ".."])
def test_a_file_of_the_index_stays_in_its_folder(name: str) -> None:
    with pytest.raises(LexalignError, match="not a plain name"):
        RemoteFile(name=name, url="https://example.org/x")


def test_an_index_names_addresses_of_the_web_only(hosts: Hosts) -> None:
    with pytest.raises(LexalignError, match="not a web address"):
        RemoteFile(name="x", url="file:///etc/passwd")
    with pytest.raises(LexalignError, match="is not an index"):
        fetch_json(hosts.put("/index", b"<html>"))

"""With kernels and without them, in one process."""

from collections.abc import Callable, Iterator

import pytest

from lexalign.native.library import kernels


@pytest.fixture(autouse=True)
def _kernels_at_hand() -> Iterator[None]:
    if kernels() is None:
        pytest.skip("no kernels: the CPU has no AVX-512 VNNI, or there is no compiler")
    yield
    kernels.cache_clear()


@pytest.fixture
def without_kernels(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From here on there are no kernels."""

    def switch_off() -> None:
        monkeypatch.setenv("LEXALIGN_NATIVE", "0")
        kernels.cache_clear()

    return switch_off


@pytest.fixture
def with_kernels(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """They are there again."""

    def switch_on() -> None:
        monkeypatch.delenv("LEXALIGN_NATIVE", raising=False)
        kernels.cache_clear()

    return switch_on

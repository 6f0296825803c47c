"""A stage is run once for the same options, and its cost is that of all attempts."""

from pathlib import Path

import pytest

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.pipeline.stage import Stage, UnavailableError, run_stage
from experiments.paper.pipeline.workspace import Workspace
from lexalign.contracts.errors import LexalignError


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(
        pair=PAIRS["de-en"],
        data=tmp_path / "data",
        folder=tmp_path / "work",
        results=tmp_path / "results",
        device="cpu",
    )


class Counted:
    """A stage that counts how often it is run, and may fail first."""

    def __init__(self, failures: list[Exception] | None = None) -> None:
        self.runs, self.option, self._failures = 0, 1, failures or []
        self.stage = Stage(name="prepare", run=self._run, options=lambda _: self.option)

    def _run(self, _: Workspace, fingerprint: str) -> dict[str, object]:
        self.runs += 1
        if self._failures:
            raise self._failures.pop()
        return {"data": "abc", "seen": fingerprint}


def test_done_is_done_until_an_option_changes(workspace: Workspace) -> None:
    counted = Counted()
    assert run_stage(counted.stage, workspace)
    assert run_stage(counted.stage, workspace)
    assert counted.runs == 1
    counted.option = 2
    run_stage(counted.stage, workspace)
    assert counted.runs == 2
    run_stage(counted.stage, workspace, again=True)
    assert counted.runs == 3


def test_a_stage_that_builds_on_another_is_run_anew_with_it(workspace: Workspace) -> None:
    first, later = Counted(), Counted()
    stage = Stage(name="train", run=later.stage.run, options=lambda _: 0, needs=("prepare",))
    with pytest.raises(LexalignError, match="the stage prepare comes first"):
        run_stage(stage, workspace)
    for option in (1, 2, 2):
        first.option = option
        run_stage(first.stage, workspace)
        run_stage(stage, workspace)
    assert (first.runs, later.runs) == (2, 2)


def test_what_was_stopped_is_counted_too(workspace: Workspace) -> None:
    counted = Counted([KeyboardInterrupt()])  # type: ignore[list-item]
    with pytest.raises(KeyboardInterrupt):
        run_stage(counted.stage, workspace)
    assert workspace.found("prepare") is None
    run_stage(counted.stage, workspace)
    entries = workspace.logged()
    assert [entry["finished"] for entry in entries] == [False, True]
    found = workspace.found("prepare")
    assert found is not None
    assert found["cost"]["seconds"] == pytest.approx(sum(entry["seconds"] for entry in entries))
    assert found["signature"]["data"] == "abc"
    assert (workspace.results / "prepare.json").read_text() == (workspace.folder / "prepare.json").read_text()


def test_what_cannot_be_run_here_is_left_out(workspace: Workspace) -> None:
    counted = Counted([UnavailableError("an extra is missing")])
    assert not run_stage(counted.stage, workspace)
    assert workspace.found("prepare") is None

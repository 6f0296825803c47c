"""The whole of an experiment on synthetic text, from its corpus to the tables."""

import shutil
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from experiments.corpora.synthetic_pair import SyntheticSizes
from experiments.paper.figures import main as draw_figures
from experiments.paper.pipeline.pairs import PAIRS, TINY, Pair, tiny
from experiments.paper.pipeline.stage import run_stage
from experiments.paper.pipeline.systems import systems
from experiments.paper.pipeline.workspace import Workspace
from experiments.paper.run import main, open_workspace, run_stages
from experiments.paper.stages import STAGES
from experiments.paper.tables import make_page, read_results
from lexalign.contracts.errors import LexalignError

# Ten seconds on one core. With fewer updates of the models, attention hardly aligns yet.
SIZES = SyntheticSizes(train=2_000, valid=60, gold=40, terms=10, ideas=9)
UPDATES = {"models": 400, "heads": 80}
HEAD_PAIRS = 1_800


def smallest() -> Pair:
    training = replace(
        TINY.recipe.training, updates=UPDATES["models"], batch_tokens=300, learning_rate=4e-3, warmup=60
    )
    setting = replace(
        TINY,
        recipe=replace(TINY.recipe, training=training),
        heads=replace(TINY.heads, updates=UPDATES["heads"]),
        paper_heads=replace(TINY.heads, updates=UPDATES["heads"], pin_marks=False, second_opinion=False),
        head_pairs=HEAD_PAIRS,
        sets=1,
        beams=(4,),
        windows=(2, 3),
        bootstrap_samples=50,
        statistical=(("fast-align", 300),),
    )
    return tiny(PAIRS["de-en"], setting, SIZES)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    torch.set_num_threads(1)
    work = tmp_path_factory.mktemp("experiments")
    workspace = open_workspace(smallest(), Namespace(work=work, device="cpu", only=None, beam=None))
    run_stages(workspace, list(STAGES))
    return workspace


def test_every_stage_has_found_something(workspace: Workspace) -> None:
    for name in STAGES:
        content = workspace.found(name)
        assert content is not None, name
        assert content["signature"]["data"] == workspace.result("prepare")["data"] + " (synthetic)"
    logged = [entry["stage"] for entry in workspace.logged()]
    assert logged[: len(STAGES)] == list(STAGES)
    assert all(entry["host_peak_gib"] > 0 for entry in workspace.logged())


def test_what_is_done_is_not_done_again(workspace: Workspace) -> None:
    run_stages(workspace, list(STAGES))
    assert len(workspace.logged()) == len(STAGES)
    run_stages(workspace, ["sample"], again=True)
    assert len(workspace.logged()) == len(STAGES) + 1


def test_models_and_heads_of_other_options_are_not_taken_for_ours(workspace: Workspace) -> None:
    setting = workspace.pair.setting
    recipe = replace(setting.recipe, training=replace(setting.recipe.training, updates=UPDATES["models"] + 1))
    for stage, changed in (
        ("train", replace(setting, recipe=recipe)),
        ("heads", replace(setting, heads=replace(setting.heads, updates=UPDATES["heads"] + 1))),
        ("heads", replace(setting, head_pairs=HEAD_PAIRS - 100)),
    ):
        other = replace(workspace, pair=replace(workspace.pair, setting=changed))
        with pytest.raises(LexalignError, match="made with other options"):
            run_stage(STAGES[stage], other)


def test_methods_differ_as_in_the_paper(workspace: Workspace) -> None:
    methods = workspace.result("align")["methods"]
    assert set(methods) == {"naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"}
    for kind in ("forward", "backward", "symmetrised"):
        assert methods["post-aln"][kind]["aer"] < methods["prior-att"][kind]["aer"]
        assert methods["post-aln"][kind]["aer"] < methods["naive-att"][kind]["aer"]
    assert set(workspace.result("agreement")["methods"]) == {"hmm-agreement"}
    assert set(workspace.result("statistics")["methods"]) == {"fast-align"}


def test_labels_are_made_once(workspace: Workspace) -> None:
    """By the stage before the training; the second round of heads finds them."""
    kept = list((workspace.folder / "heads" / "data").glob("labels-*.npz"))
    assert len(kept) == 1
    assert workspace.result("labels")["links"] > workspace.result("labels")["pairs"] > 0
    assert list(workspace.result("heads")["rounds"]) == ["1", "2"]


def test_single_heads_are_measured(workspace: Workspace) -> None:
    single = workspace.result("single-heads")
    assert 0 < single["agreement"] < 1
    assert single["methods"]["shift-att"]["forward"]["aer"] > 0


def test_without_thot_its_rows_are_left_out(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "thot", None)
    setting = replace(workspace.pair.setting, statistical=(("fast-align", 200),))
    other = replace(workspace, pair=replace(workspace.pair, setting=setting))
    assert not run_stage(STAGES["statistics"], other)
    assert workspace.found("statistics") is not None  # what was found before stays


def test_constraints_are_met_where_they_must_be(workspace: Workspace) -> None:
    rows = workspace.result("score")["sampled"]["4"]
    assert set(rows) == set(systems(4))
    assert rows["vdba"]["csr"] == rows["align-vdba"]["csr"] == 100
    assert rows["none"]["csr"] < rows["vdba"]["csr"]
    assert rows["none"]["bleu_c"] < rows["align-vdba"]["bleu_c"]
    terms = workspace.result("terms")["sets"]["synthetic"]
    assert terms["terms"] == SIZES.terms
    scored = workspace.result("score")["terms"]["synthetic"]
    assert scored["4"]["align-vdba"]["csr"] == 100


def test_beams_are_decoded_by_a_command_each(workspace: Workspace, tmp_path: Path) -> None:
    folder = shutil.copytree(workspace.folder, tmp_path / "work")
    setting = replace(workspace.pair.setting, beams=(2, 3))
    pair = replace(workspace.pair, setting=setting)
    said: list[str] = []
    both = replace(workspace, pair=pair, folder=folder, results=tmp_path / "results", say=said.append)
    for name in ("decode", "terms"):
        said.clear()
        assert not run_stage(STAGES[name], replace(both, beam=3))
        assert said[-1] == f"{name}: left out: beam 2 is not decoded yet"
        assert run_stage(STAGES[name], replace(both, beam=2))
    assert list(both.result("decode")["seconds"]) == ["2", "3"]
    assert list(both.result("terms")["sets"]["synthetic"]["seconds"]) == ["2", "3"]


def test_a_beam_that_is_not_measured_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["de-en", "--work", str(tmp_path), "--beam", "7", "--stage", "decode"]) == 2
    assert "--beam 7: the beams of de-en are 5, 10, 20" in capsys.readouterr().err


def test_results_become_tables(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "de-en").symlink_to(workspace.results.resolve(), target_is_directory=True)
    page = make_page(read_results(tmp_path), {})
    methods = workspace.result("align")["methods"]
    assert "| de-en | ShiftATT, head " in page
    assert f"| PostAln | 0 | {methods['post-aln']['forward']['aer']:.1f} / 15.5 |" in page
    assert "### de→en" in page
    assert "### synthetic, en→de" in page
    assert "| beam 4 | BLEU-C | CSR |" in page
    assert workspace.result("prepare")["data"] in page


def test_heat_maps_are_drawn_from_results(workspace: Workspace, tmp_path: Path) -> None:
    found = workspace.result("heat-map")
    assert list(found["links"]) == ["naive-att", "shift-att", "post-aln"]
    targets = {target for _, target, _, _ in found["links"]["post-aln"]}
    assert targets == set(range(len(found["target"])))  # every word is linked, however weakly
    (tmp_path / "de-en").symlink_to(workspace.results.resolve(), target_is_directory=True)
    draw_figures(["--results", str(tmp_path), "--images", str(tmp_path / "images")])
    assert [path.name for path in (tmp_path / "images").iterdir()] == ["alignment-de-en.png"]


def test_missing_data_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["de-en", "--data", str(tmp_path), "--work", str(tmp_path / "work"), "--device", "cpu"]
    assert main([*arguments, "--stage", "prepare"]) == 2
    assert "train.de is missing" in capsys.readouterr().err
    assert main([*arguments, "--stage", "decode"]) == 2
    assert "the stage heads comes first" in capsys.readouterr().err

"""Constraints, aligners, heads and int8 work on T5's models as on others."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from lexalign.alignment.attention_files import write_attention
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import HEADS
from lexalign.contracts.errors import LexalignError
from lexalign.interop.exporting import export_model
from lexalign.interop.importing import import_model
from lexalign.models.folder import load_model
from lexalign.translator import Constraint, ConstraintOptions, TranslateOptions, Translator, WordAligner
from lexalign.translator.word_aligner import read_words
from tests.interop import hub_models
from tests.interop import test_import_parity as families

pytest.importorskip("transformers")

TEXTS = ["das Haus ist groß", "der kleine Hund", "über die Straße"]


@pytest.fixture(scope="module")
def madlad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("madlad")
    torch.manual_seed(3)
    theirs = families.madlad(folder).eval()
    hub_models.end_sooner(theirs, 2)
    theirs.save_pretrained(folder)
    for name, int8 in (("float", False), ("int8", True)):
        import_model(folder, folder / name, int8=int8)
        torch.manual_seed(5)
        for kind in HEADS:
            save_head(folder / name, HEADS[kind](24, 2), HeadSettings(layer=0))
        write_attention(folder / name, {"naive-att": (1, None), "shift-att": (0, None)})
    return folder


@pytest.mark.parametrize("stored", ["float", "int8"])
@pytest.mark.parametrize("policy", ["vdba", "align-vdba", "guided"])
def test_constraints_are_met(madlad: Path, stored: str, policy: str) -> None:
    translator = Translator.load(madlad / stored, device="cpu", languages=("en", "de"))
    options = TranslateOptions(constraints=ConstraintOptions(policy=policy), align="post-aln", max_length=20)  # type: ignore[arg-type]
    constraints = [[Constraint(targets=("Hund",), source=(0, 3))], [Constraint(targets=("Haus ist",))], []]
    found = translator.translate(TEXTS, options, constraints=constraints)
    assert [term.met for one in found for term in one.terms] == [True, True]
    assert "Hund" in found[0].text
    assert "Haus ist" in found[1].text
    for one, text in zip(found, TEXTS, strict=True):
        assert all(0 <= link.source[0] <= link.source[1] <= len(text) for link in one.links)


@pytest.mark.parametrize("method", ["naive-att", "shift-att", "post-aln"])
def test_alignments_are_distributions_over_words(madlad: Path, method: str) -> None:
    """The language code before the source is no word, and gets nothing."""
    aligner = WordAligner.load(madlad / "float", method, device="cpu", languages=("en", "de"))  # type: ignore[arg-type]
    pairs = [(read_words(text), read_words(text)) for text in TEXTS]
    for result in aligner.align(pairs):
        probabilities = result.subwords.probabilities
        torch.testing.assert_close(
            probabilities.sum(dim=-1), torch.ones(len(probabilities)), atol=1e-4, rtol=0
        )


def test_int8_is_near(madlad: Path) -> None:
    models = [load_model(madlad / name)[0] for name in ("float", "int8")]
    source, target = torch.tensor([[5, 20, 30, 40, 50, 2]]), torch.tensor([[0, 20, 30, 40]])
    with torch.inference_mode():
        exact, near = (model.force(model.encode(source), target).logits for model in models)
    # Unscaled attention of random weights is sharp, so single logits may differ more.
    assert 0 < (exact - near).abs().mean() < 0.1 * exact.abs().mean()


def test_languages_are_those_of_the_target(madlad: Path) -> None:
    with pytest.raises(LexalignError, match="3 languages; choose with --to: de, en, zh_Hant"):
        Translator.load(madlad / "float", device="cpu").translate("das")


def test_there_is_no_way_out(madlad: Path) -> None:
    with pytest.raises(LexalignError, match="only models of one language pair can be exported") as raised:
        export_model(madlad / "float", madlad / "out")
    assert "\n" not in str(raised.value)
    assert not (madlad / "out").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"feed_forward_proj": "gated-tanh"}, "config.json: the activation 'tanh' is not one of relu"),
        ({"d_kv": None}, "config.json: d_kv is None; a number is needed"),
        ({"model_type": "umt5"}, "models of the type 'umt5' cannot be imported"),
        ({"vocab_size": 50}, "the tokenizer has an id"),
    ],
)
def test_configs_that_do_not_fit(
    madlad: Path, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    names = ("config.json", "model.safetensors", "spiece.model", "tokenizer_config.json")
    for name in names:
        shutil.copyfile(madlad / name, tmp_path / name)
    config = json.loads((tmp_path / "config.json").read_text()) | change
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(LexalignError, match=message):
        import_model(tmp_path, tmp_path / "new")
    (tmp_path / "config.json").write_text((madlad / "config.json").read_text())
    (tmp_path / "spiece.model").unlink()
    with pytest.raises(LexalignError, match=r"spiece\.model is missing"):
        import_model(tmp_path, tmp_path / "new")
    assert not (tmp_path / "new").exists()

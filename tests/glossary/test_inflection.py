"""Forms of terms against paradigms checked by hand: all that are needed, and none that are wrong."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.glossary.inflection.base_forms import base_form
from lexalign.glossary.inflection.forms import LANGUAGES, MAX_FORMS, inflect, is_source_verb
from lexalign.glossary.matching.lemmas import TableLemmas, find_lemmas


def forms(term: str, language: str, *, verb: bool = False) -> str:
    """By simplemma's dictionary, without the term itself, in their order."""
    pytest.importorskip("simplemma")
    first, *others = inflect([term], language, find_lemmas(language), verb=verb)
    assert first == term
    return " ".join(others) if " " not in term else ", ".join(others)


ENGLISH = """
house           houses
box             boxes
city            cities
day             days
child           children
criterion       criteria
analysis        analyses
index           indices indexes
life            lives
policy          policies
process         processes
quiz            quizzes
information
goods
sales
PC
C++
"""
ENGLISH_VERBS = """
save            saves saved saving
write           writes wrote written writing
stop            stops stopped stopping
submit          submits submitted submitting
edit            edits edited editing
agree           agrees agreed agreeing
try             tries tried trying
lie             lies lied lying
begin           begins began begun beginning
set             sets setting
go              goes went gone going
panic           panics panicked panicking
"""
GERMAN = """
Haus            Hauses Häuser Häusern
Gesetz          Gesetzes Gesetze Gesetzen
Vater           Vaters Väter Vätern
Feld            Felds Feldes Felder Feldern
Bericht         Berichts Berichtes Berichte Berichten
Betrag          Betrags Betrages Beträge Beträgen
Ausschuss       Ausschusses Ausschüsse Ausschüssen
Kunde           Kunden
Name            Namen Namens
Student         Studenten
Mitgliedstaat   Mitgliedstaats Mitgliedstaates Mitgliedstaaten
Abgeordneter    Abgeordnete Abgeordneten Abgeordnetem
Abgeordnete     Abgeordneten Abgeordneter Abgeordnetem
Prüfung         Prüfungen
Vorlage         Vorlagen
Lehrerin        Lehrerinnen
Datei           Dateien
Auto            Autos
Konto           Kontos Konten
Zentrum         Zentrums Zentren
Ergebnis        Ergebnisses Ergebnisse Ergebnissen
Artikel         Artikels Artikeln
Posten          Postens
Eigentum        Eigentums
Mädchen         Mädchens
Häuser          Häusern
Daten
Verkaufslinienvorlage   Verkaufslinienvorlagen
Lymphknotenmetastase    Lymphknotenmetastasen
E-Mail-Adresse          E-Mail-Adressen
Faktura
LKW
GmbH
PowerPoint
S/4HANA
Feedback-
gültig          gültige gültigen gültiger gültiges gültigem
dunkel          dunkle dunklen dunkler dunkles dunklem
cloudbasiert    cloudbasierte cloudbasierten cloudbasierter cloudbasiertes cloudbasiertem
offen           offene offenen offener offenes offenem
heute
sofort
prüfen          prüft geprüft geprüften geprüfte geprüfter prüfte prüften prüfe
verkaufen       verkauft verkauften verkaufte verkaufter verkaufe
anlegen         anlegt angelegt anzulegen angelegten angelegte angelegter anlegte anlegten anlege
schreiben       schreibt geschrieben geschriebenen geschriebene geschriebener schrieb schrieben schreibe
beschließen     beschließt beschlossen beschlossenen beschlossene beschlossener beschloss beschließe
enthalten       enthält enthaltenen enthaltene enthaltener enthielt enthielten enthalte
überprüfen      überprüft überprüften überprüfte überprüfter überprüfe
anerkennen      anerkennt anerkannt anzuerkennen anerkannten anerkannte anerkannter anerkenne
aktivieren      aktiviert aktivierten aktivierte aktivierter aktiviere
öffnen          öffnet geöffnet geöffneten geöffnete geöffneter öffnete öffneten öffne
ernten          erntet geerntet geernteten geerntete geernteter erntete ernteten ernte
sammeln         sammelt gesammelt gesammelten gesammelte gesammelter sammelte sammelten sammle
ändern          ändert geändert geänderten geänderte geänderter änderte änderten ändere
"""


def paradigms(table: str) -> list[tuple[str, str]]:
    rows = [line.partition(" ") for line in table.strip().splitlines()]
    return [(term, expected.strip()) for term, _, expected in rows]


@pytest.mark.parametrize(("term", "expected"), paradigms(ENGLISH))
def test_english_nouns(term: str, expected: str) -> None:
    assert forms(term, "en-GB") == expected


@pytest.mark.parametrize(("verb", "expected"), paradigms(ENGLISH_VERBS))
def test_english_verbs(verb: str, expected: str) -> None:
    assert forms(verb, "en", verb=True) == expected
    assert forms(f"to {verb}", "en") == ", ".join([verb, *expected.split()])


@pytest.mark.parametrize(("term", "expected"), paradigms(GERMAN))
def test_german_words(term: str, expected: str) -> None:
    assert forms(term, "de") == expected


@pytest.mark.parametrize(
    ("term", "language", "expected"),
    [
        ("member of parliament", "en", "members of parliament"),
        ("sales order", "en", "sales orders"),
        ("to stop by", "en", "stop by, stops by, stopped by, stopping by"),
        ("European Union", "en", ""),
        (
            "geistiges Eigentum",
            "de",
            "geistige Eigentum, geistigen Eigentum, geistigem Eigentum, geistigen Eigentums",
        ),
        ("personenbezogene Daten", "de", "personenbezogenen Daten, personenbezogener Daten"),
        ("Vereinte Nationen", "de", "Vereinten Nationen, Vereinter Nationen"),
        (
            "gesetzlicher Vertreter",
            "de",
            "gesetzlichen Vertreter, gesetzliche Vertreter, gesetzlichem Vertreter, gesetzlichen Vertreters, "
            "gesetzlichen Vertretern",
        ),
        (
            "neues elektronisches Gesetz",
            "de",
            "neue elektronische Gesetz, neuen elektronischen Gesetz, neuem elektronischem Gesetz, "
            "neuen elektronischen Gesetzes, neuen elektronischen Gesetze, neue elektronische Gesetze, "
            "neuer elektronischer Gesetze, neuen elektronischen Gesetzen",
        ),
        ("Haus am See", "de", "Hauses am See, Häuser am See, Häusern am See"),
        ("in der Regel", "de", ""),
        ("Datei öffnen", "de", ""),
        ("Datum Kreditlimit", "de", ""),
        ("neue Feedback-", "de", "neuen Feedback-, neuer Feedback-"),
        ("maison", "fr", "maisons"),
        ("droit fondamental", "fr", "droits fondamentaux"),
        ("règlement de la Cour", "fr", "règlements de la Cour"),
        ("prix", "fr", ""),
        ("coração", "pt", "corações"),
        ("direito fundamental", "pt", "direitos fundamentais"),
        ("lege", "ro", ""),
        ("家", "ja", ""),
    ],
)
def test_terms_in_their_languages(term: str, language: str, expected: str) -> None:
    assert forms(term, language) == expected


@pytest.mark.parametrize(
    ("term", "language", "expected"),
    [
        ("Prüfung", "de", ("Prüfungen",)),
        ("Bericht", "de", ()),
        ("house", "en", ("houses",)),
        ("maison", "fr", ()),
    ],
)
def test_without_a_dictionary_only_what_is_sure(term: str, language: str, expected: tuple[str, ...]) -> None:
    assert inflect([term], language) == (term, *expected)


def test_a_dictionary_of_one_s_own() -> None:
    lemmas = TableLemmas({"Wump": "Wump", "Wümpe": "Wump", "Wumps": "Wump", "Wumpe": "Wumpe"})
    assert inflect(["Wump"], "de", lemmas) == ("Wump", "Wumps", "Wümpe")
    assert inflect(["Eiswump"], "de", lemmas) == ("Eiswump", "Eiswumps", "Eiswümpe")


def test_what_is_listed_comes_first_and_forms_are_not_too_many() -> None:
    listed = [f"neues Gesetz{letter}" for letter in "abc"]
    found = inflect([*listed, "to stop"], "de", find_lemmas("de"))
    assert list(found[:4]) == [*listed, "to stop"]
    one = inflect(["allgemeines neues Gesetz"], "de", find_lemmas("de"))
    assert len(one) == len(set(one)) <= MAX_FORMS


@pytest.mark.parametrize(
    ("source", "language", "expected"),
    [("speichern", "de", True), ("to save", "en", True), ("Speicher", "de", False), ("offen", "de", False)],
)
def test_a_source_tells_whether_its_targets_are_verbs(source: str, language: str, expected: bool) -> None:
    pytest.importorskip("simplemma")
    assert is_source_verb(source, language, find_lemmas(language)) is expected


LETTERS = string.ascii_letters + "äöüß'-. 0"
TERMS = st.text(alphabet=LETTERS, min_size=1, max_size=24).map(str.strip).filter(bool)


@given(term=TERMS, language=st.sampled_from(LANGUAGES), verb=st.booleans())
def test_any_term_has_few_distinct_forms_of_as_many_words(term: str, language: str, verb: bool) -> None:
    found = inflect([term], language, find_lemmas(language), verb=verb)
    assert found[0] == term
    assert len(set(found)) == len(found) <= MAX_FORMS + 1
    for form in found:
        assert form.strip() == form
        assert len(form) <= len(term) + 8


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("Handschuhen", "Handschuh"),
        ("Häusern", "Haus"),
        ("Straßen", "Straße"),
        ("Verkaufsaufträgen", "Verkaufsauftrag"),
        ("Commerce-Zentralverwaltungen", "Commerce-Zentralverwaltung"),
        ("roten Kleidern", "roten Kleid"),
        ("Haus", None),
        ("Windows", None),
        ("öffnet", None),
        ("Einzelhandel und Handel", None),
    ],
)
def test_dictionary_forms_of_german_terms(term: str, expected: str | None) -> None:
    pytest.importorskip("simplemma")
    assert base_form(term, "de", find_lemmas("de")) == expected
    assert base_form(term, "en", find_lemmas("en")) is None
    assert base_form(term, "de", None) is None


def test_a_term_in_an_oblique_case_may_have_any_gender() -> None:
    found = forms("roten Kleid", "de").split(", ")
    assert {"rotes Kleid", "rotem Kleid", "roten Kleides", "rote Kleider"} <= set(found)
    assert "rote Kleides" not in found

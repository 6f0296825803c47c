"""Several glossaries in one text, of which the first comes first."""

from lexalign.glossary import Entry, Glossary, Matcher
from lexalign.glossary.matching.layers import LayeredMatcher


def layers(*glossaries: list[Entry]) -> LayeredMatcher:
    return LayeredMatcher([Matcher(Glossary(tuple(entries))) for entries in glossaries])


def found(matcher: LayeredMatcher, text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.text, one.constraint.kind, one.constraint.targets[:1]) for one in matcher.match(text)]


def test_the_first_glossary_decides_and_longer_terms_come_before_shorter_ones() -> None:
    matcher = layers(
        [Entry(source="Haus", targets=("mansion",))],
        [Entry(source="Haus", targets=("house",)), Entry(source="weiße Haus", targets=("White House",))],
    )
    assert found(matcher, "das weiße Haus, ein Haus") == [
        ("weiße Haus", "must", ("White House",)),
        ("Haus", "must", ("mansion",)),
    ]


def test_what_a_later_glossary_avoids_is_avoided_unless_an_earlier_one_wants_it() -> None:
    avoided = [Entry(source="Haus", targets=("house",), policy="avoid")]
    assert found(layers([Entry(source="Haus", targets=("mansion",))], avoided), "ein Haus") == [
        ("Haus", "must", ("mansion",)),
        ("Haus", "avoid", ("house",)),
    ]
    wanted = [Entry(source="Haus", targets=("house",))]
    assert found(layers(wanted, avoided), "ein Haus") == [("Haus", "must", ("house",))]
    assert found(layers(avoided, wanted), "ein Haus") == [("Haus", "avoid", ("house",))]


def test_one_layer_is_its_matcher() -> None:
    entries = [Entry(source="Haus", targets=("house",)), Entry(source="Hund", policy="keep")]
    text = "der Hund im Haus"
    assert layers(entries).match(text) == Matcher(Glossary(tuple(entries))).match(text)

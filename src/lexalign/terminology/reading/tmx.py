"""TMX 1.4: each unit (tu) with a text in both languages; the first of several texts in a language counts."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Place
from lexalign.markup import TaggedText
from lexalign.markup.tagged_text import Tag
from lexalign.memory.tmx_reading import MAX_CHARACTERS, TmxUnit, read_tmx_units
from lexalign.terminology.reading.languages import Languages, is_language
from lexalign.terminology.units import Read, Rejected, Unit
from lexalign.text.languages import primary


def read(path: Path, languages: Languages) -> Iterator[Read]:
    """Languages that are not asked for are those of the header and of the first unit."""
    for unit in read_tmx_units(path):
        languages = _choose(path, unit, languages)
        yield _read(unit, Place(str(path), unit.line), languages)


def _read(unit: TmxUnit, place: Place, languages: Languages) -> Read:
    source, target = (_text_in(unit, wanted) for wanted in (languages.source, languages.target))
    if source is None or target is None:
        return Rejected(f"no text in {languages.source if source is None else languages.target}", place)
    if unit.is_too_long:
        return Rejected(f"over {MAX_CHARACTERS:,} characters", place)
    return Unit(
        _plain(source), _plain(target), place, unit.identifier, _tag_names(source), _tag_names(target)
    )


def _plain(text: TaggedText) -> str:
    return " ".join(text.text.split())


def _tag_names(text: TaggedText) -> tuple[str, ...]:
    return tuple(map(_tag_name, text.tags))


def _tag_name(tag: Tag) -> str:
    """By which both sides are compared; a half without its other half is not the same as the pair."""
    return tag.opening if tag.kind in ("pair", "empty") else f"{tag.opening} {tag.kind}".strip()


def _text_in(unit: TmxUnit, language: str | None) -> TaggedText | None:
    return next((text for code, text in unit.texts.items() if is_language(code, language)), None)


def _choose(path: Path, unit: TmxUnit, asked: Languages) -> Languages:
    """The languages asked for; else the header's source, and the only other one of a unit."""
    source = asked.source or unit.header_language or _first(unit.texts)
    others = [code for code in unit.texts if source is None or primary(code) != primary(source)]
    if asked.target is None and len(others) > 1:
        raise LexalignError(
            f"{path} holds {', '.join(unit.texts)}; choose two of them, as in --from en --to de"
        )
    return Languages(source, asked.target or _first(others))


def _first(codes: Iterable[str]) -> str | None:
    return next(iter(codes), None)

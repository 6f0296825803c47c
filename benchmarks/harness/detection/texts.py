"""Short texts of known languages: words in a row, cut from real sentences.

Two sources are read: files of sentences (`de=FILE`), and the pages of GNOME's help, which many systems have
in twenty languages and more under /usr/share/help, by the package `gnome-user-docs`. Paragraphs that nobody
has translated are left out.
"""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

ORIGINAL = "C"  # the folder of the English pages
CHARACTERS_OF_A_WORD = 2  # in languages without spaces
UNSPACED = ("ja", "zh")
_PARAGRAPH = "{http://projectmallard.org/1.0/}p"
_SHORTEST = 20  # characters of a paragraph: below are mostly names of buttons

Sentences = Mapping[str, list[str]]  # by language


def read_sentences(
    files: Mapping[str, Path], pages: Path | None, languages: list[str]
) -> dict[str, list[str]]:
    found = {name: path.read_text(encoding="utf-8").splitlines() for name, path in files.items()}
    if pages is not None:
        original = set(_paragraphs(pages / ORIGINAL))
        for name in languages:
            folder = pages / {"zh": "zh_CN"}.get(name, name)
            found[name] = [text for text in dict.fromkeys(_paragraphs(folder)) if text not in original]
    return found


def cut(sentences: Sentences, num_words: int, number: int, seed: int) -> dict[str, list[str]]:
    """`number` texts of each language, of so many words each, all with a letter in them."""
    found = {}
    for name, lines in sentences.items():
        chance = random.Random(f"{seed} {name} {num_words}")
        texts: list[str] = []
        while len(texts) < number:
            text = _cut_one(chance.choice(lines), num_words, name in UNSPACED, chance)
            if text is not None:
                texts.append(text)
        found[name] = texts
    return found


def _cut_one(line: str, num_words: int, unspaced: bool, chance: random.Random) -> str | None:
    words: list[str] | str = line if unspaced else line.split()
    size = num_words * CHARACTERS_OF_A_WORD if unspaced else num_words
    if len(words) < size:
        return None
    start = chance.randrange(len(words) - size + 1)
    text = ("" if unspaced else " ").join(words[start : start + size])
    return text if any(map(str.isalpha, text)) else None


def _paragraphs(folder: Path) -> Iterator[str]:
    for page in sorted((folder / "gnome-help").glob("*.page")):
        for element in ElementTree.parse(page).iter(_PARAGRAPH):
            text = " ".join("".join(element.itertext()).split())
            if len(text) > _SHORTEST:
                yield text

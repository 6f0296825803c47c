"""Text of one language and its translation by a model, as the parallel text from which its head learns.

folder/FINGERPRINT.{source,target}          a line for each sentence, the first of them held out
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.data.preparation import file_digest
from lexalign.data.reader import ParallelText, read_lines
from lexalign.models.folder import CONFIG, WEIGHTS
from lexalign.storage import write_text
from lexalign.text.subwords import Languages
from lexalign.translator.options import TranslateOptions
from lexalign.translator.translator import Translator

Say = Callable[[str], None]
_HELD_OUT_SHARE, _MOST_HELD_OUT = 0.05, 500
_MAX_TOKENS = 128  # of a source; longer ones are slow, and teach no more
_OPTIONS = TranslateOptions(beam=1).verbatim()
_SEED = 1


@dataclass(frozen=True, kw_only=True)
class OwnTranslations:
    """Training and held-out text, of which one side is a model's."""

    train: ParallelText
    valid: ParallelText

    def turned(self) -> "OwnTranslations":
        """As parallel text of the other direction."""
        return OwnTranslations(train=_turn(self.train), valid=_turn(self.valid))


def translate_text(
    model: Path,
    text: Sequence[Path],
    folder: Path,
    max_lines: int,
    languages: Languages | None = None,
    *,
    device: str = "auto",
    say: Say = lambda _: None,
) -> OwnTranslations:
    """Translate up to `max_lines` lines from all over the text greedily, unless that is done."""
    made_from = [file_digest(model / CONFIG), file_digest(model / WEIGHTS), *map(file_digest, text)]
    content = f"{made_from} {max_lines} {languages} {_OPTIONS}"
    name = hashlib.sha256(content.encode()).hexdigest()[:16]
    files = {
        (part, side): folder / f"{name}.{part}.{side}"
        for part in ("train", "valid")
        for side in ("source", "target")
    }
    if not all(path.exists() for path in files.values()):
        lines = sample_lines(text, max_lines)
        say(f"translating {len(lines):,} lines by {model.name}")
        pairs = _translate(Translator.load(model, device=device, languages=languages), lines, say)
        num_valid = min(_MOST_HELD_OUT, max(1, round(_HELD_OUT_SHARE * len(pairs))))
        for part, some in (("valid", pairs[:num_valid]), ("train", pairs[num_valid:])):
            for column, side in enumerate(("source", "target")):
                write_text(files[part, side], "".join(f"{pair[column]}\n" for pair in some))
    train, valid = (
        ParallelText(files[part, "source"], files[part, "target"], languages) for part in ("train", "valid")
    )
    return OwnTranslations(train=train, valid=valid)


def join_held_out(parts: Sequence[OwnTranslations], folder: Path) -> ParallelText:
    """The held-out text of all parts as one."""
    if len(parts) == 1:
        return parts[0].valid
    pairs = [pair for part in parts for pair in part.valid.read()]
    sides = [folder / "valid.source", folder / "valid.target"]
    for column, path in enumerate(sides):
        write_text(path, "".join(f"{pair[column]}\n" for pair in pairs))
    return ParallelText(sides[0], sides[1], parts[0].valid.languages)


def sample_lines(text: Sequence[Path], max_lines: int) -> list[str]:
    """Lines that are not empty, in a random order; all are as likely, however many there are."""
    generator = random.Random(_SEED)
    kept: list[str] = []
    for number, line in enumerate(_lines(text)):
        if len(kept) < max_lines:
            kept.append(line)
        elif (place := generator.randrange(number + 1)) < max_lines:
            kept[place] = line
    generator.shuffle(kept)
    if len(kept) < 2:
        raise LexalignError(f"{', '.join(map(str, text))}: at least two lines of text are needed")
    return kept


def _lines(text: Sequence[Path]) -> Iterator[str]:
    return (line for path in text for line in read_lines(path) if line.strip())


def _translate(translator: Translator, lines: Sequence[str], say: Say) -> list[tuple[str, str]]:
    """Without lines that are too long, and without translations that are empty or cut off."""
    short = [line for line in lines if translator.fits(line, _MAX_TOKENS)]
    found = [(one.source, one.text) for one in translator.translate_stream(short, _OPTIONS) if one.complete]
    pairs = [(source, target) for source, target in found if target.strip()]
    if left_out := len(lines) - len(pairs):
        say(f"{left_out:,} lines are left out: too long, or without a whole translation")
    if len(pairs) < 2:
        raise LexalignError("the model translates hardly any line of the text; is it in its language?")
    return pairs


def _turn(text: ParallelText) -> ParallelText:
    assert text.target is not None
    languages = None if text.languages is None else (text.languages[1], text.languages[0])
    return replace(text, source=text.target, target=text.source, languages=languages)

"""Where the files of a bundle are, beside those that every experiment has.

DATA/de-en/NAME.{de,en}               parallel text, and text of one language; see `corpora`
DATA/de-en/valid.{de,en}              held out while training
TESTS/newstest2017.{de,en}, ...       what is measured; see `TEST_SETS`

WORK/de-en/teacher/{forward,backward}     the teacher, where it is trained here
WORK/de-en/distilled/KEY/DIRECTION/       what it has translated, in shards `text.{de,en}`
WORK/de-en/student/KEY/DIRECTION          the student's training, its model with its head in `model`
WORK/de-en/labels/KEY, heads/KEY          word links of the teacher, and the head's training
WORK/de-en/bundled/{de-en,en-de}          the result
"""

from dataclasses import dataclass
from pathlib import Path

from experiments.bundled_models.corpora import Corpora, find_corpora
from experiments.bundled_models.settings import BundleSetting
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import UnavailableError
from experiments.paper.pipeline.workspace import Workspace
from lexalign.data.reader import ParallelText

# The names of test sets, and of their files by language.
TEST_SETS = {
    "newstest2017": "newstest2017.{short}",
    "multi30k test_2016_flickr": "test_2016_flickr.{short}",
    "flores101 devtest": "flores101.{long}.devtest",
    "manuals": "docs.{short}",
}
_LONG = {"de": "deu", "en": "eng", "fr": "fra", "hi": "hin", "ja": "jpn", "ro": "ron"}


@dataclass(frozen=True, kw_only=True)
class BundleWorkspace(Workspace):
    setting: BundleSetting
    tests: Path
    given_teachers: Path | None = None  # a folder of model folders, de-en and en-de

    @property
    def corpora(self) -> Corpora:
        return find_corpora(self.data, self.pair.languages("forward"))

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The directions that this command works on."""
        return DIRECTIONS if self.only is None else (self.only,)

    def name(self, direction: Direction) -> str:
        return "-".join(self.pair.languages(direction))

    def teacher(self, direction: Direction) -> Path:
        if self.given_teachers is not None:
            return self.given_teachers / self.name(direction)
        return self.folder / "teacher" / direction / "model"

    def student(self, direction: Direction) -> Path:
        return self.folder / str(self.result("student")[direction]["folder"]) / "model"

    def bundled(self, direction: Direction) -> Path:
        return self.folder / "bundled" / self.name(direction)

    def test_sets(self, direction: Direction) -> dict[str, ParallelText]:
        """The held-out text, and the test sets that are there."""
        found = {"held out": self.text("valid", direction)}
        for name, pattern in TEST_SETS.items():
            source, target = (
                self.tests / pattern.format(short=language, long=_LONG.get(language, language))
                for language in self.pair.languages(direction)
            )
            if source.is_file() and target.is_file():
                found[name] = ParallelText(source, target)
            else:
                self.say(f"{name}: left out, there is no {source}")
        return found

    def require_both(self, done: dict[Direction, bool]) -> None:
        """Stop a stage that another command has not done for its direction."""
        waiting = [direction for direction in DIRECTIONS if not done[direction]]
        if waiting:
            raise UnavailableError(f"the direction {waiting[0]} is not done yet")

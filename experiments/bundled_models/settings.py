"""How large everything is: the models, the text that they learn from, and the same for a laptop."""

from dataclasses import dataclass, replace
from pathlib import Path

from experiments.bundled_models.mixture_recipe import MixtureRecipe
from experiments.paper.pipeline.pairs import TINY
from lexalign.training.heads.options import HeadOptions
from lexalign.training.recipe import Recipe

HERE = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class BundleSetting:
    """Shares and repeats make up the text of a student that has a teacher; see `mixture`. Without one,
    `mixture` says what it learns from."""

    teacher: Recipe
    student: Recipe
    teacher_heads: HeadOptions
    student_heads: HeadOptions
    mixture: MixtureRecipe | None = None  # in place of a teacher
    limit: int | None = None  # the most sentences that the teacher translates, for each direction
    beam: int = 1  # the teacher's beam size
    batch_tokens: int | None = None  # tokens that the teacher translates together
    shard: int = 20_000  # sentences that are translated, or aligned, before they are saved
    repeats: int = 4  # copies of every parallel corpus but the largest
    original_share: float = 0.25  # of the largest corpus as people wrote it
    label_pairs: int = 200_000  # pairs that the teacher aligns
    align_tokens: int = 16_384  # tokens that it aligns together
    test_beam: int = 5
    workers: int | None = None  # processes on a CPU; None: one for each core
    seed: int = 1


def full_size(teacher: Path | None = None, student: Path | None = None) -> BundleSetting:
    """The setting with the recipes of these files, or those beside this module."""
    return BundleSetting(
        teacher=Recipe.read(teacher or HERE / "teacher.toml"),
        student=Recipe.read(student or HERE / "student.toml"),
        teacher_heads=HeadOptions(batch_tokens=9_000, updates=10_000),
        student_heads=HeadOptions(batch_tokens=18_000, updates=2_000),
        batch_tokens=32_768,
    )


def tiny_size() -> BundleSetting:
    """A setting that takes two minutes on two cores."""
    recipe, heads = TINY.recipe, replace(TINY.heads, kinds=("post-aln",))
    return BundleSetting(
        teacher=recipe,
        student=replace(recipe, model=recipe.model | {"decoder_layers": 2}),
        teacher_heads=heads,
        student_heads=heads,
        shard=500,
        repeats=2,
        original_share=0.5,
        label_pairs=1_000,
        align_tokens=2_000,
        test_beam=2,
        workers=1,
    )


def without_teacher(setting: BundleSetting, mixture: Path | None = None) -> BundleSetting:
    """Students that learn from what people wrote; each other's attention, then each other's heads, and the
    statistics of the text teach their heads."""
    heads = replace(setting.student_heads, rounds=2, second_opinion=True)
    return replace(setting, mixture=MixtureRecipe.read(mixture or HERE / "mixture.toml"), student_heads=heads)

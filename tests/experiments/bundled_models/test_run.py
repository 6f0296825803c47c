"""The making of bundled models on synthetic text, from corpora to int8 folders with their cards."""

import json
import signal
import threading
from argparse import Namespace
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from experiments.bundled_models.__main__ import main, open_workspace, run_stages
from experiments.bundled_models.corpora import find_corpora, sentences_to_translate
from experiments.bundled_models.mixture import distilled_texts, original_texts, shards
from experiments.bundled_models.settings import BundleSetting, full_size, tiny_size, without_teacher
from experiments.bundled_models.stages import STAGES
from experiments.bundled_models.stages.labels import label_shards
from experiments.bundled_models.teacher_links import TeacherLinks, carry_spans
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS
from lexalign.data.reader import read_lines
from lexalign.models.config import ModelConfig
from lexalign.models.folder import stored_precision
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.translator import TranslateOptions, Translator, WordAligner
from lexalign.translator.word_aligner import read_words


def smallest() -> BundleSetting:
    setting = tiny_size()
    training = replace(setting.teacher.training, updates=110, batch_tokens=300, validate_every=55)
    heads = replace(setting.teacher_heads, updates=20)
    return replace(
        setting,
        teacher=replace(setting.teacher, training=training),
        student=replace(setting.student, training=training),
        teacher_heads=heads,
        student_heads=heads,
        limit=450,
        shard=200,
        label_pairs=300,
    )


def opened(work: Path, setting: BundleSetting, teachers: Path | None = None) -> BundleWorkspace:
    options = Namespace(
        pair="de-en", tiny=True, work=work, device="cpu", only=None, teachers=teachers, tests=None
    )
    return open_workspace(setting, options)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> BundleWorkspace:
    torch.set_num_threads(1)
    workspace = opened(tmp_path_factory.mktemp("bundle"), smallest())
    run_stages(workspace, list(STAGES))
    return workspace


def test_the_result_is_two_folders_that_translate(workspace: BundleWorkspace) -> None:
    for direction, name in zip(DIRECTIONS, ("de-en", "en-de"), strict=True):
        folder = workspace.folder / "bundled" / name
        assert folder == workspace.bundled(direction)
        assert stored_precision(folder) == "int8"
        translator = Translator.load(folder, device="cpu")
        text = next(workspace.text("valid", direction).read())[0]
        found = translator.translate(text, TranslateOptions(align="post-aln"))
        assert found.text
        assert found.links


def test_the_card_tells_origin_licence_and_figures(workspace: BundleWorkspace) -> None:
    card = (workspace.bundled("forward") / "README.md").read_text(encoding="utf-8")
    assert card.startswith("# German to English\n")
    assert "Apache licence 2.0" in card
    assert "| everyday | written by a program |" in card
    figure = workspace.result("measure")["directions"]["forward"]["held out"]["teacher"]["BLEU"]["value"]
    assert f"| held out | 150 | {figure:.1f} |" in card
    results = json.loads((workspace.folder / "bundled" / "results.json").read_text(encoding="utf-8"))
    assert results["measure"]["result"] == workspace.result("measure")
    assert set(results["measure"]["result"]["directions"]["backward"]) == {"held out", "newstest2017"}


def test_what_is_done_is_not_done_again(workspace: BundleWorkspace) -> None:
    before = len(workspace.logged())
    run_stages(workspace, list(STAGES))
    assert len(workspace.logged()) == before


def test_a_student_learns_from_both_teachers_and_from_people(workspace: BundleWorkspace) -> None:
    everyday = workspace.data / "everyday.de"
    for direction in DIRECTIONS:
        source, target = workspace.pair.languages(direction)
        distilled = distilled_texts(workspace, direction)
        assert len(distilled) == 6  # 450 sentences in shards of 200, of each direction
        kept = sum(workspace.result("distil")[way]["kept"] for way in DIRECTIONS)
        assert 0 < kept == sum(1 for text in distilled for _ in text.read()) <= 900
        assert all(text.source.suffix == f".{source}" for text in distilled)
        originals = original_texts(workspace, direction)
        assert [text.source.stem for text in originals] == ["everyday", "everyday", "text"]
        largest = sum(1 for _ in originals[-1].read())
        assert largest == pytest.approx(workspace.result("prepare")["corpora"]["train"][target] / 2, rel=0.1)
    assert everyday.exists()


def test_a_higher_limit_keeps_what_is_translated(workspace: BundleWorkspace) -> None:
    more = replace(workspace, setting=replace(workspace.setting, limit=800))
    before, after = (shards(one, "forward") for one in (workspace, more))
    assert before[:2] == after[:2]
    assert [len(lines) for _, lines in after] == [200] * 4
    assert all(folder.exists() for folder, _ in before)
    another = replace(workspace, setting=replace(workspace.setting, beam=2))
    assert shards(another, "forward")[0][0] != before[0][0]


def test_labels_are_links_of_the_student_s_subwords(workspace: BundleWorkspace) -> None:
    lines = [
        len((shard / name).read_text(encoding="utf-8").splitlines())
        for shard in label_shards(workspace)
        for name in ("text.de", "text.en", "links")
    ]
    assert sum(lines) == 3 * 300
    tokenizer = Tokenizer.load(workspace.tokenizer)
    shard = label_shards(workspace)[0]
    texts = (read_lines(shard / name) for name in ("text.de", "text.en", "links"))
    for source, target, links in islice(zip(*texts, strict=True), 50):
        points = [tuple(map(int, link.split("-"))) for link in links.split()]
        assert all(s < len(tokenizer.encode(source)) and t < len(tokenizer.encode(target)) for s, t in points)


def test_links_are_those_of_the_teachers_aligners(workspace: BundleWorkspace) -> None:
    """In the teachers' own vocabulary: the words that they link on average, each subword by its best."""
    folders = workspace.teacher("forward"), workspace.teacher("backward")
    pairs = list(islice(workspace.text("valid").read(), 12))
    tokenizer = Tokenizer.load(folders[0] / "tokenizer.model")
    found = TeacherLinks.load(*folders, tokenizer, device="cpu").align(pairs, batch_tokens=200)
    assert any(found)
    ahead, back = (WordAligner.load(folder, "post-aln", device="cpu") for folder in folders)
    for (source, target), points in zip(pairs, found, strict=True):
        words = read_words(source), read_words(target)
        (forward,), (backward,) = ahead.align([words]), back.align([words[::-1]])
        sources, targets = (_words_of(tokenizer, text) for text in (source, target))
        first = forward.subwords.probabilities[:, : len(sources)].numpy()  # (T, S)
        second = backward.subwords.probabilities[:, : len(targets)].numpy()  # (S, T)
        both = first + second.T
        linked = np.zeros_like(both, dtype=bool)
        for t, s in np.ndindex(both.shape):
            rows, columns = targets == targets[t], sources == sources[s]
            masses = first[rows][:, columns].sum(axis=1).max(), second[columns][:, rows].sum(axis=1).max()
            linked[t, s] = sum(masses) / 2 >= 0.5
        likely = np.where(linked, both, 0.0)
        best = (likely == likely.max(axis=1, keepdims=True)) | (likely == likely.max(axis=0))
        assert points == sorted((int(s), int(t)) for t, s in zip(*np.nonzero(linked & best), strict=True))


def _words_of(tokenizer: Tokenizer, text: str) -> NDArray[np.int64]:
    """The number of each subword's word."""
    begins = ~word_continuation_mask(tokenizer)[tokenizer.encode_with_offsets(text).ids]
    return np.cumsum(begins.numpy())


def test_a_given_teacher_is_taken(workspace: BundleWorkspace, tmp_path: Path) -> None:
    teachers = tmp_path / "teachers"
    teachers.mkdir()
    for direction in DIRECTIONS:
        (teachers / workspace.name(direction)).symlink_to(workspace.teacher(direction))
    given = opened(tmp_path / "work", smallest(), teachers)
    run_stages(given, ["prepare", "teacher", "teacher-heads"])
    assert given.result("teacher")["forward"]["given"]
    assert not given.result("teacher-heads")["trained"]
    assert not (given.folder / "teacher").exists()


def test_one_direction_at_a_time(workspace: BundleWorkspace, tmp_path: Path) -> None:
    """The first command cannot finish a stage alone; the second does."""
    folders = {direction: workspace.teacher(direction) for direction in DIRECTIONS}
    (tmp_path / "teachers").mkdir()
    for direction, folder in folders.items():
        (tmp_path / "teachers" / workspace.name(direction)).symlink_to(folder)
    given = opened(tmp_path / "work", replace(smallest(), limit=60), tmp_path / "teachers")
    names = ["prepare", "teacher", "distil"]
    run_stages(replace(given, only="forward"), names)
    assert given.found("distil") is None
    assert shards(given, "forward")[0][0].exists()
    run_stages(replace(given, only="backward"), names)
    assert given.found("distil") is not None


@pytest.fixture(scope="module")
def taught_by_text(tmp_path_factory: pytest.TempPathFactory) -> BundleWorkspace:
    torch.set_num_threads(1)
    workspace = opened(tmp_path_factory.mktemp("mixed"), without_teacher(smallest()))
    run_stages(workspace, list(STAGES))
    return workspace


def test_without_a_teacher_the_result_is_two_folders_too(taught_by_text: BundleWorkspace) -> None:
    for direction in DIRECTIONS:
        translator = Translator.load(taught_by_text.bundled(direction), device="cpu")
        text = next(taught_by_text.text("valid", direction).read())[0]
        found = translator.translate(text, TranslateOptions(align="post-aln"))
        assert found.text
        assert found.links
    assert not (taught_by_text.folder / "teacher").exists()
    assert not (taught_by_text.folder / "distilled").exists()


def test_without_a_teacher_the_card_has_figures_of_the_student_alone(taught_by_text: BundleWorkspace) -> None:
    rows = taught_by_text.result("measure")["directions"]["backward"]
    assert set(rows["held out"]) == {"sentences", "student", "student in int8"}
    card = (taught_by_text.bundled("backward") / "README.md").read_text(encoding="utf-8")
    figures = [rows["held out"][system]["BLEU"]["value"] for system in ("student", "student in int8")]
    assert f"| held out | 150 | {figures[0]:.1f} | {figures[1]:.1f} |" in card
    assert "--no-teacher" in card
    assert "teacher (width" not in card


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    texts = {
        "train.de": ["eins", "zwei", "drei", "vier", "", "eins", "x" * 50],
        "train.en": ["one", "two", "three", "four", "", "one", "y"],
        "small.de": ["zwei", "fünf"],
        "small.en": ["two", "five"],
        "news.en": ["six"],
        "valid.de": ["sieben"],
        "valid.en": ["seven"],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_sentences_come_once_and_the_largest_corpus_last(corpora: Path) -> None:
    found = find_corpora(corpora, ("de", "en"))
    assert [corpus.name for corpus in found.parallel] == ["small", "train"]
    assert [corpus.name for corpus in found.alone] == ["news"]
    german = sentences_to_translate(found, "de", limit=None, max_bytes=20, seed=1)
    assert set(german[:2]) == {"zwei", "fünf"}
    assert set(german[2:]) == {"eins", "drei", "vier"}
    assert len(german) == 5
    english = sentences_to_translate(found, "en", limit=None, max_bytes=20, seed=1)
    assert english[0] == "six"
    assert sentences_to_translate(found, "en", limit=3, max_bytes=20, seed=1) == english[:3]


def test_links_go_by_characters() -> None:
    teacher = [(0, 3), (3, 9), (9, 14)]  # Aus schuss ␣tagt
    student = [(0, 9), (9, 12), (12, 14)]  # Ausschuss ␣ta gt
    assert carry_spans(teacher, student) == [range(1), range(1), range(1, 3)]
    assert carry_spans(student, teacher) == [range(2), range(2, 3), range(2, 3)]
    assert carry_spans([(0, 1)], [(0, 1), (0, 1), (0, 1)]) == [range(3)]  # a character of three bytes
    assert list(carry_spans([(4, 4), (2, 3)], [(0, 2)])) == [range(0), range(0)]


def test_the_student_has_about_16_million_parameters() -> None:
    recipe = full_size().student
    with torch.device("meta"):
        model = Transformer(recipe.model_config(recipe.tokenizer.vocabulary_size))
    assert isinstance(model.config, ModelConfig)
    assert 15.5e6 < sum(parameter.numel() for parameter in model.parameters()) < 16.5e6


def test_missing_data_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--data", str(tmp_path), "--work", str(tmp_path / "work"), "--device", "cpu"]
    assert main(arguments) == 2
    assert "valid.de is missing" in capsys.readouterr().err


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals")
def test_it_stops_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        arguments = ["--tiny", "--work", str(tmp_path), "--device", "cpu", "--minutes", "0.03"]
        assert main(arguments) == 130
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert "run it again to go on" in capsys.readouterr().err
    log = (tmp_path / "tiny-de-en" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert not json.loads(log[-1])["finished"]

"""Teachers, students and the judgement of held-out text, one by one."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
import torch
from head_runs import School, files_of, head

from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.formats.link_table import LinkTable
from lexalign.alignment.head_files import HeadSettings
from lexalign.alignment.learned import HEADS, PosteriorHead
from lexalign.alignment.symmetrization import symmetrize
from lexalign.contracts.alignment import Delay, ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import START
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import prepare
from lexalign.data.reader import ParallelText
from lexalign.models.folder import load_model
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.saved_heads import SavedHead
from lexalign.training.heads.students import Student, enrol
from lexalign.training.heads.teachers import AgreedTeacher, MutualTeacher, TableTeacher, links_of
from lexalign.training.heads.trainer import Classroom, HeadRun, HeadTrainer, learning_rate
from lexalign.training.heads.validation import HeldOut
from lexalign.training.heads.views import Onlookers, PairBatch


@pytest.fixture
def held_out(first_school: School, tmp_path: Path) -> tuple[HeldOut, Onlookers]:
    forward, tokenizer = load_model(first_school.forward)
    backward, _ = load_model(first_school.backward)
    text = ParallelText(first_school.folder / "valid.tsv")
    store, _ = prepare(text, tokenizer, FilterOptions(), tmp_path / "store")
    onlookers = Onlookers(forward, backward)
    return HeldOut(onlookers, store, 200), onlookers


@pytest.fixture
def batch(held_out: tuple[HeldOut, Onlookers]) -> PairBatch:
    return next(iter(held_out[0]._look({0, 1}, {0, 1})))


def test_two_aligners_label_what_their_links_grow_to(batch: PairBatch) -> None:
    forward, backward = ShiftedAttention(layer=1), NaiveAttention(layer=0)
    teacher = MutualTeacher(forward=forward, backward=backward, method="union")
    assert (teacher.forward_layers, teacher.backward_layers) == ({1}, {0})
    ahead = links_of(forward, batch.forward)
    back = links_of(backward, batch.backward).transpose(1, 2)
    assert torch.equal(teacher.label(batch), ahead | back)
    grown = MutualTeacher(forward=forward, backward=backward, method="grow-diag").label(batch)
    assert torch.equal(grown, symmetrize(ahead, back, "grow-diag"))
    assert not torch.equal(grown, ahead | back)


@dataclass(frozen=True)
class _Diagonal:
    """The token at a place comes from the source's token there, or else from the last of all."""

    layer: int
    delay: Delay = 0
    threshold: float = 0.0
    signature: str = "diagonal"
    sure: float = 0.9

    def align(self, forced: ForcedTarget) -> torch.Tensor:
        ends = forced.source.mask.sum(dim=1, keepdim=True) - 1
        place = torch.arange(forced.token_ids.shape[1]).expand_as(forced.token_ids).minimum(ends)
        peaks = torch.nn.functional.one_hot(place, forced.source_ids.shape[1]).float()
        return self.sure * peaks + (1 - self.sure) * forced.source.mask[:, None] / (ends[:, :, None] + 1)


def test_probabilities_label_words_and_what_comes_from_nothing(batch: PairBatch) -> None:
    forward, backward = _Diagonal(layer=1), _Diagonal(layer=0)
    view, mirrored = batch.forward[1], batch.backward[0]
    continuing = torch.zeros(int(view.source_ids.max()) + 1000, dtype=torch.bool)
    teacher = AgreedTeacher(forward=forward, backward=backward, continuing=continuing)
    labels = teacher.label(batch)
    # Every token is a word here.
    mean = (forward.align(view) + backward.align(mirrored).transpose(1, 2)) / 2
    linked = (mean >= 0.5) & view.target_content[:, :, None] & view.source_content[:, None]
    for row, (source_ids, target_ids) in enumerate(zip(view.source_ids, view.token_ids, strict=True)):
        source_end, target_end = ((ids == 1).nonzero()[-1, 0] for ids in (source_ids, target_ids))
        for target in range(int(target_end)):
            if linked[row, target].any():
                wanted = 2 * mean[row, target] * linked[row, target]
            else:
                wanted = torch.nn.functional.one_hot(source_end, len(source_ids)).float()
            torch.testing.assert_close(labels[row, target], wanted)
        unlinked = ~linked[row].any(dim=0) & view.source_content[row]
        assert torch.equal(labels[row, target_end] > 0, unlinked)
        assert not labels[row, target_end + 1 :].any()
    assert linked.any()
    assert not linked.all(dim=0).all()


def test_a_second_opinion_is_a_third_voice_where_it_has_links(batch: PairBatch) -> None:
    """There the directions need not be as sure as they must be alone."""
    view, mirrored = batch.forward[1], batch.backward[0]
    continuing = torch.zeros(int(view.source_ids.max()) + 1000, dtype=torch.bool)
    forward, backward = _Diagonal(layer=1, sure=0.4), _Diagonal(layer=0, sure=0.9)
    both = {"forward": forward, "backward": backward, "continuing": continuing}
    table = TableTeacher(table=LinkTable.from_sentences([[(0, 0), (0, 1)] for _ in range(40)]))
    labels = AgreedTeacher(**both, second_opinion=table).label(batch)
    opinion = torch.zeros_like(labels)
    opinion[:, :2, 0] = 1
    sums = forward.align(view) + backward.align(mirrored).transpose(1, 2)
    inside = view.target_content[:, :, None] & view.source_content[:, None]
    linked = ((sums / 2 >= 0.5) | (((sums + opinion) / 3 >= 0.5) & (opinion > 0))) & inside
    assert torch.equal((labels > 0) & inside, linked)
    torch.testing.assert_close(labels[linked], (sums + opinion)[linked])
    unsure = {**both, "backward": _Diagonal(layer=0, sure=0.3)}
    alone = AgreedTeacher(**unsure).label(batch)
    advised = AgreedTeacher(**unsure, second_opinion=table).label(batch)
    gained = ((advised > 0) & ~(alone > 0) & inside).nonzero()[:, 1:]
    assert {tuple(point) for point in gained.tolist()} == {(0, 0)}


def test_subwords_of_a_second_opinion_speak_for_their_words(batch: PairBatch) -> None:
    """Two links into one word are no louder than one."""
    view = batch.forward[1]
    continuing = torch.ones(int(view.source_ids.max()) + 1000, dtype=torch.bool)  # all is one word
    both = {"forward": _Diagonal(layer=1), "backward": _Diagonal(layer=0), "continuing": continuing}
    one, two = (
        AgreedTeacher(
            **both, second_opinion=TableTeacher(table=LinkTable.from_sentences([points] * 40))
        ).label(batch)
        for points in ([(0, 0)], [(0, 0), (1, 0)])
    )
    assert torch.equal(one > 0, two > 0)


@dataclass(frozen=True, kw_only=True)
class _Wavering(_Diagonal):
    """Less sure of every third token, and then mistaken: it seems to come from the token before."""

    mistaken: float

    def align(self, forced: ForcedTarget) -> torch.Tensor:
        found = super().align(forced)
        astray = self.mistaken * found.roll(-1, dims=2)
        unsure = torch.arange(found.shape[1])[:, None] % 3 == 1
        return torch.where(unsure, astray, found)


def test_thresholds_are_those_whose_links_come_nearest_to_the_teachers(
    held_out: tuple[HeldOut, Onlookers],
) -> None:
    found, onlookers = held_out
    continuing = torch.zeros(onlookers.forward.config.vocabulary_size, dtype=torch.bool)
    continuing[::3] = True
    aligners = _Wavering(layer=1, mistaken=0.6), _Wavering(layer=0, mistaken=0.3)
    teacher = MutualTeacher(forward=_Diagonal(layer=1), backward=_Diagonal(layer=1), method="union")
    levels = (0.0, 0.2, 0.4, 0.5, 0.7, 0.95)
    nearest = [_nearest(found, side, aligners[side], teacher, continuing, levels) for side in (0, 1)]
    ahead, back = found.choose_thresholds(aligners[:1] * 2, aligners[1:], teacher, continuing, levels)
    assert (ahead, back) == (nearest[:1] * 2, nearest[1:])
    assert 0 < nearest[1] < nearest[0]


def _nearest(
    held_out: HeldOut,
    side: int,
    aligner: _Diagonal,
    teacher: MutualTeacher,
    continuing: torch.Tensor,
    levels: tuple[float, ...],
) -> float:
    """The level of the best F-measure, counted word by word."""
    rates = {level: [0, 0, 0] for level in levels}
    for batch in held_out._look({0, 1}, {0, 1}):
        labels = teacher.label(batch)
        views, wanted = ((batch.forward, labels), (batch.backward, labels.transpose(1, 2)))[side]
        view = views[aligner.layer]
        probabilities = aligner.align(view)
        for row in range(len(wanted)):
            counted = _count_words(view, probabilities, wanted, row, continuing, levels)
            rates = {
                level: [a + b for a, b in zip(rates[level], counted[level], strict=True)] for level in levels
            }
    return max(levels, key=lambda level: (2 * rates[level][0] / (rates[level][1] + rates[level][2]), -level))


def _count_words(
    view: ForcedTarget,
    probabilities: torch.Tensor,
    wanted: torch.Tensor,
    row: int,
    continuing: torch.Tensor,
    levels: tuple[float, ...],
) -> dict[float, list[int]]:
    """Links that both have, that are found, and that are wanted."""
    sources = _tokens_of_words(view.source_ids[row], view.source_content[row], continuing)
    targets = _tokens_of_words(view.token_ids[row], view.target_content[row], continuing)
    inside = [token for word in sources for token in word]
    best = [max(inside, key=probabilities[row, place].__getitem__) for place in range(len(wanted[row]))]
    masses, labelled = {}, set()
    for s, source in enumerate(sources):
        for t, target in enumerate(targets):
            if any(best[place] in source for place in target):
                masses[s, t] = max(float(probabilities[row, place, source].sum()) for place in target)
            if any(wanted[row, place, token] for place in target for token in source):
                labelled.add((s, t))
    counted = {}
    for level in levels:
        links = {link for link, mass in masses.items() if mass >= level}
        counted[level] = [len(links & labelled), len(links), len(labelled)]
    return counted


def _tokens_of_words(ids: torch.Tensor, content: torch.Tensor, continuing: torch.Tensor) -> list[list[int]]:
    words: list[list[int]] = []
    for place in content.nonzero()[:, 0].tolist():
        if words and continuing[ids[place]]:
            words[-1].append(place)
        else:
            words.append([place])
    return words


def test_directions_are_compared_above_their_thresholds(held_out: tuple[HeldOut, Onlookers]) -> None:
    found, onlookers = held_out
    continuing = torch.zeros(onlookers.forward.config.vocabulary_size, dtype=torch.bool)
    sure, wavering = _Diagonal(layer=1), _Wavering(layer=0, mistaken=0.3)
    teams = [(sure, _Diagonal(layer=0)), *[(sure, wavering)] * 3]
    levels = [(0.0, 0.0), (0.0, 0.0), (0.0, 0.5), (0.0, 0.95)]
    same, everything, probable, nothing = found.agreements_above(teams, levels, continuing)
    assert same == 0 < probable < everything < nothing == 1


def test_a_table_labels_by_rows_in_either_direction(batch: PairBatch) -> None:
    table = LinkTable.from_sentences([[(row % 3, row % 2)] for row in range(40)])
    links = TableTeacher(table=table).label(batch)
    view = batch.forward[0]
    assert links.shape == (len(batch.rows), view.token_ids.shape[1], view.source_ids.shape[1])
    assert [tuple(found) for found in links.nonzero()[:, 1:].tolist()] == [
        (row % 2, row % 3) for row in batch.rows
    ]
    only_backward = PairBatch(rows=batch.rows, forward={}, backward=batch.backward)
    assert torch.equal(TableTeacher(table=table).label(only_backward), links)


@pytest.mark.parametrize("kind", HEADS)
def test_a_student_learns_what_its_aligner_says(
    held_out: tuple[HeldOut, Onlookers], batch: PairBatch, kind: str
) -> None:
    student = Student(held_out[1].forward, kind, 1, 4)
    view = batch.forward[1]
    with torch.no_grad():
        learnt = student.log_probabilities(view).exp()
    torch.testing.assert_close(learnt, student.aligner().align(view))


def test_a_student_of_both_directions_learns_from_the_mean_over_all_its_tokens(
    held_out: tuple[HeldOut, Onlookers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, store = held_out[1].forward, held_out[0]._store
    onlookers = Onlookers(model, model)
    student = Student(model, "post-aln", 1, 4)
    teacher = TableTeacher(table=LinkTable.from_sentences([[(0, 0), (1, 2)]] * 40))
    classroom = Classroom(forward={"post-aln": student}, backward={"post-aln": student})
    run = HeadRun(folder=tmp_path, name="heads-1", signature="")
    trainer = HeadTrainer(
        onlookers, classroom, teacher, store, HeadOptions(updates=1, batch_tokens=200, log_every=1), run
    )
    learnt: list[torch.Tensor] = []
    monkeypatch.setattr(
        trainer._optimizer,
        "step",
        lambda: learnt.extend(weight.grad.clone() for weight in student.parameters()),
    )
    trainer.train()

    onlookers.forward_layers = onlookers.backward_layers = {1}
    batch = next(iter(trainer._plan.iterate_groups(START, 1)))[1][0]
    (_, tokens) = next(iter(onlookers.read(store, [batch])))
    views = onlookers.look(tokens, batch.rows.tolist())
    labels = teacher.label(views)
    ahead, back = student.loss(views.forward, labels), student.loss(views.backward, labels.transpose(1, 2))
    student.zero_grad()
    ((ahead[0] + back[0]) / (ahead[1] + back[1])).backward()
    for found, weight in zip(learnt, student.parameters(), strict=True):
        torch.testing.assert_close(found, weight.grad)
    assert ahead[1] > 0
    assert back[1] > 0


def test_students_go_on_from_saved_heads_of_their_shape(held_out: tuple[HeldOut, Onlookers]) -> None:
    model = held_out[1].forward
    saved = {"post-aln": SavedHead(head=PosteriorHead(16, 4), settings=HeadSettings(layer=1))}

    def goes_on(**changes: object) -> bool:
        student = enrol(model, HeadOptions(**changes), saved)["post-aln"]
        return torch.equal(student.head.key.weight, saved["post-aln"].head.key.weight)

    assert goes_on()
    assert goes_on(layer=1, heads=4)
    assert not goes_on(layer=0)
    assert not goes_on(heads=2)
    assert enrol(model, HeadOptions(), saved)["post-aln"].layer == 1
    assert enrol(model, HeadOptions(), {})["post-aln"].layer == 0


def test_both_kinds_of_attention_are_compared_in_one_look(
    held_out: tuple[HeldOut, Onlookers], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, onlookers = held_out
    looks = []
    plain = Onlookers.look
    monkeypatch.setattr(Onlookers, "look", lambda *given: looks.append(given[2]) or plain(*given))
    tables = judge.choose_layers()
    assert sorted(row for rows in looks for row in rows) == list(range(40))
    for method, kind in (("shift-att", ShiftedAttention), ("naive-att", NaiveAttention)):
        for row in (0, 1):
            for column in (0, 1):
                (alone,) = judge.agreements([([kind(layer=row)], [kind(layer=column)])])
                assert tables[method].aer[row][column] == alone.aer[0][0]
    assert tables["shift-att"] != tables["naive-att"]
    assert onlookers.backward is not None


def test_the_single_heads_that_agree_best_are_found(held_out: tuple[HeldOut, Onlookers]) -> None:
    judge, onlookers = held_out
    chosen, aer = judge.choose_heads()
    places = list(product(range(2), range(onlookers.forward.config.decoder_heads)))
    found = {}
    for ahead, back in product(places, places):
        team = [[ShiftedAttention(layer=layer, head=head)] for layer, head in (ahead, back)]
        (table,) = judge.agreements([(team[0], team[1])])
        found[ahead, back] = table.aer[0][0]
    assert aer == min(found.values()) == found[tuple(chosen.places)]
    assert max(found.values()) > aer


def test_the_learning_rate_rises_and_comes_to_rest() -> None:
    options = HeadOptions(updates=100, warmup=10, learning_rate=1.0)
    rates = [learning_rate(update, options) for update in range(1, 101)]
    assert rates[0] == 0.1
    assert max(rates) == rates[9]
    assert rates[-1] == pytest.approx(0.01)
    assert learning_rate(1, HeadOptions(updates=10, warmup=0, learning_rate=1.0)) == 1.0


def test_students_taught_together_learn_what_they_learn_alone(school: School, tmp_path: Path) -> None:
    school.train(tmp_path / "alone", label_layers=(0, 0))
    alone = head(school.forward)
    school.train(tmp_path / "together", label_layers=(0, 0), kinds=("post-aln", "prior-att"))
    for name, value in head(school.forward).items():
        torch.testing.assert_close(value, alone[name])


def test_frozen_models_stay_as_they_are(school: School, tmp_path: Path) -> None:
    before = files_of(school.forward)
    school.train(tmp_path / "run")
    after = files_of(school.forward)
    assert {path: after[path] for path in before} == before


def test_a_loss_that_is_no_number_ends_the_run(school: School, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"not a number at update .*; lower the learning rate"):
        school.train(tmp_path / "run", learning_rate=1e38)
    assert not (school.forward / "post-aln.json").exists()

"""The job queue: no job is lost or doubled, the oldest is always in the next batch, and batches fit."""

from hypothesis import given
from hypothesis import strategies as st

from lexalign.decoding.options import SearchOptions
from lexalign.server.batching.queue import Job, JobQueue
from lexalign.server.batching.work import AlignWork, SearchWork, StreamWork, Work
from lexalign.translator import ConstraintOptions, SearchPlan


def search_work(beam: int) -> SearchWork:
    plan = SearchPlan(search=SearchOptions(beam=beam), constraints=ConstraintOptions())
    return SearchWork(model="de-en", plan=plan)


WORKS: list[Work] = [search_work(5), search_work(2), AlignWork(model="de-en", method="post-aln")]


def job(length: int, work: Work = WORKS[0]) -> Job:
    return Job(work=work, payload=str(length), length=length)


@given(
    steps=st.lists(
        st.one_of(
            st.lists(
                st.tuples(st.integers(1, 60), st.sampled_from(range(len(WORKS)))), min_size=1, max_size=8
            ),
            st.tuples(st.integers(1, 200), st.integers(1, 4)),
            st.integers(0, 30),
        ),
        max_size=30,
    )
)
def test_against_a_plain_list(steps: list[list[tuple[int, int]] | tuple[int, int] | int]) -> None:
    queue = JobQueue()
    waiting: list[Job] = []
    for now, step in enumerate(steps):
        if isinstance(step, list):
            new = [job(length, WORKS[kind]) for length, kind in step]
            queue.add(new, float(now))
            waiting += new
        elif isinstance(step, int):
            gone = waiting[step : step + 2]
            queue.discard(gone + gone)
            waiting = [one for one in waiting if one not in gone]
        else:
            budget, num_free = step
            batch = queue.take(budget, num_free)
            assert bool(batch) == bool(waiting)
            if batch:
                assert batch[0].due == min(one.due for one in waiting)
                assert len({one.work for one in batch}) == 1
                assert len(batch) == 1 or len(batch) * max(one.length for one in batch) <= budget
            assert all(one in waiting for one in batch)
            waiting = [one for one in waiting if one not in batch]
        assert len(queue) == len(waiting)
        assert queue.tokens == sum(one.length for one in waiting)


def test_like_lengths_go_together() -> None:
    queue = JobQueue()
    queue.add([job(10), job(90), job(11), job(80), job(9)], 0.0)
    assert sorted(one.length for one in queue.take(40)) == [9, 10, 11]
    assert sorted(one.length for one in queue.take(200)) == [80, 90]


def test_no_batch_is_mostly_padding() -> None:
    queue = JobQueue()
    queue.add([job(100), *(job(3) for _ in range(20))], 0.0)
    batch = queue.take(10_000)
    assert batch[0].length == 100
    assert len(batch) * 100 <= 2 * sum(one.length for one in batch)
    assert len(queue.take(10_000)) == 21 - len(batch)


def test_free_workers_share_what_waits() -> None:
    queue = JobQueue()
    queue.add([job(10) for _ in range(8)], 0.0)
    assert [len(queue.take(1000, num_free)) for num_free in (2, 1)] == [4, 4]


def test_a_long_request_does_not_hold_up_a_short_one() -> None:
    queue = JobQueue()
    queue.add([job(30) for _ in range(100)], 0.0)
    late = job(29)
    queue.add([late], 0.1)
    batches = [queue.take(60) for _ in range(5)]
    assert any(late in batch for batch in batches)


def test_streams_go_alone() -> None:
    queue = JobQueue()
    queue.add([job(5, StreamWork(model="de-en", method="post-aln")) for _ in range(3)], 0.0)
    assert [len(queue.take(1000)) for _ in range(4)] == [1, 1, 1, 0]


def test_terms_go_apart() -> None:
    queue = JobQueue()
    plan = search_work(5).plan
    with_terms = SearchWork(model="de-en", plan=plan, constrained=True)
    queue.add([job(200), job(190), job(91, with_terms), job(90, with_terms)], 0.0)
    taken = [sorted(one.length for one in queue.take(1000)) for _ in range(2)]
    assert taken == [[190, 200], [90, 91]]

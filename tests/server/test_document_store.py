"""Documents in the database, SQLite and PostgreSQL."""

import pytest

from lexalign.server.storage.blobs import BlobStore, UnknownBlobError
from lexalign.server.storage.database import Database
from lexalign.server.storage.documents import KIND, DocumentRequest, DocumentStore
from lexalign.server.storage.jobs import JobStore, UnknownJobError

FACTS = {"source": "de", "target": "en", "characters": 8, "counts": {"segments": 1}}


def test_a_document_from_its_beginning_to_its_end(database: Database) -> None:
    jobs, blobs = JobStore(database), BlobStore(database)
    store = DocumentStore(jobs, blobs)
    asked = DocumentRequest(
        name="a.txt", format="text", target="en", terms=[{"source": "x", "targets": ["y"]}]
    )
    made = store.add(b"das Haus", asked, owner="anna")
    assert store.content(made.request) == b"das Haus"
    with pytest.raises(UnknownJobError):
        store.get(made.job.id, "bert")
    assert jobs.claim() is None  # it is not for the runner of processes
    claimed = jobs.claim((KIND,))
    assert claimed is not None
    assert claimed[0] == made.job.id
    assert jobs.hold(made.job.id, done=1, total=2)
    found = store.get(made.job.id, "anna")
    assert (found.job.done, found.job.total, found.result) == (1, 2, None)
    assert store.report(found) is None
    store.finish(made.job.id, "anna", "a.txt", b"the house", '{"counts": {}}', FACTS)
    done = store.get(made.job.id, None)
    assert (done.job.status, done.request.name) == ("done", "a.txt")
    assert store.translated(done) == b"the house"
    assert store.report(done) == {"counts": {}}
    assert [one.job.id for one in store.list("anna")] == [made.job.id]
    assert store.list("bert") == []
    store.delete(done)
    assert blobs.list() == []
    with pytest.raises(UnknownBlobError):
        store.translated(done)


def test_nothing_is_kept_of_a_cancelled_document(database: Database) -> None:
    jobs, blobs = JobStore(database), BlobStore(database)
    store = DocumentStore(jobs, blobs)
    made = store.add(b"x", DocumentRequest(name="a.txt", format="text"), owner="")
    jobs.claim((KIND,))
    jobs.cancel(made.job.id)
    assert not jobs.hold(made.job.id)
    store.finish(made.job.id, "", "a.txt", b"y", "{}", FACTS)
    assert store.get(made.job.id, "").job.status == "cancelled"
    assert [one.kind for one in blobs.list()] == [KIND]


def test_owners_take_turns(database: Database) -> None:
    jobs = JobStore(database)
    store = DocumentStore(jobs, BlobStore(database))
    for owner in ("anna", "anna", "anna", "bert", "bert"):
        store.add(b"x", DocumentRequest(name="a.txt", format="text"), owner=owner)
    begun = [claimed[0] for _ in range(5) if (claimed := jobs.claim((KIND,)))]
    assert [store.get(one, None).job.owner for one in begun] == ["anna", "bert", "anna", "bert", "anna"]
    assert jobs.num_waiting((KIND,)) == 0
    store.add(b"x", DocumentRequest(name="a.txt", format="text"), owner="bert")
    assert (jobs.num_waiting((KIND,), owner="bert"), jobs.num_waiting((KIND,), owner="anna")) == (1, 0)

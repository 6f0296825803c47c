"""Every variant of the benchmark runs, so that none has to be mended on a GPU that is lent for minutes."""

import json
from pathlib import Path

from tests.training.small_runs import finish, start


def test_every_variant_runs_on_a_cpu(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    finish(start(["benchmarks/train.py", "--quick", "--device", "cpu", "--json", str(path)]))
    rows = json.loads(path.read_text())["results"]
    assert [row["variant"] for row in rows if "failure" in row] == []
    assert len(rows) == 8
    for row in rows:
        assert row["error"] < 1e-4
        assert 5 < row["loss"] < 7

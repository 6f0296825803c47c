"""`lexalign translate-file`: documents in and out, whole or not at all, and what a stopped run leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from lxml import etree

from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import PosteriorHead
from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.markup.journal import Journal
from tests.cli.conftest import Run

FAST = ("--beam", 2, "--device", "cpu", "--workers", 1)
XLIFF = """<xliff version="1.2"><file source-language="de" original="x" datatype="x"><body>
<trans-unit id="1">
<source>Anna <g id="1">kaufte <g id="2">Äpfel</g></g><x id="3"/>. Otto schläft.</source>
</trans-unit>
</body></file></xliff>"""


@pytest.fixture(scope="session")
def aligning(model: Path) -> Path:
    """The model with an alignment head, which knows nothing yet."""
    torch.manual_seed(1)
    save_head(model, PosteriorHead(32, 2), HeadSettings(layer=0, temperature=1.0))
    return model


def journal_of(output: Path) -> Path:
    return output.parent / f".{output.name}.journal"


def test_plain_text_keeps_its_form(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes("  Anna liest.\tOtto schläft.\r\n\r\n12\n".encode())
    outcome = run("translate-file", tmp_path / "in.txt", tmp_path / "out.txt", "--model", model, *FAST)
    assert (outcome.status, outcome.output) == (0, "")
    cut = "lexalign: warning: the translation was cut off at the length limit: '"
    *warnings, summary = outcome.errors.splitlines()
    assert all(line.startswith(cut) for line in warnings)
    assert summary.split(":")[0] == "2 segments"
    content = (tmp_path / "out.txt").read_bytes().decode()
    assert content.startswith("  ")
    assert content.endswith("\r\n\r\n12\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.txt"]


def test_every_tag_is_there_once(run: Run, aligning: Path, tmp_path: Path) -> None:
    (tmp_path / "in.xlf").write_text(XLIFF, encoding="utf-8")
    outcome = run(
        "translate-file",
        tmp_path / "in.xlf",
        tmp_path / "new" / "out.xlf",
        "--model",
        aligning,
        "--to",
        "en",
        *FAST,
    )
    assert outcome.status == 0, outcome.errors
    root = etree.parse(tmp_path / "new" / "out.xlf").getroot()
    assert root.xpath("string(//file/@target-language)") == "en"
    assert sorted(element.get("id") for element in root.find(".//target").iterdescendants()) == [
        "1",
        "2",
        "3",
    ]


def test_tags_are_placed_by_attention_where_there_is_no_head(run: Run, model: Path, tmp_path: Path) -> None:
    """A note says how to get a head, once, and only where something is aligned."""
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        (bare / name).symlink_to(model / name)
    (tmp_path / "in.html").write_text("<p>Anna liest.</p>")
    command = ("translate-file", tmp_path / "in.html", tmp_path / "out.html", "--model", bare, *FAST)
    plain = run(*command)
    assert plain.status == 0
    assert "no alignment head" not in plain.errors
    (tmp_path / "in.html").write_text("<p>Anna <b>liest</b>.</p>")
    tagged = run(*command)
    assert tagged.status == 0
    assert tagged.errors.count(f"lexalign train aligner --model {bare} --text text") == 1
    assert (tmp_path / "out.html").read_text().count("<b>") == 1
    asked = run(*command, "--aligner", "post-aln")
    assert asked.status == 2
    assert "train a post-aln head" in asked.errors
    assert run(*command, "--aligner", "shift-att", "--layer", "1:2").status == 0
    assert "no attention head 99" in run(*command, "--aligner", "shift-att", "--layer", "1:99").errors


def test_a_journal_is_used_and_removed(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Anna liest.\nOtto schläft.\n", encoding="utf-8")
    command = ("translate-file", tmp_path / "in.txt", tmp_path / "out.txt", "--model", model, *FAST)
    process = stopped_after_a_sentence(command, tmp_path / "out.txt", signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "out.txt").exists()
    header, *lines = journal_of(tmp_path / "out.txt").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    found[0]["target"] = "from the journal"
    with journal_of(tmp_path / "out.txt").open("w") as file:
        file.writelines(line + "\n" for line in (header, *map(json.dumps, found)))
        file.write('{"source": "cut o')
    outcome = run(*command)
    assert outcome.status == 0, outcome.errors
    assert "from the journal" in (tmp_path / "out.txt").read_text()
    assert not journal_of(tmp_path / "out.txt").exists()


def test_a_resumed_run_reports_on_all_sentences(run: Run, aligning: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Anna liest.\nAnna schläft heute.\n", encoding="utf-8")
    terms = ("--term", "Anna=Otto", "--source-forms", "exact")
    command = (
        "translate-file",
        tmp_path / "in.txt",
        tmp_path / "out.txt",
        "--model",
        aligning,
        *terms,
        *FAST,
    )
    stopped_after_a_sentence(command, tmp_path / "out.txt", signal.SIGKILL)
    outcome = run(*command, "--report", tmp_path / "report.json")
    assert outcome.status == 0, outcome.errors
    content = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [segment["terms"][0]["form"] for segment in content["files"][0]["segments"]] == ["Otto", "Otto"]


def test_ctrl_c_is_clean_and_says_that_nothing_is_lost(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Anna liest.\nOtto schläft.\n", encoding="utf-8")
    command = ("translate-file", tmp_path / "in.txt", tmp_path / "out.txt", "--model", model, *FAST)
    process = stopped_after_a_sentence(command, tmp_path / "out.txt", signal.SIGINT)
    assert process.returncode == 130
    assert process.stderr.splitlines()[-2:] == [
        "lexalign: warning: 1 of 2 sentences are kept; run the same command again to continue",
        "lexalign: interrupted",
    ]
    assert not (tmp_path / "out.txt").exists()


def stopped_after_a_sentence(
    command: tuple[object, ...], output: Path, how: signal.Signals
) -> subprocess.CompletedProcess[str]:
    """Run a command that waits after its first sentence, and stop it there."""
    code = (
        "import sys, time\nfrom lexalign.markup.journal import Journal\nadd = Journal.add\n"
        "def slow(self, *added):\n    add(self, *added)\n    time.sleep(60)\n"
        f"Journal.add = slow\nsys.argv = ['lexalign', *{[str(word) for word in command]!r}]\n"
        "from lexalign.cli.main import run\nrun()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            journal = journal_of(output)
            if journal.exists() and journal.read_bytes().count(b"\n") >= 2:
                break
            time.sleep(0.05)
        os.kill(process.pid, how)
        _, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess([*map(str, command)], process.returncode, stderr=errors)


def test_a_journal_of_another_maker_is_thrown_away(tmp_path: Path) -> None:
    aligned = TextAlignment(
        source="a", target="ä", links=(SpanLink((0, 1), (0, 1), 0.5), SpanLink((0, 1), (0, 1)))
    )
    with Journal.beside(tmp_path / "out", "one") as journal:
        assert journal.finished == []
        journal.add(aligned, {"seen": 1})
    with Journal.beside(tmp_path / "out", "one") as journal:
        assert journal.finished == [(aligned, {"seen": 1})]
    with Journal.beside(tmp_path / "out", "other") as journal:
        assert journal.finished == []
    journal_of(tmp_path / "out").write_bytes(b"\xff\n{}\n")
    with Journal.beside(tmp_path / "out", "one") as journal:
        assert journal.finished == []


def test_the_output_may_not_be_the_input(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("x")
    for output in (tmp_path / "in.txt", tmp_path):
        outcome = run("translate-file", tmp_path / "in.txt", output, "--model", model, *FAST)
        assert outcome.status == 2
        assert outcome.errors.count("\n") == 1
    assert (tmp_path / "in.txt").read_text() == "x"


def test_another_suffix_does_not_convert_a_document(run: Run, aligning: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>das Haus</p>", encoding="utf-8")
    for name, warned in (("out.pdf", True), ("out.htm", False)):
        shown = run("translate", "file", page, tmp_path / name, "--model", aligning, "--to", "en")
        assert shown.status == 0
        assert (f"{name} is written in the format of page.html, which is html" in shown.errors) == warned
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<p>")


def test_help_does_not_wait_for_torch() -> None:
    code = (
        "import sys; sys.argv = ['lexalign', 'translate-file', '--help']; from lexalign.cli.main import run\n"
    )
    code += (
        "try: run()\nexcept SystemExit: assert not {'torch', 'polib', 'lexalign.markup'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr

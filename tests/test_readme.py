"""What the README and the docs tell a newcomer to type works, on a tiny model in place of the demo's."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import torch
import typer.main

from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import PosteriorHead
from lexalign.cli.main import app
from lexalign.data.synthetic import generate
from lexalign.glossary import read_glossary, write_glossary
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.recipe import Recipe
from tests.documentation import DOCS, ROOT, blocks

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
RECIPE = """
[model]
width = 32
feedforward_width = 64
encoder_layers = 1
decoder_layers = 1
[training]
updates = 2
batch_tokens = 500
[tokenizer]
vocabulary_size = 400
"""


def commands(page: Path) -> list[list[str]]:
    """The words of every command in the page's sessions and scripts."""
    session = [
        line[2:] for block in blocks(page, "console") for line in block.splitlines() if line[:2] == "$ "
    ]
    script = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [words for line in [*session, *script] if (words := shlex.split(line, comments=True))]


def lexalign_commands(page: Path) -> list[list[str]]:
    """Only `lexalign ...`, also behind torchrun; without its own name."""
    return [words[words.index("lexalign") + 1 :] for words in commands(page) if "lexalign" in words]


SLOW = {("translate", "file"), ("translate", "corpus"), ("align", "plot")}


def quick(words: list[str]) -> bool:
    known = words[0] in ("translate", "align", "glossary") or words[:2] == ["evaluate", "score"]
    return known and tuple(words[:2]) not in SLOW and not {"<", ">", "nowhere"} & set(words)


def in_sessions(page: str) -> list[object]:
    found = [words for words in lexalign_commands(ROOT / page) if quick(words)]
    return [pytest.param(words, id=f"{page}: {' '.join(words)[:60]}") for words in found]


def status(words: list[str]) -> int:
    try:
        app(words, prog_name="lexalign")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `make demo` and `make training` leave, and the files that the README trains on."""
    folder = tmp_path_factory.mktemp("newcomer")
    torch.set_num_threads(1)
    pairs = generate(320)
    (folder / "demo").mkdir()
    for name, part in (("train", pairs[:300]), ("valid", pairs[300:310]), ("test", pairs[310:])):
        for column, language in enumerate(("de", "en")):
            text = "".join(pair[column] + "\n" for pair in part)
            (folder / f"{name}.{language}").write_text(text, encoding="utf-8")
            (folder / "demo" / f"{name}.{language}").write_text(text, encoding="utf-8")
    (folder / "demo" / "translated.en").write_text("Anna.\n" * 10, encoding="utf-8")
    (folder / "small.toml").write_text(RECIPE, encoding="utf-8")
    sentences = [sentence for pair in pairs for sentence in pair]
    tokenizer = Tokenizer.train(sentences, TokenizerOptions(vocabulary_size=400), folder / "tokenizer.model")
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=32,
        feedforward_width=64,
        encoder_layers=1,
        decoder_layers=1,
    )
    torch.manual_seed(1)
    for path in (folder / name / "model" for name in ("demo/run", "de-en", "en-de")):
        save_model(path, Transformer(config), tokenizer)
        save_head(path, PosteriorHead(32, 4), HeadSettings(layer=0))
    asked = '{"text": "Anna kaufte Äpfel.", "constraints": [{"source": [12, 17], "target": "apples"}]}'
    (folder / "terms.jsonl").write_text(asked + "\n", encoding="utf-8")
    for place in (folder, folder / "demo"):
        (place / "terms.csv").write_text("de,en\nApfel,apple\n", encoding="utf-8")
    # A command of a page may read what the one before has written, which another process may run.
    glossary = read_glossary(folder / "terms.csv").with_languages("de", "en")
    write_glossary(glossary, folder / "terms.tbx")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        *in_sessions("README.md"),
        *in_sessions("docs/reference/command-line.md"),
        *in_sessions("docs/guides/terms.md"),
        *in_sessions("docs/guides/glossaries.md"),
    ],
)
def test_sessions_run(words: list[str], demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    assert status([*words, *([] if words[0] == "glossary" else ["--device", "cpu"])]) == 0


def test_the_docs_train_a_model(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    trained = [words for words in lexalign_commands(ROOT / "docs/guides/training.md") if words[0] == "train"]
    words = next(words for words in trained if words[1] == "--source")
    assert status([*words, "--config", "small.toml", "--device", "cpu", "--no-plot"]) == 0
    assert (demo / "run" / "model" / "model.safetensors").is_file()


def test_the_readme_s_python_runs_and_prints_as_much_as_it_says(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(demo)
    (code,), (output,) = blocks(ROOT / "README.md", "python"), blocks(ROOT / "README.md", "text")
    exec(compile(code, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == len(output.splitlines())


def test_the_error_in_the_docs_is_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = [
        block for block in blocks(ROOT / "docs/reference/command-line.md", "console") if "nowhere" in block
    ]
    command, said = block.splitlines()
    assert status(shlex.split(command)[2:]) == 2
    assert capsys.readouterr().err == said + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_flag_exists(page: Path) -> None:
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for command, *words in lexalign_commands(page):
        if command == "COMMAND":
            continue
        found = known[command]
        while words and words[0] in getattr(found, "commands", {}):
            found = found.commands[words.pop(0)]
        assert not found.hidden, (page.name, command)
        flags = {flag for option in found.params for flag in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= flags, (page.name, command)


def flags_of(command: Any) -> set[str]:
    """All flags of a command and of its subcommands."""
    flags = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
    return flags.union(*(flags_of(part) for part in getattr(command, "commands", {}).values()))


def test_every_flag_in_the_text_of_the_command_line_s_page_exists() -> None:
    page = (ROOT / "docs/reference/command-line.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(--[a-z0-9-]+)", page))
    assert len(named) > 40
    assert named <= flags_of(typer.main.get_command(app))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`make ([a-z]+)`", text)
    named += [words[1] for words in commands(page) if words[0] == "make"]
    assert set(named) <= targets


def test_the_first_two_commands_are_demo_and_test_and_ci_runs_the_tests() -> None:
    made = [words for words in commands(ROOT / "README.md") if words[0] == "make"]
    assert made == [["make", "demo"], ["make", "test"]]
    assert "make test" in (ROOT / ".ci" / "run").read_text().splitlines()
    assert "examples/demo.py" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert link.startswith("https://") or (page.parent / link).exists(), link


def test_recipes_in_the_docs_can_be_read(tmp_path: Path) -> None:
    pages = ("docs/guides/training.md", "docs/research/training.md")
    recipes = [recipe for page in pages for recipe in blocks(ROOT / page, "toml")]
    assert len(recipes) > 2
    for text in recipes:
        (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
        Recipe.read(tmp_path / "recipe.toml").model_config(1_000)


def test_names_in_the_recipe_table_exist() -> None:
    recipe = Recipe()
    tables = {
        "model": recipe.model_config(10),
        "training": recipe.training,
        "tokenizer": recipe.tokenizer,
        "filters": recipe.filters,
    }
    rows = re.findall(
        r"`\[([a-z]+)\] ([a-z_, ]+)`", (ROOT / "docs/guides/training.md").read_text(encoding="utf-8")
    )
    assert len(rows) > 10
    for table, names in rows:
        for name in names.split(", "):
            assert hasattr(tables[table], name), (table, name)

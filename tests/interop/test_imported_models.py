"""Everything that works on our models works on imported ones, with equal results where they are equal."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from lexalign.alignment.attention_files import write_attention
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import HEADS
from lexalign.cli.main import app
from lexalign.interop.importing import import_model
from lexalign.models.folder import load_model, save_model
from lexalign.text.tokenizer_files import load_tokenizer
from lexalign.translator import Constraint, ConstraintOptions, TranslateOptions, Translator, WordAligner
from lexalign.translator.word_aligner import read_words
from tests.interop import hub_models
from tests.interop.copy_model import Exported

transformers = pytest.importorskip("transformers")

TEXTS = ["abc defg", "hijk lmnop abc", "fed cba ghi"]


@pytest.fixture(scope="module")
def folders(copying: Exported, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One model natively and imported from its own export, with the same heads."""
    folder = tmp_path_factory.mktemp("imported")
    found = {"native": folder / "native", "imported": folder / "imported"}
    save_model(found["native"], copying.model, copying.tokenizer)
    import_model(copying.folder, found["imported"])
    torch.manual_seed(5)
    for kind in HEADS:
        head = HEADS[kind](copying.model.config.width, 2)
        for path in found.values():
            save_head(path, head, HeadSettings(layer=0))
    for path in found.values():
        write_attention(path, {"naive-att": (1, None), "shift-att": (0, None)})
    return found


@pytest.fixture(scope="module")
def multilingual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An M2M100 of random weights."""
    folder = tmp_path_factory.mktemp("m2m")
    size = hub_models.write_m2m_tokenizer(folder)
    values = hub_models.SHAPE | {"vocab_size": size, "activation_function": "relu", "scale_embedding": True}
    torch.manual_seed(6)
    theirs = transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(**values))
    hub_models.end_sooner(theirs, 2)
    theirs.save_pretrained(folder)
    import_model(folder, folder / "ours")
    return folder / "ours"


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("policy", ["none", "replace", "vdba", "align-vdba", "guided"])
def test_the_same_translations_under_constraints(folders: dict[str, Path], policy: str) -> None:
    options = TranslateOptions(constraints=ConstraintOptions(policy=policy), align="post-aln")  # type: ignore[arg-type]
    asked = [
        [Constraint(targets=("mn", "op"), source=(0, 3))],
        [],
        [Constraint(targets=("abc",), kind="avoid")],
    ]
    native, imported = (
        Translator.load(path, device="cpu").translate(TEXTS, options, constraints=asked)
        for path in folders.values()
    )
    for one, other in zip(native, imported, strict=True):
        assert (one.text, one.tokens) == (other.text, other.tokens)
        assert one.score == pytest.approx(other.score, abs=1e-3)
        assert [term.met for term in one.terms] == [term.met for term in other.terms]
        assert [(link.source, link.target) for link in one.links] == [
            (link.source, link.target) for link in other.links
        ]
    if policy in ("vdba", "align-vdba", "guided"):
        assert imported[0].terms[0].met


@pytest.mark.parametrize("text", ["abc Öl", "Ö", "a 😀😀 bcd", " ♞é  ♞", "<0xC3> Ö", ""])
def test_pieces_have_the_same_spans(folders: dict[str, Path], text: str) -> None:
    """Also the bytes of a character that is not in the vocabulary."""
    native, imported = (load_tokenizer(path).source.encode_with_offsets(text) for path in folders.values())
    assert native.pieces == imported.pieces
    assert native.spans == imported.spans


@pytest.mark.parametrize("method", ["naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"])
def test_the_same_alignments(folders: dict[str, Path], method: str) -> None:
    pairs = [(read_words(text), read_words(text)) for text in TEXTS]
    native, imported = (
        list(WordAligner.load(path, method, device="cpu").align(pairs))  # type: ignore[arg-type]
        for path in folders.values()
    )
    for one, other in zip(native, imported, strict=True):
        assert torch.allclose(one.subwords.probabilities, other.subwords.probabilities, atol=1e-4)
        assert [(link.source, link.target) for link in one.words.links] == [
            (link.source, link.target) for link in other.words.links
        ]


def test_streaming_and_scores(folders: dict[str, Path]) -> None:
    native, imported = (Translator.load(path, device="cpu") for path in folders.values())
    assert [(one.text, one.source) for one in native.stream(TEXTS[1])] == [
        (one.text, one.source) for one in imported.stream(TEXTS[1])
    ]
    scores = [one.score(TEXTS, TEXTS)[0].log_probability for one in (native, imported)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)


def write_corpus(folder: Path) -> list[object]:
    lines = hub_models.sentences()
    for name, part in (("train", lines[:80]), ("valid", lines[80:100])):
        (folder / f"{name}.src").write_text("\n".join(part) + "\n", encoding="utf-8")
        (folder / f"{name}.trg").write_text("\n".join(part) + "\n", encoding="utf-8")
    valid = ("--valid-source", folder / "valid.src", "--valid-target", folder / "valid.trg")
    quick = ("--updates", 6, "--batch-tokens", 400, "--device", "cpu")
    return ["--source", folder / "train.src", "--target", folder / "train.trg", *valid, *quick]


@pytest.mark.parametrize("both", [True, False], ids=["two directions", "one direction"])
def test_a_head_is_the_one_that_the_native_model_gets(
    folders: dict[str, Path], both: bool, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path)
    heads = []
    for name, path in folders.items():
        copies = [shutil.copytree(path, tmp_path / name / side) for side in ("forward", "backward")]
        reverse = ("--reverse-model", copies[1]) if both else ("--teacher", "hmm")
        status, _, errors = run(
            "train-aligner", "--model", copies[0], *reverse, *corpus, "--to", tmp_path / name / "heads"
        )
        assert status == 0, errors
        heads.append(load_file(copies[0] / "post-aln.safetensors"))
    for name in heads[0]:
        assert torch.allclose(heads[0][name], heads[1][name], atol=1e-4), name


def test_one_head_for_many_pairs_of_languages(multilingual: Path, tmp_path: Path) -> None:
    model = shutil.copytree(multilingual, tmp_path / "model")
    corpus = write_corpus(tmp_path)
    more = ("--source", tmp_path / "valid.src", "--target", tmp_path / "valid.trg")
    pairs = ("--languages", "de:en", "--languages", "fr:de")
    status, _, errors = run(
        "train-aligner",
        "--model",
        model,
        "--reverse-model",
        model,
        *corpus,
        *more,
        *pairs,
        "--to",
        tmp_path / "run",
    )
    assert status == 0, errors
    links = run(
        "align",
        tmp_path / "valid.src",
        tmp_path / "valid.trg",
        "--model",
        model,
        "--from",
        "fr",
        "--to",
        "de",
    )
    assert links[0] == 0, links[2]
    assert len(links[1].splitlines()) == 20
    options = TranslateOptions(align="post-aln", max_length=8)
    constraint = Constraint(targets=("house",), source=(4, 8))
    translator = Translator.load(model, device="cpu", languages=("de", "en"))
    found = translator.translate("das Haus ist groß.", options, constraints=[constraint])
    assert found.terms[0].met
    assert found.links


@pytest.mark.parametrize("labels", ["hmm", "file"])
def test_labels_know_no_language_codes(multilingual: Path, tmp_path: Path, labels: str) -> None:
    model = shutil.copytree(multilingual, tmp_path / "model")
    corpus = write_corpus(tmp_path)
    teacher: tuple[object, ...] = ("--teacher", "hmm")
    if labels == "file":
        lines = (tmp_path / "train.src").read_text(encoding="utf-8").splitlines()
        links = [" ".join(f"{place}-{place}" for place in range(len(line.split()))) for line in lines]
        (tmp_path / "links").write_text("\n".join(links) + "\n", encoding="utf-8")
        teacher = ("--labels", tmp_path / "links")
    status, _, errors = run(
        "train-aligner", "--model", model, *corpus, *teacher, "--languages", "de:en", "--to", tmp_path / "run"
    )
    assert status == 0, errors
    assert (model / "post-aln.safetensors").is_file()


def test_two_directions_of_two_vocabularies(folders: dict[str, Path], tmp_path: Path) -> None:
    """Aligned by both models, word by word; then a head learns from that."""
    theirs = tmp_path / "marian"
    theirs.mkdir()
    size = hub_models.write_marian_tokenizer(theirs)
    ends = {"pad_token_id": size - 1, "decoder_start_token_id": size - 1, "eos_token_id": 0}
    config = transformers.MarianConfig(**(hub_models.SHAPE | {"vocab_size": size} | ends))
    transformers.MarianMTModel(config).save_pretrained(theirs)
    model, reverse, links = tmp_path / "model", folders["native"], tmp_path / "links"
    import_model(theirs, model)
    corpus = write_corpus(tmp_path)
    refused = run(
        "train-aligner", "--model", model, "--reverse-model", reverse, *corpus, "--to", tmp_path / "run"
    )
    assert refused[0] == 2
    assert "different vocabularies" in refused[2]
    both = ("--model", model, "--reverse-model", reverse, "--symmetrize", "grow-diag", "--device", "cpu")
    text = (tmp_path / "train.src", tmp_path / "train.trg")
    aligned = run("align", *text, *both, "--method", "shift-att", "--layer", 1, "--output", links)
    assert aligned[0] == 0, aligned[2]
    trained = run("train-aligner", "--model", model, "--labels", links, *corpus, "--to", tmp_path / "run")
    assert trained[0] == 0, trained[2]
    found = Translator.load(model, device="cpu").translate(
        "das Haus ist groß.", TranslateOptions(align="post-aln")
    )
    assert found.log_probability < 0


@pytest.mark.parametrize(
    ("name", "stated", "flags", "expected"),
    [
        ("marian", None, (), None),
        ("opus-mt-de-en", None, (), ("de", "en")),
        ("marian", ("deu", "eng"), (), ("de", "en")),
        ("opus-mt-de-en", ("fr", "ro"), (), ("fr", "ro")),
        ("marian", ("", ""), (), None),
        ("marian", ("zle", "en"), (), None),  # a family of languages
        ("opus-mt-de-en", ("fr", "ro"), ("--source-language", "it", "--target-language", "es"), ("it", "es")),
    ],
)
def test_the_languages_of_an_imported_model(
    tmp_path: Path,
    name: str,
    stated: tuple[str, str] | None,
    flags: tuple[str, ...],
    expected: tuple[str, str] | None,
) -> None:
    theirs = tmp_path / name
    theirs.mkdir()
    size = hub_models.write_marian_tokenizer(theirs)
    ends = {"pad_token_id": size - 1, "decoder_start_token_id": size - 1, "eos_token_id": 0}
    config = transformers.MarianConfig(**(hub_models.SHAPE | {"vocab_size": size} | ends))
    transformers.MarianMTModel(config).save_pretrained(theirs)
    if stated is not None:
        told = {"source_lang": stated[0], "target_lang": stated[1]}
        (theirs / "tokenizer_config.json").write_text(json.dumps(told))
    status, _, errors = run("import", theirs, "--to", tmp_path / "ours", *flags)
    assert status == 0, errors
    assert Translator.load(tmp_path / "ours", device="cpu").languages == expected
    assert (f", {expected[0]} to {expected[1]}" if expected else "entries\n") in errors
    assert run("import", theirs, "--to", tmp_path / "again", "--source-language", "de")[0] == 2


def test_a_multilingual_model_has_the_languages_that_are_chosen(multilingual: Path) -> None:
    translator = Translator.load(multilingual, device="cpu", languages=("German", "en"))
    assert translator.languages == ("de", "en")
    assert translator.between("en", "fra_Latn").languages == ("en", "fr")
    assert translator.languages == ("de", "en")


def test_languages_on_the_command_line(multilingual: Path) -> None:
    status, _, errors = run("translate", "--model", multilingual, "--device", "cpu", "das Haus")
    assert status == 2
    assert "100 languages; choose with --from and --to: af, am" in errors
    texts = set()
    for code in ("en", "fr", "ja"):
        pair = ("--from", "de", "--to", code)
        status, output, errors = run(
            "translate", "--model", multilingual, "--device", "cpu", *pair, "--json", "das Haus ist groß."
        )
        assert status == 0, errors
        texts.add(json.loads(output)["log_probability"])
    assert len(texts) == 3


def test_a_language_has_one_name_for_models_and_terms(multilingual: Path) -> None:
    """M2M100 says de, NLLB deu_Latn; a person may say either, and terms are found by it."""
    found = set()
    for code in ("de", "deu_Latn", "de-AT"):
        status, output, errors = run(
            *("translate", "--model", multilingual, "--device", "cpu", "--from", code, "--to", "eng_Latn"),
            *("--policy", "vdba", "--term", "Haus=house", "--source-forms", "inflected", "--json"),
            "die Häuser sind groß.",
        )
        assert status == 0, errors
        found.add(output)
    assert len(found) == 1
    (term,) = json.loads(found.pop())["terms"]
    assert (term["source"], term["met"]) == ([4, 10], True)


def test_one_memory_for_many_languages(multilingual: Path) -> None:
    translator = Translator.load(multilingual, device="cpu", languages=("de", "en"))
    other = translator.between("fr", "ja")
    assert other.translate("das Haus") == Translator.load(
        multilingual, device="cpu", languages=("fr", "ja")
    ).translate("das Haus")
    assert other.translate("das Haus") != translator.translate("das Haus")
    assert other.between("de", "en").translate("das Haus") == translator.translate("das Haus")


def test_a_term_that_the_model_cannot_generate_is_reported(multilingual: Path) -> None:
    translator = Translator.load(multilingual, device="cpu", languages=("de", "en"))
    options = TranslateOptions(constraints=ConstraintOptions(policy="vdba"))
    found = translator.translate("das Haus", options, constraints=[Constraint(targets=("☃",))])
    assert (found.terms[0].met, found.terms[0].reason) == (False, "not generable")


@pytest.mark.parametrize("name", ["native", "imported"])
def test_models_of_one_pair_have_no_use_for_languages(folders: dict[str, Path], name: str) -> None:
    """They are told of for the sake of terms."""
    given = run("translate", "--model", folders[name], "--device", "cpu", "--from", "de", "--to", "en", "abc")
    assert given == run("translate", "--model", folders[name], "--device", "cpu", "abc")
    assert given[0] == 0


def test_import_and_export_commands(copying: Exported, tmp_path: Path) -> None:
    status, _, errors = run("import", copying.folder, "--to", tmp_path / "ours")
    assert status == 0
    assert "2+2 layers of width 64, 500 entries" in errors
    assert run("export", tmp_path / "ours", "--to", tmp_path / "marian")[0] == 0
    model, tokenizer = load_model(tmp_path / "ours")
    theirs = transformers.MarianMTModel.from_pretrained(tmp_path / "marian").eval()
    source_ids = torch.tensor([[*tokenizer.source.encode("abc defg"), model.config.eos_id]])
    target_ids = torch.tensor([[model.config.pad_id, 10, 11]])
    with torch.inference_mode():
        logits = model.force(model.encode(source_ids), target_ids).logits
        expected = theirs(input_ids=source_ids, decoder_input_ids=target_ids).logits
    kept = [index for index in range(500) if index not in model.config.never_generated]
    assert (logits - expected)[:, :, kept].abs().max() < 1e-3
    assert run("export", tmp_path / "ours", "--to", tmp_path / "marian")[0] == 2


@pytest.mark.parametrize("name", ["imported", "multilingual"])
def test_int8_folders(name: str, folders: dict[str, Path], multilingual: Path, tmp_path: Path) -> None:
    """Imported in int8, or quantised afterwards: the same as quantised while it is loaded."""
    theirs = multilingual.parent if name == "multilingual" else None
    folder = multilingual if name == "multilingual" else folders["imported"]
    status, _, errors = run("quantize", folder, "--to", tmp_path / "later")
    assert status == 0, errors
    places = [tmp_path / "later"]
    if theirs is not None:
        assert run("import", theirs, "--int8", "--to", tmp_path / "at-once")[0] == 0
        places.append(tmp_path / "at-once")
    languages = ("de", "en") if name == "multilingual" else None
    expected = Translator.load(folder, device="cpu", precision="int8", languages=languages)
    for place in places:
        assert json.loads((place / "config.json").read_text())["format"] == 2
        assert (place / "tokenizer").is_dir()
        found = Translator.load(place, device="cpu", languages=languages)
        options = TranslateOptions(coverage=False)  # each folder may have found another attention
        assert found.translate(TEXTS, options) == expected.translate(TEXTS, options)
    if len(places) == 2:
        one, other = (load_file(place / "model.safetensors") for place in places)
        assert one.keys() == other.keys()
        assert all(torch.equal(value, other[key]) for key, value in one.items())


def test_int8_folders_are_exported_in_floating_point(folders: dict[str, Path], tmp_path: Path) -> None:
    assert run("quantize", folders["imported"], "--to", tmp_path / "small")[0] == 0
    assert run("export", tmp_path / "small", "--to", tmp_path / "marian")[0] == 0
    assert load_file(tmp_path / "marian" / "model.safetensors")["model.shared.weight"].dtype == torch.float32


def test_nothing_is_trained_from_an_imported_model(folders: dict[str, Path], tmp_path: Path) -> None:
    text = write_corpus(tmp_path)[:8]
    status, _, errors = run("train", "--start", folders["imported"], *text, "--to", tmp_path / "run")
    assert status == 2
    assert "training can only start from a model trained with Lexalign" in errors


def test_export_to_ctranslate2(copying: Exported, folders: dict[str, Path], tmp_path: Path) -> None:
    ctranslate2 = pytest.importorskip("ctranslate2")
    status = run("export", folders["imported"], "--to", tmp_path / "ct2", "--format", "ctranslate2")[0]
    assert status == 0
    translator = ctranslate2.Translator(str(tmp_path / "ct2"), intra_threads=1)
    pieces = [*copying.tokenizer.pieces(copying.tokenizer.encode(TEXTS[0])), "</s>"]
    (found,) = translator.translate_batch([pieces], beam_size=5)
    ours = Translator.load(folders["imported"], device="cpu").translate(TEXTS[0])
    assert tuple(found.hypotheses[0]) == ours.tokens


def test_models_that_cannot_be_exported(multilingual: Path, tmp_path: Path) -> None:
    status, _, errors = run("export", multilingual, "--to", tmp_path / "new")
    assert status == 2
    assert "the model has 100 languages to choose from, and only models of one language pair" in errors
    assert not (tmp_path / "new").exists()

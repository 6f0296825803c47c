"""The exported model gives the same results in transformers and in CTranslate2."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.interop.hub_export import export_huggingface
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from tests.interop.copy_model import SIZE, SMALL, Exported, pad

transformers = pytest.importorskip("transformers")
ctranslate2 = pytest.importorskip("ctranslate2")

BEAM = 4
LIMIT = 40  # far over the length of every source, so that it ends only hypotheses that run wild
TOLERANCE = 1e-4
BEFORE = replace(SMALL, norm="pre", final_norm=True)

Ranked = list[tuple[list[int], float]]  # our token ids without end of sentence, and the score


@pytest.fixture(scope="module")
def ours(copying: Exported, sources: list[list[int]]) -> list[Ranked]:
    return own_search(copying.model, sources)


def test_most_sentences_are_copied(ours: list[Ranked], sources: list[list[int]]) -> None:
    """Otherwise the comparisons below would compare noise."""
    copied = [ranked[0][0] == source[:-1] for ranked, source in zip(ours, sources, strict=True)]
    assert sum(copied) > len(copied) / 2


def test_search_in_transformers(copying: Exported, sources: list[list[int]], ours: list[Ranked]) -> None:
    assert_same(ours, search_in_transformers(copying, sources))


def test_search_in_ctranslate2(
    copying: Exported, sources: list[list[int]], ours: list[Ranked], tmp_path: Path
) -> None:
    assert_same(ours, search_in_ctranslate2(copying, sources, tmp_path))


def test_search_with_norms_before_the_sublayers(
    tokenizer: Tokenizer, sources: list[list[int]], tmp_path: Path
) -> None:
    """Of random weights, which ramble: so the end is likely, and long hypotheses are not favoured."""
    torch.manual_seed(4)
    model = Transformer(replace(BEFORE, output_bias=True)).eval().requires_grad_(False)
    model.get_parameter("output.bias")[BEFORE.eos_id] = 2.5
    export_huggingface(model, tokenizer, tmp_path / "model", "de", "en")
    exported = Exported(model=model, tokenizer=tokenizer, folder=tmp_path / "model")
    ours = own_search(model, sources[:12], 0.0)
    assert len({len(ids) for ranked in ours for ids, _ in ranked}) > 3
    assert_same(ours, search_in_transformers(exported, sources[:12], 0.0))
    assert_same(ours, search_in_ctranslate2(exported, sources[:12], tmp_path, 0.0))


def own_search(model: Transformer, sources: list[list[int]], penalty: float = 1.0) -> list[Ranked]:
    options = SearchOptions(
        exact=True, beam=BEAM, n_best=BEAM, max_length=LIMIT, max_ratio=LIMIT, length_penalty=penalty
    )
    results = search(model, pad(sources), options)
    return [[(list(h.token_ids), h.score) for h in ranked] for ranked in results]


def search_in_transformers(
    exported: Exported, sources: list[list[int]], penalty: float = 1.0
) -> list[Ranked]:
    source_ids = pad(sources)
    output = load(exported.folder).generate(
        exported.to_exported(source_ids),
        attention_mask=mask(source_ids),
        num_beams=BEAM,
        num_return_sequences=BEAM,
        early_stopping="never",
        length_penalty=penalty,
        max_length=LIMIT + 2,  # the start and the end count here
        return_dict_in_generate=True,
        output_scores=True,
    )
    tokens = exported.order[output.sequences[:, 1:]].tolist()
    ranked = list(zip(map(until_end, tokens), output.sequences_scores.tolist(), strict=True))
    return [ranked[first : first + BEAM] for first in range(0, len(ranked), BEAM)]


def search_in_ctranslate2(
    exported: Exported, sources: list[list[int]], folder: Path, penalty: float = 1.0
) -> list[Ranked]:
    """Patience makes it go on until the limit, where its own rule stops at the first K ends."""
    ctranslate2.converters.TransformersConverter(str(exported.folder)).convert(str(folder / "converted"))
    translator = ctranslate2.Translator(str(folder / "converted"), intra_threads=1)
    results = translator.translate_batch(
        [exported.tokenizer.pieces(source) for source in sources],
        beam_size=BEAM,
        num_hypotheses=BEAM,
        patience=LIMIT,
        length_penalty=penalty,
        min_decoding_length=0,  # 1, the default, would raise the scores: an end is ruled out before softmax
        max_decoding_length=LIMIT + 1,
        return_scores=True,
    )
    ids = {exported.tokenizer.piece(index): index for index in range(SIZE)}
    return [
        [([ids[p] for p in pieces], score) for pieces, score in zip(r.hypotheses, r.scores, strict=True)]
        for r in results
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_states_and_logits(
    copying: Exported, sources: list[list[int]], packed: bool, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    model = Transformer(SMALL)
    model.load_state_dict(copying.model.state_dict())
    model = model.pack("float32") if packed else model.eval()
    export_huggingface(model, tokenizer, tmp_path / "model", "de", "en")
    exported = Exported(model=model, tokenizer=tokenizer, folder=tmp_path / "model")
    assert_same_logits(exported, pad(sources), pad(sources[::-1]))


@pytest.mark.parametrize(
    "config",
    [
        ModelConfig(vocabulary_size=SIZE),
        ModelConfig(vocabulary_size=SIZE, width=64, encoder_layers=1, decoder_layers=2, activation="gelu"),
        ModelConfig(vocabulary_size=SIZE, width=64, encoder_heads=2, decoder_layers=1, activation="swish"),
        ModelConfig(vocabulary_size=SIZE, width=64, decoder_layers=1, tied_encoder_decoder=False),
        ModelConfig(vocabulary_size=SIZE, width=64, decoder_layers=1, tied_output=False),
        ModelConfig(vocabulary_size=SIZE, width=64, output_bias=True, embedding_scale=False),
        BEFORE,
        replace(BEFORE, encoder_heads=2, decoder_layers=3, activation="gelu-tanh"),
        replace(BEFORE, tied_encoder_decoder=False),
        replace(BEFORE, tied_output=False),
        replace(BEFORE, tied_encoder_decoder=False, tied_output=False, output_bias=True),
    ],
    ids=[
        "default size",
        "gelu",
        "swish",
        "two tables",
        "own output",
        "bias",
        "before",
        "before, gelu",
        "before, two tables",
        "before, own output",
        "before, three tables",
    ],
)
def test_random_weights(
    config: ModelConfig, tokenizer: Tokenizer, sources: list[list[int]], tmp_path: Path
) -> None:
    torch.manual_seed(1)
    model = Transformer(config).eval().requires_grad_(False)
    if config.output_bias:
        model.get_parameter("output.bias").normal_()
    export_huggingface(model, tokenizer, tmp_path / "model", "de", "en")
    exported = Exported(model=model, tokenizer=tokenizer, folder=tmp_path / "model")
    assert_same_logits(exported, pad(sources[:8]), pad(sources[8:16]))


def assert_same_logits(exported: Exported, source_ids: Tensor, target_ids: Tensor) -> None:
    """Of all targets up to their ends, in all columns but those of tokens that are never generated, which the
    export rules out."""
    model, order = exported.model, exported.order
    content = F.pad(target_ids != model.config.pad_id, (1, 0), value=True)
    target_ids = torch.cat([torch.full_like(target_ids[:, :1], model.config.pad_id), target_ids], dim=1)
    with torch.inference_mode():
        source = model.encode(source_ids)
        logits = model.force(source, target_ids).logits[:, :, order]  # (B, T, V)
        theirs = load(exported.folder)(
            input_ids=exported.to_exported(source_ids),
            attention_mask=mask(source_ids),
            decoder_input_ids=exported.to_exported(target_ids),
            decoder_attention_mask=torch.ones_like(target_ids),
        )
    difference = (source.states - theirs.encoder_last_hidden_state)[source.mask]
    assert difference.abs().max() < TOLERANCE
    forbidden = torch.isin(order, torch.tensor(model.config.never_generated))
    assert (logits - theirs.logits)[content][:, ~forbidden].abs().max() < TOLERANCE
    assert theirs.logits.log_softmax(dim=-1)[:, :, forbidden].max() < -1000


def assert_same(ours: Sequence[Ranked], theirs: Sequence[Ranked]) -> None:
    """The same hypotheses in the same order, up to the first that the limit ended.

    There the rules differ: we score the end of sentence, transformers adds it for free and CTranslate2
    leaves it out.
    """
    compared = 0
    for our_ranked, their_ranked in zip(ours, theirs, strict=True):
        for (our_ids, our_score), (their_ids, their_score) in zip(our_ranked, their_ranked, strict=True):
            if len(their_ids) >= LIMIT:
                break
            assert our_ids == their_ids
            assert our_score == pytest.approx(their_score, abs=TOLERANCE)
            compared += 1
    assert compared > 0.9 * BEAM * len(ours)


def load(folder: Path) -> Any:
    return transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()


def mask(source_ids: Tensor) -> Tensor:
    return (source_ids != SMALL.pad_id).long()


def until_end(token_ids: list[int]) -> list[int]:
    return token_ids[: token_ids.index(SMALL.eos_id)] if SMALL.eos_id in token_ids else token_ids

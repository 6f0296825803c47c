"""Imported models agree with transformers: states, logits, whole and by steps, and beam search."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.interop.importing import import_model
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from tests.interop import hub_models
from tests.interop.hub_models import SHAPE

transformers = pytest.importorskip("transformers")

TOLERANCE = 1e-4
BEAM = 4
LIMIT = 14
PENALTY = 0.0  # random models ramble, and so they end

SMALL = {
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 3,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
}
UNTIED = {"tie_word_embeddings": False}


def marian(folder: Path, **changes: Any) -> Any:
    separate = not changes.get("share_encoder_decoder_embeddings", True)
    size = hub_models.write_marian_tokenizer(folder, separate=separate)
    ends = {"pad_token_id": size - 1, "decoder_start_token_id": size - 1, "eos_token_id": 0}
    if separate:  # the padding must be an entry of both
        ends = {"pad_token_id": 77, "decoder_start_token_id": 77, "eos_token_id": 0, "decoder_vocab_size": 80}
    config = transformers.MarianConfig(
        **(
            SHAPE
            | {"vocab_size": size, "scale_embedding": True, "activation_function": "swish"}
            | ends
            | changes
        )
    )
    model = transformers.MarianMTModel(config)
    with torch.no_grad():
        model.final_logits_bias.normal_()
    return model


def m2m(folder: Path, **changes: Any) -> Any:
    size = hub_models.write_m2m_tokenizer(folder)
    values = SHAPE | {"vocab_size": size, "scale_embedding": True, "activation_function": "relu"} | changes
    return transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(**values))


def nllb(folder: Path, **changes: Any) -> Any:
    size = hub_models.write_shifted_tokenizer(folder, "nllb")
    values = SHAPE | {"vocab_size": size, "scale_embedding": True, "activation_function": "relu"} | changes
    return transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(**values))


def mbart(folder: Path, **changes: Any) -> Any:
    size = hub_models.write_shifted_tokenizer(folder, "mbart")
    values = SHAPE | {"vocab_size": size, "scale_embedding": True, "decoder_start_token_id": 2} | changes
    return transformers.MBartForConditionalGeneration(transformers.MBartConfig(**values))


def bart(folder: Path, **changes: Any) -> Any:
    size = hub_models.write_bart_tokenizer(folder)
    values = SHAPE | {"vocab_size": size, "forced_bos_token_id": 0} | changes
    return transformers.BartForConditionalGeneration(transformers.BartConfig(**values))


T5_SHAPE = {
    "d_model": 24,
    "d_kv": 10,
    "d_ff": 40,
    "num_layers": 2,
    "num_heads": 3,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 7,
}


def t5(folder: Path, **changes: Any) -> Any:
    size = hub_models.write_t5_tokenizer(folder)
    return random_t5(vocab_size=size, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0, **changes)


def madlad(folder: Path, **changes: Any) -> Any:
    size = hub_models.write_t5_tokenizer(folder, codes=("<2de>", "<2en>", "<2zh_Hant>"))
    values = {"feed_forward_proj": "gated-gelu"} | UNTIED | changes
    return random_t5(vocab_size=size, pad_token_id=1, eos_token_id=2, decoder_start_token_id=0, **values)


def random_t5(**values: Any) -> Any:
    """Norms and biases that matter, and scores whose differences can be seen."""
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(**(T5_SHAPE | values)))
    if values.get("tie_word_embeddings") is False:
        model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.shared.weight))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.2)
    return model


CASES = {
    "marian": (marian, {}),
    "marian small": (marian, SMALL | {"activation_function": "gelu", "scale_embedding": False}),
    "marian untied": (marian, UNTIED),
    "marian two vocabularies": (marian, {"share_encoder_decoder_embeddings": False}),
    "m2m100": (m2m, {}),
    "m2m100 untied": (m2m, UNTIED | SMALL),
    "nllb": (nllb, {}),
    "mbart-50": (mbart, {}),
    "mbart-50 untied": (mbart, UNTIED | SMALL),
    "t5": (t5, {}),
    "t5 wide": (t5, {"d_model": 40, "d_kv": 8, "num_heads": 5, "num_layers": 3, "num_decoder_layers": 2}),
    "t5 1.1": (t5, {"feed_forward_proj": "gated-gelu"} | UNTIED),
    "t5 with published buckets": (
        t5,
        {"relative_attention_num_buckets": 32, "relative_attention_max_distance": 128},
    ),
    "madlad-400": (madlad, {}),
    "madlad-400 silu": (madlad, {"feed_forward_proj": "gated-silu", "d_kv": 4}),
    "bart": (bart, {}),
    "bart small": (bart, SMALL | {"encoder_attention_heads": 2}),
}
LANGUAGES = {
    "m2m": ("de", "en"),
    "nllb": ("deu_Latn", "eng_Latn"),
    "mbart": ("de_DE", "en_XX"),
    "madlad": ("en", "de"),
}


@pytest.fixture(scope="module", params=list(CASES.values()), ids=list(CASES))
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Transformer]:
    """Their model and ours."""
    make, changes = request.param
    folder = tmp_path_factory.mktemp("hub")
    torch.manual_seed(3)
    theirs = make(folder, **changes).eval()
    hub_models.end_sooner(theirs, theirs.config.eos_token_id)
    theirs.save_pretrained(folder)
    import_model(folder, folder / "imported")
    model, tokenizer = load_model(folder / "imported")
    bound = tokenizer.between(LANGUAGES.get(make.__name__))
    return theirs, model.with_target_prefix(bound.target_language_ids)


def batch(model: Transformer) -> Tensor:
    """Sources of different lengths (B, S)."""
    generator = torch.Generator().manual_seed(5)
    config = model.config
    size = min(config.source_vocabulary_size or config.vocabulary_size, config.vocabulary_size) - 4
    ids = torch.randint(4, size, (12, 9), generator=generator)
    lengths = torch.arange(12) % 7 + 2
    places = torch.arange(9)
    ids = ids.masked_fill(places == lengths[:, None], config.eos_id)
    ids[ids == config.pad_id] = 5
    return ids.masked_fill(places > lengths[:, None], config.pad_id)


def test_states_and_logits(pair: tuple[Any, Transformer]) -> None:
    theirs, model = pair
    source_ids, config = batch(model), model.config
    prefix = torch.tensor(config.target_prefix).expand(len(source_ids), -1)
    target_ids = torch.cat([prefix, batch(model).flip(0)[:, :2], torch.full_like(prefix[:, :1], 6)], dim=1)
    with torch.inference_mode():
        source = model.encode(source_ids)
        forced = model.force(source, target_ids).logits
        state = model.start(source, beam=1)
        state.reserve(target_ids.shape[1])
        stepped = torch.cat([model.step(state, ids[:, None]).logits for ids in target_ids.unbind(1)], dim=1)
        expected = theirs(
            input_ids=source_ids,
            attention_mask=(source_ids != config.pad_id).long(),
            decoder_input_ids=target_ids,
            decoder_attention_mask=torch.ones_like(target_ids),
        )
    assert (source.states - expected.encoder_last_hidden_state)[source.mask].abs().max() < TOLERANCE
    assert (forced - expected.logits).abs().max() < TOLERANCE
    assert (stepped - expected.logits).abs().max() < TOLERANCE


def test_beam_search(pair: tuple[Any, Transformer]) -> None:
    theirs, model = pair
    source_ids, config = batch(model), model.config
    prefix = config.target_prefix
    output = theirs.generate(
        source_ids,
        attention_mask=(source_ids != config.pad_id).long(),
        num_beams=BEAM,
        num_return_sequences=BEAM,
        early_stopping="never",
        length_penalty=PENALTY,
        max_length=LIMIT + len(prefix) + 1,
        # Given so, the prefix does not count as a part of the translation.
        decoder_input_ids=torch.tensor(prefix).expand(len(source_ids), -1),
        suppress_tokens=list(config.never_generated),
        renormalize_logits=True,
        return_dict_in_generate=True,
        output_scores=True,
    )
    options = SearchOptions(
        exact=True, beam=BEAM, n_best=BEAM, max_length=LIMIT, max_ratio=LIMIT, length_penalty=PENALTY
    )
    ours = search(model, source_ids, options)
    rows = output.sequences[:, len(prefix) :].tolist()
    ranked = list(zip(rows, output.sequences_scores.tolist(), strict=True))
    compared = 0
    for index, hypotheses in enumerate(ours):
        for hypothesis, (row, score) in zip(hypotheses, ranked[BEAM * index :], strict=False):
            if config.eos_id not in row or row.index(config.eos_id) >= LIMIT:
                break  # at the limit the rules differ: they end for free
            assert list(hypothesis.token_ids) == row[: row.index(config.eos_id)]
            assert hypothesis.score == pytest.approx(score, abs=TOLERANCE)
            compared += 1
    assert compared > BEAM * len(ours) / 3


def test_recorded_search(pair: tuple[Any, Transformer]) -> None:
    """As a GPU searches, prefixes of several tokens included."""
    _, model = pair
    options = SearchOptions(beam=BEAM, n_best=2, max_length=LIMIT)
    plain = search(model, batch(model), options)
    recorded = GraphSearcher(model, options).search(batch(model))
    for one, other in zip(plain, recorded, strict=True):
        assert [hypothesis.token_ids for hypothesis in one] == [h.token_ids for h in other]

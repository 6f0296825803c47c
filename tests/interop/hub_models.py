"""Folders of other toolkits: random weights in a family's shape, and a small tokenizer."""

import io
import json
import random
from pathlib import Path
from typing import Any

import torch
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from lexalign.interop.language_codes import M2M100, MBART50, NLLB

SHAPE = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
    "init_std": 0.2,
}
_TEXT = "das Haus ist groß und der kleine Hund läuft über die Straße the house is big 東京 へ行く मैं घर"
WORDS = _TEXT.split()
# Spaces, tabs, ligatures, fractions, marks, scripts, emoji, characters that no vocabulary here has.
TRICKY = [
    "das Haus ist groß.",
    "",
    "  two  spaces  around ",
    "tab\tand\u00a0no-break space",
    "½ ﬁne ① ＡＢＣ",
    "e\u0301 é straße STRASSE",
    "東京へ行く。",
    "मैं घर जा रहा हूँ",
    "🙂🙃 zzz ☃",
    "don't — “quoted” … (x)",
    "a" * 40,
    "\u200bzero\u200dwidth",
    "▁already ▁marked",
]


def sentences() -> list[str]:
    generator = random.Random(1)
    made = ["".join(generator.choices("abdeghinorstuäöß", k=generator.randint(2, 7))) for _ in range(150)]
    return [" ".join(generator.choices(WORDS + made, k=generator.randint(3, 9))) + "." for _ in range(600)]


def train_pieces(kind: str, size: int, texts: list[str] | None = None, **settings: Any) -> bytes:
    """As most published models are made: NFKC, characters beyond the vocabulary unknown."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(texts or sentences()),
        model_writer=model,
        vocab_size=size,
        model_type=kind,
        character_coverage=1.0,
        minloglevel=2,
        **settings,
    )
    return model.getvalue()


def piece_list(content: bytes) -> list[str]:
    processor = SentencePieceProcessor()
    processor.LoadFromSerializedProto(content)
    return [processor.id_to_piece(index) for index in range(processor.vocab_size())]


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def write_marian_tokenizer(folder: Path, *, codes: tuple[str, ...] = (), separate: bool = False) -> int:
    """Source and target know different pieces; the joint vocabulary has all. Returns its size."""
    halves = sentences()[:300], [text.replace("a", "e") for text in sentences()[300:]]
    found = [train_pieces("unigram", size, half) for size, half in zip((90, 80), halves, strict=True)]
    for name, content in zip(("source.spm", "target.spm"), found, strict=True):
        (folder / name).write_bytes(content)
    lists = [piece_list(content)[3:] for content in found]
    joint = ["</s>", "<unk>", *dict.fromkeys([*lists[0], *lists[1]]), *codes, "<pad>"]
    vocabularies = [["</s>", "<unk>", *side, "<pad>"] for side in lists] if separate else [joint]
    for name, pieces in zip(("vocab.json", "target_vocab.json"), vocabularies, strict=False):
        write_json(folder / name, {piece: index for index, piece in enumerate(pieces)})
    write_json(folder / "tokenizer_config.json", {"separate_vocabs": separate})
    return len(vocabularies[0])


def write_m2m_tokenizer(folder: Path) -> int:
    content = train_pieces("unigram", 100)
    (folder / "sentencepiece.bpe.model").write_bytes(content)
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *piece_list(content)[3:]]
    write_json(folder / "vocab.json", {piece: index for index, piece in enumerate(pieces)})
    return len(pieces) + len(M2M100) + 8


def write_shifted_tokenizer(folder: Path, kind: str) -> int:
    """NLLB's is BPE, mBART-50's unigram; both move the ids by one."""
    content = train_pieces("bpe" if kind == "nllb" else "unigram", 100)
    (folder / "sentencepiece.bpe.model").write_bytes(content)
    name = "NllbTokenizer" if kind == "nllb" else "MBart50Tokenizer"
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": name})
    return 100 + 1 + len(NLLB if kind == "nllb" else MBART50) + 1 + 2


def write_t5_tokenizer(folder: Path, *, codes: tuple[str, ...] = ()) -> int:
    """T5's has the padding first and masks behind; MADLAD-400's the usual ids, and codes as pieces."""
    ids = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    settings = {"user_defined_symbols": list(codes)} if codes else ids
    content = train_pieces("unigram", 110, **settings)
    (folder / "spiece.model").write_bytes(content)
    masks = {str(110 + index): {"content": f"<extra_id_{9 - index}>"} for index in range(10)}
    write_json(folder / "tokenizer_config.json", {} if codes else {"added_tokens_decoder": masks})
    return 110 if codes else 128


def write_bart_tokenizer(folder: Path) -> int:
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(sentences(), vocab_size=320, special_tokens=special, show_progress=False)
    tokenizer.save_model(str(folder))
    return int(tokenizer.get_vocab_size())


def end_sooner(model: Any, eos_id: int) -> None:
    """Move the output of the end towards what the decoder says on average, so that random models stop."""
    with torch.no_grad():
        source = torch.arange(4, 20)[None]
        for _ in range(3):  # a tied table moves what the decoder says
            output = model(input_ids=source, decoder_input_ids=source.flip(1), output_hidden_states=True)
            scale = model.config.d_model**-0.5 if getattr(model.config, "scale_decoder_outputs", 0) else 1.0
            hidden = output.decoder_hidden_states[-1][0] * scale
            mean, total = hidden.mean(dim=0), model.lm_head(hidden).logsumexp(dim=-1).mean()
            model.lm_head.weight[eos_id] = (total - 1) * mean / mean.square().sum()

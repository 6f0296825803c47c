"""Splitting a text into sentences, sentences into parts that fit a model, and putting them together again."""

from lexalign.text.sentences.splitting import (
    keep_together,
    replace_sentences,
    sentence_spans,
    split_to_fit,
)

__all__ = ["keep_together", "replace_sentences", "sentence_spans", "split_to_fit"]

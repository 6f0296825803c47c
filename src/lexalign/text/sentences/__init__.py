"""Splitting a text into sentences, and sentences into parts that fit a model."""

from lexalign.text.sentences.splitting import keep_together, sentence_spans, split_to_fit

__all__ = ["keep_together", "sentence_spans", "split_to_fit"]

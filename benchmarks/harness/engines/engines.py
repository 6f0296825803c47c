"""The engines behind one protocol: a name, a start in the process that translates, and batches to translate.

An engine's number of decoder steps is forced by its own options. Ours: so many tokens, then an end that is
scored. transformers: so many tokens, then a forced end. CTranslate2 has no forced end, so one token more.
"""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from harness.engines.folders import Folders
from harness.engines.workload import Batch
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.data.collate import pad_sentences
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.models.folder import load_model
from lexalign.models.projection import Precision
from lexalign.text.subwords import SubwordTokenizer
from lexalign.translator.execution import keep_freed_memory


@dataclass(frozen=True, kw_only=True)
class Setting:
    workers: int
    threads: int

    def __str__(self) -> str:
        return f"{self.workers} × {self.threads} threads"


class Engine(Protocol):
    name: str
    precision: str
    setting: Setting
    device: str
    processes: int  # how many are forked; the others of its workers are its own threads

    def start(self) -> None:
        """Get ready, in the process that will translate."""

    def translate(self, batches: Iterator[Batch], beam: int) -> list[list[int]]:
        """The number of decoder steps of every sentence of every batch."""


class Lexalign:
    name = "lexalign"

    def __init__(self, folders: Folders, precision: str, setting: Setting, device: str) -> None:
        self.precision, self.setting, self.processes = precision, setting, setting.workers
        self._folder, self.device = folders.lexalign, device
        self._searchers: dict[SearchOptions, GraphSearcher] = {}
        if device == "cpu":
            # Before the fork: workers then share the packed weights, and the cache that holds them.
            self._load("int8" if precision == "int8" else "float32")

    def _load(self, precision: Precision) -> None:
        self._model, _ = load_model(self._folder, device=self.device, precision=precision)

    def start(self) -> None:
        keep_freed_memory()  # as the product's own workers do
        torch.set_num_threads(self.setting.threads)
        if self.device != "cpu":
            self._load("float32")

    def translate(self, batches: Iterator[Batch], beam: int) -> list[list[int]]:
        return [self._translate(batch, beam) for batch in batches]

    def _translate(self, batch: Batch, beam: int) -> list[int]:
        length = batch.target_length
        options = SearchOptions(beam=beam, min_length=length, max_length=length)
        source_ids = pad_sentences(batch.source_ids, self._model.vocabulary.pad_id).to(self.device)
        results = self._search(source_ids, options)
        return [len(ranked[0].token_log_probabilities) for ranked in results]

    def _search(self, source_ids: Tensor, options: SearchOptions) -> list[list[Hypothesis]]:
        if self.device == "cpu":
            return search(self._model, source_ids, options)
        if options not in self._searchers:
            self._searchers[options] = GraphSearcher(self._model, options)
        return self._searchers[options].search(source_ids)


class Transformers:
    name = "transformers"

    def __init__(self, folders: Folders, precision: str, setting: Setting, device: str) -> None:
        self.precision, self.setting, self.processes = precision, setting, setting.workers
        self._folder, self._shift, self.device = folders.marian, folders.shift, device
        if device == "cpu":
            self._load(torch.float32)

    def _load(self, dtype: torch.dtype) -> None:
        from transformers import MarianMTModel

        model = MarianMTModel.from_pretrained(self._folder)
        self._model = model.to(self.device, dtype).eval().requires_grad_(False)
        # The exported bias rules these out already; the list would only cost time.
        self._model.generation_config.bad_words_ids = None

    def start(self) -> None:
        torch.set_num_threads(self.setting.threads)
        if self.device != "cpu":
            self._load(torch.bfloat16)

    def translate(self, batches: Iterator[Batch], beam: int) -> list[list[int]]:
        return [self._translate(batch, beam) for batch in batches]

    @torch.inference_mode()
    def _translate(self, batch: Batch, beam: int) -> list[int]:
        pad_id = self._model.config.pad_token_id
        marian_ids = [[index - self._shift for index in ids] for ids in batch.source_ids]
        source_ids = pad_sentences(marian_ids, pad_id).to(self.device)
        output = self._model.generate(
            source_ids,
            attention_mask=(source_ids != pad_id).long(),
            num_beams=beam,
            min_length=batch.target_length + 1,  # the start of the decoder counts
            max_length=batch.num_steps + 1,
        )
        steps: list[int] = (output[:, 1:] != pad_id).sum(dim=1).tolist()
        return steps


class CTranslate2:
    name = "ctranslate2"
    processes = 1

    def __init__(
        self, folders: Folders, precision: str, setting: Setting, device: str, tokenizer: SubwordTokenizer
    ) -> None:
        self.precision, self.setting = precision, setting
        self._folder, self.device, self._tokenizer = folders.ctranslate2, device, tokenizer

    def start(self) -> None:
        from ctranslate2 import Translator

        self._translator = Translator(
            str(self._folder),
            device=self.device,
            compute_type=self.precision,
            inter_threads=self.setting.workers,
            intra_threads=self.setting.threads,
        )

    def translate(self, batches: Iterator[Batch], beam: int) -> list[list[int]]:
        pending = [self._submit(batch, beam) for batch in batches]
        return [[len(promise.result().hypotheses[0]) for promise in promises] for promises in pending]

    def _submit(self, batch: Batch, beam: int) -> list[Any]:
        promises: list[Any] = self._translator.translate_batch(
            [self._tokenizer.pieces(ids) for ids in batch.source_ids],
            beam_size=beam,
            min_decoding_length=batch.num_steps,
            max_decoding_length=batch.num_steps,
            asynchronous=True,
        )
        return promises


PEERS = {"ct2": "ctranslate2", "hf": "transformers"}


def missing_peers(peers: list[str]) -> list[str]:
    return [peer for peer in peers if importlib.util.find_spec(PEERS[peer]) is None]


def make_engines(
    folders: Folders, settings: list[Setting], peers: list[str], device: str, tokenizer: SubwordTokenizer
) -> list[Engine]:
    on_cpu = device == "cpu"
    engines: list[Engine] = []
    for setting in settings:
        for precision in ("float32", "int8") if on_cpu else ("bfloat16",):
            engines.append(Lexalign(folders, precision, setting, device))
        for precision in (("float32", "int8") if on_cpu else ("float16",)) if "ct2" in peers else ():
            engines.append(CTranslate2(folders, precision, setting, device, tokenizer))
        if "hf" in peers:
            engines.append(Transformers(folders, "float32" if on_cpu else "bfloat16", setting, device))
    return engines

"""A small random model, and a live server on a free port with a real worker process."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import torch
import uvicorn

from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import HEADS
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.server.running import ServerOptions, build, listen, server_config
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions

WORDS = "das Haus ist groß und der kleine Hund läuft über die lange Straße nach München".split()  # noqa: SIM905
MAX_POSITIONS = 128


def make_sentences(number: int, seed: int = 1) -> list[str]:
    generator = random.Random(seed)
    return [" ".join(generator.choices(WORDS, k=generator.randint(1, 12))) for _ in range(number)]


def make_model(folder: Path, *, head: bool = True) -> Path:
    options = TokenizerOptions(vocabulary_size=320)
    tokenizer = Tokenizer.train(make_sentences(300), options, folder / "tokenizer.model")
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=128,  # torch has other kernels for very small matrices, which add in another order
        feedforward_width=128,
        encoder_layers=2,
        decoder_layers=2,
        max_positions=MAX_POSITIONS,
    )
    torch.manual_seed(7)
    model = Transformer(config)
    with torch.no_grad():  # peaked enough that a different order of additions changes no translation
        model.output.weight.mul_(4)
    save_model(folder / "model", model, tokenizer)
    if head:
        save_head(
            folder / "model", HEADS["post-aln"](config.width, 2), HeadSettings(layer=0, temperature=0.5)
        )
    return folder / "model"


@dataclass(frozen=True)
class LiveServer:
    url: str
    client: httpx.Client
    options: ServerOptions


@contextmanager
def live_server(options: ServerOptions) -> Iterator[LiveServer]:
    """A server in a thread of this process; its workers are processes."""
    listener = listen(options)
    app = build(options, listener)
    server = uvicorn.Server(server_config(app, options))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with httpx.Client(base_url=url, timeout=120) as client:
        while not server.started:
            time.sleep(0.01)
        yield LiveServer(url, client, options)
    server.should_exit = True
    thread.join(timeout=30)
    assert not thread.is_alive(), "the server does not stop"

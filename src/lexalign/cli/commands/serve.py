"""`lexalign serve` and `lexalign keys`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.messages import say
from lexalign.cli.options.alignment import Layer, Method, attention_place, note_missing_head
from lexalign.cli.options.computation import Device
from lexalign.cli.options.search import Policy
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.server.running import ServerOptions
    from lexalign.server.storage.keys import KeyStore
    from lexalign.server.translating.catalogue import ModelChoice

Data = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Folder of glossaries and keys; by default ~/.local/share/lexalign."),
]


def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="Folder or name of a model, or de-en=MODEL with its languages; by default all bundled and "
            "downloaded models. May be repeated.",
        ),
    ] = None,
    source_language: Annotated[
        str | None, typer.Option("--from", metavar="LANGUAGE", help="Source language of a single model.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option("--to", metavar="LANGUAGE", help="Target language of a single model.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 listens on all addresses of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free port.")] = 8080,
    device: Device = "auto",
    float32: Annotated[
        bool, typer.Option("--float32", help="Compute in float32 instead of int8 on a CPU.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of processes on a CPU; by default one for each core.")
    ] = None,
    policy: Policy = "guided",
    aligner: Method = "auto",
    layer: Layer = None,
    data: Data = None,
    batch_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Source tokens in a batch; the default depends on the device."),
    ] = None,
    queue_tokens: Annotated[
        int,
        typer.Option(
            min=1, help="Maximum number of queued source tokens; further requests are told to retry later."
        ),
    ] = 32_768,
    timeout: Annotated[float, typer.Option(min=0.1, help="Timeout of a request, in seconds.")] = 60.0,
    max_body: Annotated[
        int, typer.Option(min=1_000, help="Maximum size of a request, in bytes.")
    ] = 4_000_000,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Origin whose pages may call the server. May be repeated."),
    ] = None,
) -> None:
    """Translate over HTTP, with a page at / and the API's documentation at /docs.

    Requests of many clients share batches. Clients of DeepL and LibreTranslate work unchanged. Once there are
    keys (see `lexalign keys add`), each request must send one. On Ctrl-C or SIGTERM the server finishes the
    requests that it has accepted, and stops.

    Example: lexalign serve --port 8081

    Example: lexalign serve --model models/de-en --model models/en-de
    """
    _need_extra()
    from lexalign.models.folder import parse_device
    from lexalign.server.batching.dispatcher import QueueLimits
    from lexalign.server.http.services import RequestLimits
    from lexalign.server.running import ServerOptions, default_data
    from lexalign.server.translating.catalogue import AlignmentChoice, parse_choice
    from lexalign.translator.options import GPU_BATCHING

    if model and len(model) > 1 and (source_language or target_language):
        raise LexalignError("--from and --to are for a single model; write --model de-en=DIR")
    choices = [parse_choice(written, source_language, target_language) for written in model or ()]
    on_cpu = parse_device(device).type == "cpu"
    usual = QueueLimits.batch_tokens if on_cpu else GPU_BATCHING.batch_tokens
    options = ServerOptions(
        models=tuple(choices or _bundled(source_language, target_language)),
        data=data or default_data(),
        host=host,
        port=port,
        device=device,
        precision="float32" if float32 else None,
        alignment=AlignmentChoice(policy=policy, aligner=aligner, attention=attention_place(layer)),
        workers=workers,
        queue=QueueLimits(batch_tokens=batch_tokens or usual, waiting_tokens=queue_tokens, timeout=timeout),
        limits=RequestLimits(body_bytes=max_body),
        origins=tuple(allow_origin or ()),
    )
    for one in options.models:
        note_missing_head(one.folder, aligner, (one.source, one.target))
    _run(options)


def _bundled(source: str | None, target: str | None) -> list["ModelChoice"]:
    """All bundled and downloaded models, or those between the given languages."""
    from lexalign.bundled import BundledModels
    from lexalign.server.translating.catalogue import ModelChoice

    found = BundledModels.installed().between(source, target)
    return [
        ModelChoice(source=start, target=end, folder=folder) for (start, end), folder in sorted(found.items())
    ]


def _run(options: "ServerOptions") -> None:
    from lexalign.server.running import build, listen, run

    listener = listen(options)  # before models are loaded: the port may be in use
    app = build(options)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    names = ", ".join(choice.name for choice in options.models)
    say(f"Lexalign is at http://{shown}:{port} with {names}; Ctrl-C stops it.")
    run(app, options, listener)


keys = typer.Typer(no_args_is_help=True, help="Manage the API keys that clients of the server must send.")


@keys.command()
def add(name: Annotated[str, typer.Argument(help="Name of the key's owner.")], data: Data = None) -> None:
    """Create a key and print it; only its hash is stored, so it cannot be printed again."""
    typer.echo(_store(data).add(name))


@keys.command(name="list")
def list_keys(data: Data = None) -> None:
    """Print the names of all keys, and when they were created."""
    for name, created in _store(data).names():
        typer.echo(f"{name}\t{created}")


@keys.command()
def remove(name: Annotated[str, typer.Argument(help="Name of the key's owner.")], data: Data = None) -> None:
    """Remove a key; a running server rejects it within seconds."""
    _store(data).remove(name)


def _store(data: Path | None) -> "KeyStore":
    _need_extra()
    from lexalign.server.running import DATABASE, default_data
    from lexalign.server.storage.database import Database
    from lexalign.server.storage.keys import KeyStore

    return KeyStore(Database((data or default_data()) / DATABASE))


def _need_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise LexalignError(
            f"the server needs {error.name}, which is not installed: pip install 'lexalign[server]'"
        ) from None

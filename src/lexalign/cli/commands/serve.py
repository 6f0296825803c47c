"""`lexalign serve`."""

from typing import TYPE_CHECKING

from lexalign.cli.messages import say
from lexalign.cli.options import serving
from lexalign.cli.options.alignment import Layer, note_missing_head
from lexalign.contracts.errors import MissingExtraError

if TYPE_CHECKING:
    from lexalign.server.running import ServerOptions


def serve(
    model: serving.Models = None,
    source_language: serving.SourceLanguage = None,
    target_language: serving.TargetLanguage = None,
    host: serving.Host = None,
    port: serving.Port = None,
    device: serving.ServerDevice = None,
    float32: serving.Float32 = None,
    workers: serving.Workers = None,
    policy: serving.ServerPolicy = None,
    aligner: serving.ServerAligner = None,
    layer: Layer = None,
    data: serving.Data = None,
    database: serving.DatabaseUrl = None,
    batch_tokens: serving.BatchTokens = None,
    queue_tokens: serving.QueueTokens = None,
    timeout: serving.Timeout = None,
    max_body: serving.MaxBody = None,
    allow_origin: serving.AllowOrigin = None,
    allow_host: serving.AllowHost = None,
    trusted_proxy: serving.TrustedProxy = None,
    max_connections: serving.MaxConnections = None,
    client_requests: serving.ClientRequests = None,
    header_timeout: serving.HeaderTimeout = None,
    body_timeout: serving.BodyTimeout = None,
    idle_timeout: serving.IdleTimeout = None,
    grace: serving.Grace = None,
    log_format: serving.LogFormatOption = None,
    access_log: serving.AccessLog = None,
    slow_seconds: serving.SlowSeconds = None,
    traces: serving.Traces = None,
    config: serving.Config = None,
) -> None:
    """Translate over HTTP, with a page at / and the API's documentation at /docs.

    Requests of many clients share batches. Clients of DeepL and LibreTranslate work unchanged. Once there are
    keys (see `lexalign serve keys add`), each request must send one. On Ctrl-C or SIGTERM the server finishes
    the requests that it has accepted, and stops; on SIGHUP it loads its models again.

    Example: lexalign serve --port 8081

    Example: lexalign serve --model models/de-en --model models/en-de
    """
    flags = {name: value or None for name, value in locals().items() if name != "config"}  # empty lists: none
    flags["port"] = port  # 0 is a port
    need_extra()
    from lexalign.server.http.logs import configure_logging, log
    from lexalign.server.settings import misspelt_variables, read_settings, to_options

    settings = read_settings(flags, config)
    configure_logging(settings.log_format)
    for name, likely in misspelt_variables().items():
        log.warning("%s is not a setting and is ignored; did you mean %s?", name, likely)
    options = to_options(settings)
    json_log = settings.log_format == "json"
    for one in options.models if not json_log else ():
        note_missing_head(one.folder, settings.aligner, (one.source, one.target))
    _run(options, json_log=json_log)


def _run(options: "ServerOptions", *, json_log: bool) -> None:
    from lexalign.server.http.logs import log
    from lexalign.server.running import build, listen, run

    listener = listen(options)  # before models are loaded: the port may be in use
    app = build(options, listener)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    names, url = ", ".join(choice.name for choice in options.models), f"http://{shown}:{port}"
    if json_log:
        log.info("listening", extra={"fields": {"url": url, "models": names}})
    else:
        say(f"Lexalign is at {url} with {names}; Ctrl-C stops it.")
    run(app, options, listener)


def need_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import pydantic_settings  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"the server needs {error.name}, which is not installed: pip install 'lexalign[server]'"
        ) from None

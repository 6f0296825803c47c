"""Options of servers; those that are not given come from the environment, a file, or are the default.

The defaults themselves are in `server/settings.py`.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from lexalign.cli.options.alignment import AlignerOption
from lexalign.cli.options.search import PolicyName
from lexalign.cli.options.sections import ALIGNMENT, LIMITS, LOG, NETWORK, SPEED, TERMS

Data = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        envvar="LEXALIGN_DATA",
        help="Folder of glossaries and keys; by default ~/.local/share/lexalign.",
    ),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="LEXALIGN_DATABASE",
        help="PostgreSQL in place of that folder, for several servers: postgresql://USER:PASSWORD@HOST/NAME. "
        "Better given as LEXALIGN_DATABASE, since every user sees the options of a process.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Settings in TOML, named as these options: port = 8081. Options on the command line come first, "
        "then the environment (LEXALIGN_PORT=8081), then the file.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL",
        help="Folder or name of a model, or de-en=MODEL with its languages; by default all bundled and "
        "downloaded models. May be repeated.",
    ),
]
SourceLanguage = Annotated[
    str | None, typer.Option("--from", metavar="LANGUAGE", help="Source language of a single model.")
]
TargetLanguage = Annotated[
    str | None, typer.Option("--to", metavar="LANGUAGE", help="Target language of a single model.")
]
Host = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address to listen on, by default 127.0.0.1; 0.0.0.0 listens on all addresses of this machine.",
    ),
]
Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Port, by default 8080; 0 takes any free port.")
]
ServerDevice = Annotated[
    str | None,
    typer.Option(
        metavar="DEVICE",
        help="cpu, cuda or cuda:1; by default a GPU if there is one.",
        rich_help_panel=SPEED,
    ),
]
Float32 = Annotated[
    bool | None,
    typer.Option("--float32", help="Compute in float32 instead of int8 on a CPU.", rich_help_panel=SPEED),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="Number of processes on a CPU; by default one for each core.", rich_help_panel=SPEED
    ),
]
ServerPolicy = Annotated[
    PolicyName | None,
    typer.Option(help="Decoding policy for constraints; by default guided.", rich_help_panel=TERMS),
]
ServerAligner = Annotated[
    AlignerOption | None,
    typer.Option(
        help="Alignment method; by default the model's post-aln head or the attention that aligns best.",
        rich_help_panel=ALIGNMENT,
    ),
]
BatchTokens = Annotated[
    int | None,
    typer.Option(
        min=1, help="Source tokens in a batch; the default depends on the device.", rich_help_panel=SPEED
    ),
]
QueueTokens = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Maximum number of queued source tokens, by default 32,768; further requests are told to retry "
        "later.",
        rich_help_panel=LIMITS,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(min=0.1, help="Timeout of a request, in seconds; by default 60.", rich_help_panel=LIMITS),
]
MaxBody = Annotated[
    int | None,
    typer.Option(
        min=1_000, help="Maximum size of a request, in bytes; by default 4,000,000.", rich_help_panel=LIMITS
    ),
]
AllowOrigin = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        help="Origin whose pages may call the server. May be repeated.",
        rich_help_panel=NETWORK,
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Name by which the server may be called (*.example.org: all names below it). By default only "
        "local names where it listens on 127.0.0.1, and any name elsewhere. May be repeated.",
        rich_help_panel=NETWORK,
    ),
]
TrustedProxy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address or network of a proxy whose X-Forwarded-For tells a client's address. May be repeated.",
        rich_help_panel=NETWORK,
    ),
]
MaxConnections = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Maximum number of connections, by default 1,000; the longest idle one makes room for another.",
        rich_help_panel=LIMITS,
    ),
]
ClientRequests = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Maximum number of requests of one address at a time; by default 512.",
        rich_help_panel=LIMITS,
    ),
]
HeaderTimeout = Annotated[
    float | None,
    typer.Option(
        min=0.1, help="Seconds for the headers of a request; by default 10.", rich_help_panel=LIMITS
    ),
]
BodyTimeout = Annotated[
    float | None,
    typer.Option(min=0.1, help="Seconds for the body of a request; by default 60.", rich_help_panel=LIMITS),
]
IdleTimeout = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Seconds that a connection is kept between requests; by default 30.",
        rich_help_panel=LIMITS,
    ),
]
Grace = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Seconds to finish accepted requests when the server stops; by default 30.",
        rich_help_panel=LIMITS,
    ),
]
LogFormatOption = Annotated[
    Literal["text", "json"] | None,
    typer.Option(help="Form of the log on standard error; by default text.", rich_help_panel=LOG),
]
AccessLog = Annotated[
    bool | None, typer.Option("--access-log", help="Log every request.", rich_help_panel=LOG)
]
SlowSeconds = Annotated[
    float | None,
    typer.Option(
        min=0.001, help="Log requests that take longer; by default 30 seconds.", rich_help_panel=LOG
    ),
]
Traces = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Send OpenTelemetry traces there: http://localhost:4318/v1/traces.",
        rich_help_panel=LOG,
    ),
]

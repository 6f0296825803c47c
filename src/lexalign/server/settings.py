"""The settings of a server: flags, then LEXALIGN_... in the environment, then a file, then defaults."""

import ipaddress
import os
import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from lexalign.alignment.attention_files import parse_place
from lexalign.bundled import BundledModels
from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import parse_device
from lexalign.server.batching.dispatcher import QueueLimits
from lexalign.server.http.connections import ConnectionLimits
from lexalign.server.http.logs import LogFormat
from lexalign.server.http.services import Protection, RequestLimits
from lexalign.server.running import ServerOptions, default_data
from lexalign.server.translating.catalogue import AlignmentChoice, ModelChoice, parse_choice
from lexalign.translator import AlignerName, PolicyName
from lexalign.translator.options import GPU_BATCHING

_PREFIX = "LEXALIGN_"
_OTHERS = ("LEXALIGN_CONFIG", "LEXALIGN_HOME", "LEXALIGN_MODELS")
_LIKENESS = 0.8  # from which on a name is taken for a misspelt one


def _split(value: object) -> object:
    """Lists are written with commas in the environment."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _origin(value: str) -> str:
    """As browsers send it: without a path, not even a slash."""
    found = value.removesuffix("/").lower()
    if found not in ("*", "null") and re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/?#@\s]+", found) is None:
        raise ValueError(f"{value} is no origin; give one such as https://app.example.org")
    return found


def _host_name(value: str) -> str:
    address = value.removeprefix("[").removesuffix("]")
    if "/" in value or (":" in address and not _is_address(address)):
        raise ValueError(f"{value} is no name; give one such as translate.example.org, without a port")
    return value


def _is_address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


Names = Annotated[list[str], NoDecode, BeforeValidator(_split)]
Origins = Annotated[list[Annotated[str, AfterValidator(_origin)]], NoDecode, BeforeValidator(_split)]
HostNames = Annotated[list[Annotated[str, AfterValidator(_host_name)]], NoDecode, BeforeValidator(_split)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class Settings(BaseSettings):
    """Each field is `--its-name` on the command line and LEXALIGN_ITS_NAME in the environment."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, extra="forbid")

    model: Names = []
    source_language: str | None = None
    target_language: str | None = None
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    device: str = "auto"
    float32: bool = False
    workers: Count | None = None
    policy: PolicyName = "guided"
    aligner: AlignerName = "auto"
    layer: str | None = None
    data: Path | None = None
    database: str | None = None
    batch_tokens: Count | None = None
    queue_tokens: Count = QueueLimits.waiting_tokens
    timeout: Seconds = QueueLimits.timeout
    max_body: Annotated[int, Field(ge=1_000)] = RequestLimits.body_bytes
    allow_origin: Origins = []
    allow_host: HostNames = []
    trusted_proxy: Names = []
    max_connections: Count = ConnectionLimits.max_connections
    client_requests: Count = Protection.client_requests
    header_timeout: Seconds = ConnectionLimits.header_seconds
    body_timeout: Seconds = ConnectionLimits.body_seconds
    idle_timeout: Count = ConnectionLimits.idle_seconds
    grace: Count = 30
    log_format: LogFormat = "text"
    access_log: bool = False
    slow_seconds: Seconds = Protection.slow_seconds
    traces: str | None = None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The file's settings come in by `config`, so that each server reads its own."""
        given = dict(init_settings())
        file: dict[str, Any] = given.pop("config", {})
        return (
            InitSettingsSource(settings_cls, given),
            env_settings,
            InitSettingsSource(settings_cls, file),
        )


def read_settings(flags: dict[str, Any], config: Path | None) -> Settings:
    """The settings; flags that are None were not given."""
    config = config or (Path(os.environ["LEXALIGN_CONFIG"]) if os.environ.get("LEXALIGN_CONFIG") else None)
    given = {name: value for name, value in flags.items() if value is not None}
    file = {} if config is None else _read_file(config)
    try:
        return Settings(**given, config=file)  # type: ignore[call-arg]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise LexalignError(
                f"{config}: there is no setting {name!r}; see lexalign serve --help"
            ) from None
        raise LexalignError(f"the setting {name} ({_source(name, given, file)}): {first['msg']}") from None


def misspelt_variables() -> dict[str, str]:
    """Variables of the environment that are no settings, but nearly: what they were probably to be."""
    settings = [f"{_PREFIX}{name.upper()}" for name in Settings.model_fields]
    others = [name for name in os.environ if name.startswith(_PREFIX) and name not in (*settings, *_OTHERS)]
    likely = {name: get_close_matches(name, settings, 1, _LIKENESS) for name in others}
    return {name: found[0] for name, found in likely.items() if found}


def _source(name: str, given: dict[str, Any], file: dict[str, Any]) -> str:
    name = name.partition(".")[0]
    if name in given:
        return f"--{name.replace('_', '-')}"
    variable = f"LEXALIGN_{name.upper()}"
    return variable if variable in os.environ or name not in file else "in the file"


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return {
            name.replace("-", "_"): value for name, value in tomllib.loads(path.read_text("utf-8")).items()
        }
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LexalignError(f"{path}: cannot be read as settings in TOML ({error})") from None


def to_options(settings: Settings) -> ServerOptions:
    place = None if settings.layer is None else parse_place(settings.layer)
    on_cpu = parse_device(settings.device).type == "cpu"
    usual = QueueLimits.batch_tokens if on_cpu else GPU_BATCHING.batch_tokens
    return ServerOptions(
        models=tuple(_models(settings)),
        data=settings.data or default_data(),
        database=settings.database,
        host=settings.host,
        port=settings.port,
        device=settings.device,
        precision="float32" if settings.float32 else None,
        alignment=AlignmentChoice(
            policy=settings.policy,
            aligner=settings.aligner,
            attention=place,
        ),
        workers=settings.workers,
        queue=QueueLimits(
            batch_tokens=settings.batch_tokens or usual,
            waiting_tokens=settings.queue_tokens,
            timeout=settings.timeout,
        ),
        limits=RequestLimits(body_bytes=settings.max_body),
        connections=ConnectionLimits(
            header_seconds=settings.header_timeout,
            body_seconds=settings.body_timeout,
            idle_seconds=settings.idle_timeout,
            max_connections=settings.max_connections,
        ),
        protection=Protection(
            hosts=tuple(settings.allow_host),
            origins=tuple(settings.allow_origin),
            client_requests=settings.client_requests,
            access_log=settings.access_log,
            slow_seconds=settings.slow_seconds,
        ),
        trusted_proxies=tuple(settings.trusted_proxy),
        grace=settings.grace,
        traces=settings.traces,
    )


def _models(settings: Settings) -> list[ModelChoice]:

    source, target = settings.source_language, settings.target_language
    if len(settings.model) > 1 and (source or target):
        raise LexalignError("--from and --to are for a single model; write --model de-en=DIR")
    return [parse_choice(written, source, target) for written in settings.model] or _bundled(source, target)


def _bundled(source: str | None, target: str | None) -> list[ModelChoice]:
    """All bundled and downloaded models, or those between the given languages."""

    found = BundledModels.installed().between(source, target)
    return [
        ModelChoice(source=start, target=end, folder=folder) for (start, end), folder in sorted(found.items())
    ]

"""The server as a deployment of Ray Serve: replicas on many machines, as many as the load asks for.

    LEXALIGN_DATABASE=postgresql://... serve run lexalign.server.replicas:deployment

The settings are those of `lexalign serve`, from the environment and from the file in LEXALIGN_CONFIG. Each
replica has its models and workers; glossaries, keys, usage and jobs are in the database that all share.
"""

import os

from fastapi import FastAPI

from lexalign.contracts.errors import MissingExtraError
from lexalign.server.http.logs import configure_logging
from lexalign.server.running import build
from lexalign.server.settings import read_settings, to_options

try:
    from ray import serve
except ImportError as error:
    raise MissingExtraError(f"replicas need {error.name}: pip install 'lexalign[ray-serve]'") from None

# A replica with so many requests has full batches; with more on the average, another one is started.
_TARGET_REQUESTS, _MAX_REQUESTS = 32, 512


def _build() -> FastAPI:
    """Called in each replica, a process of Ray that has threads."""
    settings = read_settings({}, None)
    configure_logging(settings.log_format)
    return build(to_options(settings), fork=False)


def make_deployment(min_replicas: int = 1, max_replicas: int = 4) -> serve.Application:
    autoscaling = {
        "min_replicas": min_replicas,
        "max_replicas": max_replicas,
        "target_ongoing_requests": _TARGET_REQUESTS,
    }
    made = serve.deployment(
        serve.ingress(_build)(),
        name="lexalign",
        autoscaling_config=autoscaling,
        max_ongoing_requests=_MAX_REQUESTS,
        health_check_period_s=2,
        graceful_shutdown_timeout_s=60,
    )
    return made.bind()


deployment = make_deployment(
    int(os.environ.get("LEXALIGN_MIN_REPLICAS", "1")), int(os.environ.get("LEXALIGN_MAX_REPLICAS", "4"))
)

"""Models of the HuggingFace hub: listed by `huggingface_hub`, which knows the user's token and endpoint.

The hub publishes the SHA-256 of large files, and of small ones the number that git gives them.
"""

import os
from collections.abc import Iterable
from fnmatch import fnmatch
from typing import Any

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.hub.download import UnreachableError
from lexalign.hub.listing import Checksum, Listing, RemoteFile

# Of several forms of the same weights, the first that there is.
_WEIGHTS = (
    ("model.safetensors", "model-*.safetensors", "model.safetensors.index.json"),
    ("pytorch_model.bin", "pytorch_model-*.bin", "pytorch_model.bin.index.json"),
    ("model.bin",),  # of CTranslate2
    ("*.npz", "*.bin"),  # of Marian
)
_OTHERS = (
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "*vocab*.json",
    "*vocab*.txt",
    "*.spm",
    "*.model",
    "merges.txt",
    "*.yml",
    "*.yaml",
)


def list_huggingface(name: str) -> Listing:
    api, url_of, headers = _hub()
    info = _model_info(api, name)
    siblings = {one.rfilename: one for one in info.siblings or [] if "/" not in one.rfilename}
    chosen = _choose(siblings)
    return Listing(
        name=name,
        version=str(info.sha),
        files=tuple(
            RemoteFile(
                name=file,
                url=url_of(name, file, revision=info.sha, endpoint=api.endpoint),
                size=siblings[file].size,
                checksum=_checksum(siblings[file]),
                headers=headers,
            )
            for file in chosen
        ),
    )


def _hub() -> tuple[Any, Any, dict[str, str]]:
    try:
        from huggingface_hub import HfApi, get_token, hf_hub_url
    except ImportError:
        raise MissingExtraError(
            "models of the HuggingFace hub need huggingface_hub, which is not installed: "
            "pip install 'lexalign[models]'"
        ) from None
    token = get_token()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # The package reads HF_ENDPOINT when it is imported, which may have been before it was set.
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None), hf_hub_url, headers


def _model_info(api: Any, name: str) -> Any:
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, OfflineModeIsEnabled

    try:
        return api.model_info(name, files_metadata=True, timeout=30)
    except OfflineModeIsEnabled:
        raise UnreachableError("HF_HUB_OFFLINE is set, so the hub is not used") from None
    except GatedRepoError:
        raise LexalignError(
            f"{name}: its terms must be accepted on its page, {api.endpoint}/{name}; then log in: "
            "hf auth login"
        ) from None
    except HfHubHTTPError as error:
        status = getattr(error.response, "status_code", 0)
        if status in (401, 403, 404):
            raise LexalignError(
                f"{name}: {api.endpoint} has no such model; if it is private, log in: hf auth login"
            ) from None
        raise UnreachableError(f"{api.endpoint} does not answer (HTTP {status}); try again later") from None
    except ValueError as error:
        raise LexalignError(f"{name}: {error}") from None
    except Exception as error:  # of the HTTP library below, which is another one in other versions
        raise UnreachableError(f"{api.endpoint} cannot be reached ({error})") from None


def _choose(names: Iterable[str]) -> list[str]:
    """The weights in one form, and what belongs to them."""
    all_names = sorted(names)
    weights: list[str] = []
    for patterns in _WEIGHTS:
        weights = weights or [name for name in all_names if _matches(name, patterns)]
    if not any(not name.endswith(".json") for name in weights):
        raise LexalignError(f"there are no weights among its files: {', '.join(all_names) or 'none'}")
    return [name for name in all_names if name in weights or _matches(name, _OTHERS)]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _checksum(sibling: Any) -> Checksum | None:
    if sibling.lfs is not None:
        return Checksum(kind="sha256", digest=sibling.lfs.sha256)
    return None if sibling.blob_id is None else Checksum(kind="git", digest=sibling.blob_id)

"""YAML in Marian's files: options and vocabularies. Every scalar stays a string, such as the piece `no`."""

from typing import Any

from lexalign.contracts.errors import LexalignError, MissingExtraError


def read_yaml(content: str | bytes) -> dict[str, Any]:
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("Marian's files need PyYAML: pip install 'lexalign[models]'") from None
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        values = yaml.load(content, Loader=loader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise LexalignError(f"not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(values, dict):
        raise LexalignError("not a mapping of YAML")
    return values

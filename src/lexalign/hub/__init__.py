"""Models by name: found in public indexes, downloaded with checksums, imported into the cache folder."""

from lexalign.hub.models import describe_models, get_model, remove_model

__all__ = ["describe_models", "get_model", "remove_model"]

"""Bundled and downloaded models, found by their languages."""

from lexalign.bundled.registry import BundledModels, find_model

__all__ = ["BundledModels", "find_model"]

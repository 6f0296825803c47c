"""Tokenizers of imported models: other toolkits' files behind our seam."""

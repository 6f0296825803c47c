"""Tokenizers of imported models, read from the files of other toolkits."""

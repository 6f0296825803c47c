"""Parallel text from files to batches of tokens, in a fixed order that can be resumed anywhere."""

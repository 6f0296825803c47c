"""Parallel text from files to batches of tokens, in a fixed order that can be taken up again anywhere."""

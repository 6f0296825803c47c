"""Tools that write corpora: gold text, held-out text, other spellings, and synthetic languages."""

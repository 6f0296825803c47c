"""From text to subwords and words, and back, without losing a character."""

"""Message catalogues: the strings of programs, by keys."""

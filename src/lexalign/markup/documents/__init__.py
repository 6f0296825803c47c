"""Document formats, one file for each."""

"""Reports of candidates and of findings: one writer for each format."""

"""The sections of docs/results.md, one file for each group of tables."""

"""The sections of docs/research/results.md, one file for each group of tables."""

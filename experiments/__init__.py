"""The paper's tables, from corpora to docs/results.md: `python -m experiments.run PAIR`."""

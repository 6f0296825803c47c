"""The paper's tables, from corpora to docs/research/results.md: `python -m experiments.paper.run PAIR`."""

"""The tables of the paper, from corpora to docs/results.md: `python -m experiments.paper.run PAIR`."""

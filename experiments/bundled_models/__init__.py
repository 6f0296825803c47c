"""How the bundled models are made: `python -m experiments.bundled_models`."""

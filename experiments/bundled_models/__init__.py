"""How the models that come with the package are made: `python -m experiments.bundled_models`."""

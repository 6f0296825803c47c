"""Regular inflected forms of target terms, for the model to choose from."""

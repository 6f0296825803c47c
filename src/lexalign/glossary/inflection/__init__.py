"""Regular inflected forms of target terms, among which the model chooses."""

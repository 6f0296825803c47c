"""Translation requests: the model of each text, its terms, its sentences, and the translations."""

"""Models in the formats of the toolkit Marian itself, as OPUS-MT's originals and Firefox's are."""

"""Libraries that detect languages, and the texts that they are compared on."""

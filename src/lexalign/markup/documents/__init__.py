"""Documents: their segments, and the translated document; one file for each format."""

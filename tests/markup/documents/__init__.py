"""Documents of every format, in text of our own."""

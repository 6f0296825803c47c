"""What outlives the server: glossaries and keys, in one SQLite file."""

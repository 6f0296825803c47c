"""Persistent storage: glossaries and API keys, in one SQLite file."""

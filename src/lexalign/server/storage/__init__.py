"""Persistent storage: glossaries, keys, usage, jobs and documents, in an SQLite file or in PostgreSQL."""

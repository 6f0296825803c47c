"""Glossaries made from translation memories: candidates, their translations, entries."""

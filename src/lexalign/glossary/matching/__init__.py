"""Matching of a glossary's terms in a text."""

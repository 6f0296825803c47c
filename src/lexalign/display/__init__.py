"""Translations for people to look at: words and their links, terms in words, and HTML."""

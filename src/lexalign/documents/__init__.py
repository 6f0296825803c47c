"""Whole documents: a memory's matches, the translation, its report, and notes in the document."""

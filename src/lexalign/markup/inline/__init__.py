"""Inline markup: tagged text from HTML and XML."""

"""A translation as people look at it: on a terminal, and as a page."""

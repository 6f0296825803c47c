"""Output of evaluations: a table, JSON, and an HTML page."""

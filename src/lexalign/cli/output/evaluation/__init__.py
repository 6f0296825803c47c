"""What an evaluation looks like: a table, JSON, a page."""

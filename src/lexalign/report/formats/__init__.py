"""Reports as JSON, CSV and HTML, and in one line."""

"""Output of translations: lines, a terminal view, and an HTML page."""

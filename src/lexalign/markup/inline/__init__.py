"""Tagged text from markup: XML, HTML, placeholders in plain strings."""

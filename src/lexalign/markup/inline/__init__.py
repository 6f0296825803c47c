"""Tagged text from markup: XML, HTML, tags in plain strings."""

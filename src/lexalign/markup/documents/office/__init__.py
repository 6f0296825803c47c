"""Office documents: ZIP packages of XML parts."""

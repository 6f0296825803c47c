"""Where the terms of a glossary stand in a text."""

"""Markdown: CommonMark with tables, front matter, strikethrough and footnotes."""

"""Whether placeholders, addresses and their like survive a translation, by every way in; what it costs."""

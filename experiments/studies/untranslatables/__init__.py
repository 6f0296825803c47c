"""Whether placeholders, addresses and their like survive a translation, by every interface; what it costs."""

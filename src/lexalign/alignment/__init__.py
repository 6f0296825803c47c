"""Word alignment: from a model's attention, from learned heads, and from statistics of a corpus."""

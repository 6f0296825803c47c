"""Translation that knows where every word came from, and puts a user's terms where they belong."""

__version__ = "0.1.0"

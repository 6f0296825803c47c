"""The HTTP server: its own API, APIs compatible with DeepL and LibreTranslate, and a web page."""

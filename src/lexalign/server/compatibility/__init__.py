"""APIs compatible with DeepL and LibreTranslate, for their clients."""

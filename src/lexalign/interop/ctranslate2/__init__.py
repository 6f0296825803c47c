"""CTranslate2 folders: import of its binary models, and export by its own converter."""

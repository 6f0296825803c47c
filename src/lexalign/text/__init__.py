"""Text: languages, sentences, words, and reversible tokenization into subwords."""

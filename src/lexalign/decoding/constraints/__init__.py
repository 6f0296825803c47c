"""What is asked of a sentence, as automata over tokens and what every hypothesis has met of it."""

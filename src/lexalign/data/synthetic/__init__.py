"""A small synthetic German-English corpus, for the demo, the tests and tiny training runs.

    Am dritten Mai kaufte Anna dreiundzwanzig Äpfel.
    On the third of May, Anna bought twenty-three apples.

A few hundred words, millions of sentences, and real differences in word order.
"""

from random import Random

from lexalign.data.synthetic.sentences import PATTERNS

__all__ = ["generate"]


def generate(num_pairs: int, seed: int = 1) -> list[tuple[str, str]]:
    """`num_pairs` different pairs of a German and an English sentence; the same for the same seed.

    A longer list begins with the shorter one, so parts of a list can serve as training and test data.
    """
    random = Random(seed)
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < num_pairs:
        sentence = random.choice(PATTERNS)(random)
        pairs[_capitalised(sentence.german), _capitalised(sentence.english)] = None
    return list(pairs)


def _capitalised(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]

"""French whose contracted words are taken apart."""

import pytest

from experiments.corpora.french_contractions import expand_contractions


@pytest.mark.parametrize(
    ("written", "apart"),
    [
        ("L'heure du départ n'est qu'un début.", "Le heure de le départ ne est que un début."),
        ("Des gens l’ont dit aux autres, au plus tard aujourd'hui.",
         "De les gens le ont dit à les autres, à le plus tard aujourd'hui."),
        ("C'est-à-dire : s'il y a, d'abord, quelqu'un.", "Ce est-à-dire : se il y a, de abord, quelque un."),
        ("AU CANADA, QU'ON", "À LE CANADA, QUE ON"),
        ("Le dû, l'au-delà et les bureaux de Du-Plessis", "Le dû, le au-delà et les bureaux de Du-Plessis"),
        ("", ""),
    ],
)  # fmt: skip
def test_contracted_words_are_taken_apart(written: str, apart: str) -> None:
    assert expand_contractions(written) == apart

"""Sentences and what is known of them, through any changes of their text, in the browser itself."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

LETTERS = st.text(alphabet="ab. \n😀", max_size=30)
# Types texts one after another into segments that a simple splitter has told apart, as the page does.
_RUN = """async (texts) => {
  const { resplit, sourceText, targetOf, typedOver } = await import("./page/state/segments.js");
  const empty = { terms: [], protected: [], missingNumbers: [], uncovered: [], complete: true };
  const spans = (text) => [...text.matchAll(/\\S[^.\\n]*[.]?/gu)].map((one) => [one.index, one.index + one[0].length]);
  const translated = (one) => (one.result ? one : { ...one, result: { ...empty, text: one.source.toUpperCase() } });
  const found = [];
  let segments = [];
  for (const text of texts) {
    const before = segments.map((one) => one.source);
    const typed = typedOver(segments, text);
    const split = resplit(typed, text, spans(text));
    segments = split.map(translated);
    const kept = split.filter((one) => one.result).map((one) => [one.source, targetOf(one)]);
    found.push({ typed: sourceText(typed), split: sourceText(split), kept, before, now: segments.map((one) => one.source) });
  }
  return found;
}"""  # noqa: E501


def test_no_letter_is_lost_and_unchanged_sentences_keep_their_translations(page: Page) -> None:
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(LETTERS, min_size=2, max_size=5))
    def check(texts: list[str]) -> None:
        steps: list[dict[str, Any]] = page.evaluate(_RUN, texts)
        for text, step in zip(texts, steps, strict=True):
            assert step["typed"] == text
            assert step["split"] == text
            assert all(target == source.upper() for source, target in step["kept"] if source)
            # As many of each sentence as stood there before are translated without being asked for again.
            for sentence in (set(step["before"]) & set(step["now"])) - {""}:
                known = [source for source, _ in step["kept"]].count(sentence)
                assert known == min(step["before"].count(sentence), step["now"].count(sentence))

    check()

// A text as words, punctuation and space: the pieces that can be pointed at.

const segmenters = new Map();

function segmenter(language) {
  if (!segmenters.has(language))
    segmenters.set(language, new Intl.Segmenter(language ?? undefined, { granularity: "word" }));
  return segmenters.get(language);
}

// {text, start, end, shown: whether it is more than space, word: whether it is a word}
export function piecesOf(text, language) {
  return [...segmenter(language).segment(text)].map(({ segment, index, isWordLike }) => ({
    text: segment,
    start: index,
    end: index + segment.length,
    shown: segment.trim() !== "",
    word: isWordLike,
  }));
}

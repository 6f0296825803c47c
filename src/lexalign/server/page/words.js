// The words of texts, and which of them are aligned.
//
// The server counts characters by code points, JavaScript by UTF-16 units; both occur only here.

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

// The pieces of a text: {text, start, end} in code points, and whether it is a word to be highlighted.
export function piecesOf(text) {
  let start = 0;
  return [...segmenter.segment(text)].map(({ segment }) => {
    const piece = { text: segment, start, end: start + [...segment].length, word: segment.trim() !== "" };
    start = piece.end;
    return piece;
  });
}

export function slice(text, [start, end]) {
  return [...text].slice(start, end).join("");
}

export function codePoints(text, units) {
  return [...text.slice(0, units)].length;
}

export const overlaps = (piece, [start, end]) => piece.start < end && start < piece.end;

// aligned[side][index]: a Map from the words of the other side to the probability of their alignment.
export function alignedWords(source, target, links) {
  const aligned = { source: source.map(() => new Map()), target: target.map(() => new Map()) };
  for (const link of links) {
    const sourceIndexes = indexes(source, link.source);
    for (const targetIndex of indexes(target, link.target)) {
      for (const sourceIndex of sourceIndexes) {
        add(aligned.target[targetIndex], sourceIndex, link.probability);
        add(aligned.source[sourceIndex], targetIndex, link.probability);
      }
    }
  }
  aligned.target.forEach((found, targetIndex) => {
    const count = links.filter((link) => overlaps(target[targetIndex], link.target)).length;
    for (const [sourceIndex, sum] of found) {
      found.set(sourceIndex, sum / count);
      aligned.source[sourceIndex].set(targetIndex, sum / count);
    }
  });
  return aligned;
}

function indexes(pieces, span) {
  return pieces.flatMap((piece, index) => (piece.word && overlaps(piece, span) ? [index] : []));
}

function add(map, key, amount) {
  map.set(key, (map.get(key) ?? 0) + amount);
}

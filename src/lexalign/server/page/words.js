// Texts as words, and which words belong together.
//
// The server counts characters by code points, JavaScript by UTF-16 units; only here do both occur.

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

// The pieces of a text: {text, start, end} in code points, and whether it is a word to be lit up.
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

// partners[side][index]: a Map from the words of the other side to their share of what is known of this one.
export function partnersOf(source, target, links) {
  const partners = { source: source.map(() => new Map()), target: target.map(() => new Map()) };
  for (const link of links) {
    const origins = indexes(source, link.source);
    for (const place of indexes(target, link.target)) {
      for (const origin of origins) {
        add(partners.target[place], origin, link.probability);
        add(partners.source[origin], place, link.probability);
      }
    }
  }
  partners.target.forEach((found, place) => {
    const count = links.filter((link) => overlaps(target[place], link.target)).length;
    for (const [origin, sum] of found) {
      found.set(origin, sum / count);
      partners.source[origin].set(place, sum / count);
    }
  });
  return partners;
}

function indexes(pieces, span) {
  return pieces.flatMap((piece, index) => (piece.word && overlaps(piece, span) ? [index] : []));
}

function add(map, key, amount) {
  map.set(key, (map.get(key) ?? 0) + amount);
}

// What is asked when somebody wants other words at a place of the translation.

import { counterparts } from "../text/alignment.js";
import { contains, overlaps } from "../text/offsets.js";
import { piecesOf } from "../text/pieces.js";
import { alignmentOf } from "./alignments.js";
import { shownResult, targetOf } from "./segments.js";
import { session, settingsOf } from "./session.js";

const MOST_TARGETS = 20; // of a term in a request
const STRONG = 0.3; // probability of source words that a phrase is taken to translate

// What is asked at a word or phrase. A word of a term stands for all of it, and the term is not insisted on;
// a longer phrase with a term in it stays what it is.
export function questionAt(place) {
  const { segments, target: language } = session.get();
  const segment = segments[place.segment];
  const text = targetOf(segment);
  const pieces = piecesOf(text, language);
  const span = [pieces[place.piece].start, pieces[place.last].end];
  const term = shownResult(segment)?.terms.find(
    (one) => one.met && one.kind !== "avoid" && one.source && one.target && contains(one.target, span),
  );
  if (!term)
    return {
      place,
      segment,
      text,
      span,
      phrase: text.slice(...span),
      source: null,
      settings: settingsOf(session.get()),
    };
  const inside = [...pieces.keys()].filter(
    (index) => pieces[index].shown && overlaps([pieces[index].start, pieces[index].end], term.target),
  );
  return {
    place: { ...place, piece: inside[0], last: inside.at(-1) },
    segment,
    text,
    span: term.target,
    phrase: text.slice(...term.target),
    source: segment.source.slice(...term.source),
    settings: withoutTerm(settingsOf(session.get()), term),
    term,
  };
}

// A term of the user's own is left out. One of a glossary gives way to an own one that avoids what it asks for.
function withoutTerm(settings, { entries = [], targets }) {
  const sources = new Set(entries.map((entry) => entry.source));
  const own = settings.glossary ?? [];
  const others = own.filter((entry) => !sources.has(entry.source));
  if (others.length < own.length) return { ...settings, glossary: others };
  const avoided = [...sources].map((source) => ({
    source,
    targets: targets.slice(0, MOST_TARGETS),
    policy: "avoid",
  }));
  return { ...settings, glossary: [...others, ...avoided] };
}

// The source words, from the first to the last, that a phrase comes from.
export async function sourcePhrase(segment, { piece, last }) {
  const alignment = await alignmentOf(segment);
  if (!alignment) return null;
  const indexes = [];
  for (let index = piece; index <= last; index++) {
    for (const [other, probability] of counterparts(alignment.matrix, "target", index)) {
      if (probability >= STRONG && alignment.source[other].word) indexes.push(other);
    }
  }
  if (!indexes.length) return null;
  const [first, end] = [Math.min(...indexes), Math.max(...indexes)];
  return segment.source.slice(alignment.source[first].start, alignment.source[end].end);
}

// A text as sentences with their translations, and how both survive a change of the text.
//
// A segment is {gap: what stands before the sentence, source, result, own, old}: `result` is the server's
// translation, null while it is awaited; `own` is the user's wording of it, {text, result}; `old` is the text
// shown, dimmed, until there is a new one. One that is being typed in has the segments that it replaces as
// `before`: they may come back. Segments are not changed but replaced.

export const newSegment = (gap, source) => ({ gap, source, result: null, own: null, old: "" });

// What is kept of segments for another day, so that the user's own wordings come back.
export const keptOf = (segments) =>
  segments.some((one) => one.own)
    ? segments.map(({ gap, source, own }) => ({ ...newSegment(gap, source), own }))
    : [];

export const targetOf = (segment) => segment.own?.text ?? segment.result?.text ?? "";

// The translation that is shown, with its terms and what may be wrong. Of the user's own wording only that is
// known which the server said of it, and whether it has the terms of the sentence.
export function shownResult({ own, result }) {
  if (!own) return result;
  const known = own.result ?? nothing();
  return {
    ...known,
    text: own.text,
    terms: result ? result.terms.map((term) => termIn(own.text, term)) : known.terms,
  };
}

function termIn(text, term) {
  const places = term.targets.map((target) => [
    text.toLowerCase().indexOf(target.toLowerCase()),
    target.length,
  ]);
  const [start, length] = places.find(([place]) => place >= 0) ?? [-1, 0];
  const [isThere, avoided] = [start >= 0, term.kind === "avoid"];
  const target = isThere ? [start, start + length] : null;
  return { ...term, met: isThere !== avoided, target, form: target && text.slice(...target), reason: null };
}

export const isFinal = (segment) => segment.own !== null || segment.result !== null;

export const sourceText = (segments) => segments.map((one) => one.gap + one.source).join("");

export const targetText = (segments) => segments.map((one) => one.gap + targetOf(one)).join("");

// While somebody types: the segments that a change has not touched, and one for all that it has.
export function typedOver(segments, text) {
  const typed = sourceText(segments);
  if (typed === text) return segments;
  let start = 0;
  const least = Math.min(typed.length, text.length);
  while (start < least && typed[start] === text[start]) start++;
  let end = 0;
  while (end < least - start && typed.at(-1 - end) === text.at(-1 - end)) end++;
  const [head, tail] = [untouched(segments, start), untouched([...segments].reverse(), end).reverse()];
  const touched = segments.slice(head.length, segments.length - tail.length);
  const changed = text.slice(lengthOf(head), text.length - lengthOf(tail));
  if (!changed) return [...head, ...tail];
  const gap = /^\s*/.exec(changed)[0];
  const before = touched.flatMap((one) => one.before ?? [one]);
  return [...head, { ...newSegment(gap, changed.slice(gap.length)), old: oldText(touched), before }, ...tail];
}

// The first segments that lie within so many characters. One that the change only touches may be a part of
// a longer sentence now, so it counts as changed.
function untouched(segments, length) {
  let sum = 0;
  const found = segments.findIndex((one) => (sum += one.gap.length + one.source.length) >= length);
  return found < 0 ? segments : segments.slice(0, found);
}

const lengthOf = (segments) => segments.reduce((sum, one) => sum + one.gap.length + one.source.length, 0);

const oldText = (segments) =>
  segments.map((one, index) => (index ? one.gap : "") + (isFinal(one) ? targetOf(one) : one.old)).join("");

// The sentences that the server has told apart. Those that were there before keep what is known of them.
export function resplit(segments, text, spans) {
  const before = segments.flatMap((segment) => segment.before ?? [segment]);
  const known = new Map();
  for (const one of before) known.set(one.source, [...(known.get(one.source) ?? []), one]);
  let end = 0;
  const found = spans
    .filter(([first, last]) => text.slice(first, last).trim())
    .map(([first, last]) => {
      const fresh = newSegment(text.slice(end, first), text.slice(first, last));
      end = last;
      const same = known.get(fresh.source)?.shift();
      if (!same) return fresh;
      return same.gap === fresh.gap ? same : { ...same, gap: fresh.gap };
    });
  keepOldText(before, found);
  if (end < text.length) found.push(newSegment(text.slice(end), ""));
  return found.map((one) => (one.source ? one : { ...one, result: nothing() }));
}

// What was shown for sentences that are gone is shown, dimmed, where the first new sentence stands.
function keepOldText(before, after) {
  const stays = new Set(after.map((one) => one.source));
  const gone = before.filter((one) => !stays.has(one.source));
  const first = after.find((one) => !isFinal(one) && !one.old);
  if (first && gone.length) first.old = oldText(gone);
}

const nothing = () => ({
  text: "",
  complete: true,
  terms: [],
  protected: [],
  missingNumbers: [],
  uncovered: [],
});

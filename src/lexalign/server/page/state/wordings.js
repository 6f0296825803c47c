// The user's own wording of a sentence: {source, index}, which may stand elsewhere by now.

import { direction, session } from "./session.js";

const aside = new Map(); // wordings of sentences that are gone: they may be pasted elsewhere, or typed again

// Put it in the place of a translation; `result` is a translation of the server's with this text, or null.
// Returns a function that takes it back, or null where the sentence is gone.
export const putOwnWording = (sentence, text, result = null) => setOwn(sentence, { text, result });

export const dropOwnWording = (sentence) => setOwn(sentence, null);

// What is taken back is this wording, and no later one.
function setOwn(sentence, own) {
  const index = placeOf(sentence);
  if (index < 0) return null;
  const before = session.get().segments[index].own;
  replace(index, own);
  return () => {
    const now = placeOf(sentence, (one) => one.own === own);
    if (now >= 0) replace(now, before);
  };
}

function placeOf({ source, index }, fits = () => true) {
  const { segments } = session.get();
  const isIt = (one) => one?.source === source && fits(one);
  return isIt(segments[index]) ? index : segments.findIndex(isIt);
}

function replace(index, own) {
  const { segments } = session.get();
  session.set({ segments: segments.with(index, { ...segments[index], own }) });
}

const reworded = (segments) => segments.flatMap((one) => one.before ?? [one]).filter((one) => one.own);

const keyOf = ({ source }) => `${direction(session.get())}\n${source}`;

export function setAside(before, after) {
  const stays = new Set(reworded(after).map((one) => one.own));
  for (const one of reworded(before)) if (!stays.has(one.own)) aside.set(keyOf(one), one.own);
}

export function bringBack(segments) {
  return segments.map((one) => {
    const own = one.own ?? aside.get(keyOf(one)) ?? null;
    if (own === one.own) return one;
    aside.delete(keyOf(one));
    return { ...one, own };
  });
}

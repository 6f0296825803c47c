// The user's own wording of a sentence: {source, index}, which may stand elsewhere by now.

import { session } from "./session.js";

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

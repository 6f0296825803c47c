// The last texts and their translations, in this browser alone.

import { targetText } from "./segments.js";
import { direction, session } from "./session.js";
import { forget, load, save } from "./storage.js";

const HISTORY = "lexalign-history";
const KEEP = "lexalign-keep-history";
const MOST = 50;
const RESTED = 3000; // milliseconds without a change, after which a text is worth keeping
const LONGEST = 20_000; // characters; longer texts are documents

let timer = 0;

export const isKept = () => load(localStorage, KEEP, true);

export function setKept(kept) {
  save(localStorage, KEEP, kept);
  if (!kept) clearHistory();
}

export const history = () => load(localStorage, HISTORY, []);

export const clearHistory = () => forget(localStorage, HISTORY);

export const restoreHistory = (items) => save(localStorage, HISTORY, items);

export function followSession() {
  session.on(["status", "segments"], ({ status }) => {
    clearTimeout(timer);
    if (status === "final" && isKept()) timer = setTimeout(remember, RESTED);
  });
}

// A text that goes on with the last one takes its place.
export function remember() {
  const state = session.get();
  const { text, segments, from, source, target } = state;
  if (state.status !== "final" || !text.trim() || text.length > LONGEST) return;
  const item = { text, translation: targetText(segments), from, source, target, time: Date.now() };
  const others = history().filter(
    (one) => direction(one) !== direction(item) || !continues(item.text, one.text),
  );
  save(localStorage, HISTORY, [item, ...others].slice(0, MOST));
}

const continues = (text, before) => text.startsWith(before) || before.startsWith(text);

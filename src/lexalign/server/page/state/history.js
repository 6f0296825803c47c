// The last texts and their translations, in this browser alone.

import { keptOf, targetText } from "./segments.js";
import { direction, session } from "./session.js";
import { DEVICE, forget, load, save } from "./storage.js";

const HISTORY = "lexalign-history";
const KEEP = "lexalign-keep-history";
const MOST = 50;
const RESTED = 3000; // milliseconds without a change, after which a text is worth keeping
const LONGEST = 20_000; // characters; longer texts are documents
const ALL = 400_000; // characters of all texts: a browser has room for some millions, and terms need it too

let timer = 0;

export const isKept = () => load(DEVICE, KEEP, true);

export function setKept(kept) {
  save(DEVICE, KEEP, kept);
  if (!kept) clearHistory();
}

export const history = () => load(DEVICE, HISTORY, []);

export const clearHistory = () => forget(DEVICE, HISTORY);

export const restoreHistory = (items) => save(DEVICE, HISTORY, items);

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
  const translation = targetText(segments);
  const item = { text, translation, wordings: keptOf(segments), from, source, target, time: Date.now() };
  const others = history().filter(
    (one) => direction(one) !== direction(item) || !continues(item.text, one.text),
  );
  let room = ALL;
  const fits = (one) => (room -= one.text.length) >= 0;
  save(DEVICE, HISTORY, [item, ...others].slice(0, MOST).filter(fits));
}

const continues = (text, before) => text.startsWith(before) || before.startsWith(text);

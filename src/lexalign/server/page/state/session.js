// The state of the page: languages, text, sentences and their translations, glossaries in use.

import { keptOf } from "./segments.js";
import { createStore } from "./store.js";
import { TAB, load, save } from "./storage.js";

const TEXT = "lexalign-text";
const WORDINGS = "lexalign-wordings"; // {target, segments}

export const session = createStore({
  models: [],
  from: "auto", // a language, or "auto"
  source: null, // the language that is translated from
  target: null,
  detected: null, // {language, name, probability}
  text: "",
  segments: [],
  status: "idle", // idle, working, final or failed
  trouble: null, // {message, retry: a function, or null where it would not help}
  pointed: null, // the segment under the cursor, by its index
  glossaries: [], // stored ones, with their names and sizes
  chosen: [], // ids of those in use
  terms: [], // the user's own, of this direction
  opened: null, // the list of terms that is shown: a glossary's id, or null for the user's own
});

// A text outlives a reload of its tab, and so do the user's own wordings; what outlives the tab is the history.
export function restoreText() {
  const { target, segments = [] } = load(TAB, WORDINGS, {});
  return [load(TAB, TEXT, ""), target === session.get().target ? segments : []];
}

session.on(["text"], ({ text }) => save(TAB, TEXT, text));
session.on(["segments"], ({ target, segments }) =>
  save(TAB, WORDINGS, { target, segments: keptOf(segments) }),
);

export const languagesOf = ({ source, target }) => ({ source_language: source, target_language: target });

export const direction = ({ source, target }) => `${source}>${target}`;

// What a translation depends on beside its sentence.
export function settingsOf(state) {
  return {
    ...languagesOf(state),
    ...(state.terms.length ? { glossary: state.terms.map(withoutDefaults) } : {}),
    ...(state.chosen.length ? { glossary_ids: state.chosen } : {}),
  };
}

const DEFAULTS = { policy: "must", case: "match-source", forms: "default", compounds: "default", note: "" };

// Terms as short as they can be sent.
export const withoutDefaults = (term) =>
  Object.fromEntries(
    Object.entries(term).filter(([name, value]) => value !== null && value !== DEFAULTS[name]),
  );

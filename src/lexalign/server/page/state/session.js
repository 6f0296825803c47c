// The state of the page: languages, text, sentences and their translations, glossaries in use.

import { createStore } from "./store.js";
import { load, save } from "./storage.js";

const TEXT = "lexalign-text";

export const session = createStore({
  models: [],
  from: "auto", // a language, or "auto"
  source: null, // the language that is translated from
  target: null,
  detected: null, // {language, name, probability}
  text: "",
  segments: [],
  status: "idle", // idle, working, final or failed
  trouble: null, // {message, retry}
  pointed: null, // the segment under the cursor, by its index
  glossaries: [], // stored ones, with their names and sizes
  chosen: [], // ids of those in use
  terms: [], // the user's own, of this direction
  opened: null, // the list of terms that is shown: a glossary's id, or null for the user's own
});

// A text outlives a reload of its tab; what outlives the tab is the history.
export const restoreText = () => load(sessionStorage, TEXT, "");
session.on(["text"], ({ text }) => save(sessionStorage, TEXT, text));

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

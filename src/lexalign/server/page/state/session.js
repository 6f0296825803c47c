// The state of the page: languages, text, sentences and their translations, glossaries in use.

import { keptOf, typedOver } from "./segments.js";
import { createStore } from "./store.js";
import { TAB, load, save } from "./storage.js";

const TEXT = "lexalign-text";
const WORDINGS = "lexalign-wordings"; // {source, target, segments}

// A text outlives a reload of its tab, and so do the user's own wordings, whether the server is there or not; what
// outlives the tab is the history.
const { source = null, target = null, segments = [] } = load(TAB, WORDINGS, {});
const text = load(TAB, TEXT, "");

export const session = createStore({
  models: [], // none until the server has named them
  from: "auto", // a language, or "auto"
  source, // the language that is translated from
  target,
  detected: null, // {language, name, probability}
  text,
  segments: typedOver(segments, text),
  status: "idle", // idle, working, final or failed
  trouble: null, // {message, retry: a function, or null where it would not help}
  pointed: null, // the segment under the cursor, by its index
  glossaries: [], // stored ones, with their names and sizes
  chosen: [], // ids of those in use
  terms: [], // the user's own, of this direction
  opened: null, // the list of terms that is shown: a glossary's id, or null for the user's own
});

session.on(["text"], ({ text }) => save(TAB, TEXT, text));
session.on(["segments"], ({ source, target, segments }) =>
  save(TAB, WORDINGS, { source, target, segments: keptOf(segments) }),
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

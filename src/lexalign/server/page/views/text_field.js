// The text to translate is put into its field from elsewhere: the last one, one of the history, none.

import { keptOf } from "../state/segments.js";
import { session } from "../state/session.js";
import { typed } from "../state/translating.js";
import { byId } from "./elements.js";
import { tellUndoable } from "./notices.js";
import { field } from "./panes.js";

export function setUpTextField() {
  field.addEventListener("input", () => typed(field.value));
  byId("clear").addEventListener("click", clear);
}

// `segments` are those of an earlier time, with the user's own wordings.
export function putText(text, segments = []) {
  field.value = text;
  session.set({ segments });
  typed(text);
}

// A function that puts the text back as it is now, with its languages and the user's own wordings.
export function bookmark() {
  const { text, segments, from, source, target } = session.get();
  return () => {
    session.set({ from, source, target });
    putText(text, keptOf(segments));
  };
}

function clear() {
  const back = bookmark();
  putText("");
  field.focus();
  tellUndoable("The text was cleared.", back);
}

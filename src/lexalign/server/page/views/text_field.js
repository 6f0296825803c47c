// The field of the text to translate, and texts that are put into it: the translation, one of the history, none.

import { keptOf } from "../state/segments.js";
import { session } from "../state/session.js";
import { typed } from "../state/translating.js";
import { byId } from "./elements.js";
import { tellUndoable } from "./notices.js";
import { field } from "./panes.js";

const MOST = 50; // changes of the page's that the field's own undo can cross
const changes = []; // [before, after]: {text, from, source, target, segments}

export function setUpTextField() {
  field.addEventListener("input", onInput);
  byId("clear").addEventListener("click", clear);
  if (field.value) typed(field.value); // somebody was quicker than this script
  else field.value = session.get().text;
}

// Put a text, with its languages, and with segments of an earlier time that hold the user's own wordings.
export function putText(text, state = {}) {
  const before = moment();
  session.set({ segments: [], ...state });
  write(text);
  typed(text);
  changes.push([before, moment()]);
  if (changes.length > MOST) changes.shift();
}

// A function that puts the text back as it is now, with its languages and the user's own wordings.
export function bookmark() {
  const { text, ...state } = moment();
  return () => putText(text, state);
}

function moment() {
  const { text, segments, from, source, target } = session.get();
  return { text, from, source, target, segments: keptOf(segments) };
}

// As if it were pasted, so that the field's own undo knows of it. In a text field markup is text; "insertText" would
// be the same for it, but takes seconds for a text of many lines.
function write(text) {
  const focused = document.activeElement;
  field.focus({ preventScroll: true });
  if (document.activeElement === field) {
    field.select();
    const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    document.execCommand(text ? "insertHTML" : "delete", false, escaped);
    focused.focus({ preventScroll: true });
  }
  if (field.value !== text) field.value = text; // the field is hidden, or the browser does not know the command
}

// Where the field's undo or redo crosses a change of the page's, it leads to other languages and wordings as well.
function onInput({ inputType }) {
  const { text } = session.get();
  const isBetween = (change) => [text, field.value].every((one) => change.some((side) => side.text === one));
  const crossed = inputType?.startsWith("history") && text !== field.value && changes.findLast(isBetween);
  if (crossed) session.set(languagesAndWordings(crossed.find((side) => side.text === field.value)));
  typed(field.value);
}

const languagesAndWordings = ({ text, ...state }) => state;

function clear() {
  const back = bookmark();
  putText("");
  field.focus();
  tellUndoable("The text was cleared.", back);
}

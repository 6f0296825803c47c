// A sentence of the translation as a text to be edited. Its beginning can be held, and the rest follow.

import { findAlternatives } from "../api/translation.js";
import { targetOf } from "../state/segments.js";
import { session, settingsOf } from "../state/session.js";
import { dropOwnWording, putOwnWording } from "../state/wordings.js";
import { button, byId, make } from "./elements.js";
import { unlight } from "./linking.js";
import { tell, tellUndoable } from "./notices.js";
import { output, sentenceAt } from "./panes.js";

let opened = null; // the sentence that is being edited: {place: {source, index}, editor, leave}

export function editSentence(index) {
  const sentence = sentenceAt("target", index);
  if (!sentence || sentence.matches(".stale")) return;
  byId("alternatives").hidePopover();
  unlight();
  const segment = session.get().segments[index];
  const place = { source: segment.source, index };
  const editor = createEditor(targetOf(segment));
  const actions = {
    finish: () => (finish(), output.focus()),
    follow: letFollow,
    drop: () => (leave(), output.focus(), offerUndo(dropOwnWording(place), "The first wording stands again.")),
    cancel: () => (leave(), output.focus()),
  };
  const bar = createBar(segment, actions);
  const leave = () => {
    opened = null;
    sentence.hidden = false;
    editor.element.remove();
    bar.remove();
  };
  opened = { place, editor, leave };
  onKeys(editor.element, { Enter: actions.finish, "Ctrl+Enter": letFollow, Escape: actions.cancel });
  for (const element of [editor.element, bar]) element.addEventListener("focusout", finishElsewhere(bar));
  sentence.hidden = true;
  sentence.after(editor.element, bar);
  editor.element.focus();
  getSelection().selectAllChildren(editor.element);
  getSelection().collapseToEnd();
}

// Whoever goes on elsewhere on the page has finished. Another window, as a dictionary, is not elsewhere.
const finishElsewhere =
  (bar) =>
  ({ relatedTarget }) => {
    const inside = relatedTarget === opened?.editor.element || bar.contains(relatedTarget);
    if (document.hasFocus() && opened && !inside) finish();
  };

// A sentence that is drawn anew has lost its editor, but not what was written in it.
session.on(["segments"], () =>
  setTimeout(() => {
    if (opened && !opened.editor.element.isConnected) finish();
  }),
);

// {element, text: what it held at first, caret: where the caret was last}
function createEditor(text) {
  const properties = { className: "editor", role: "textbox", ariaLabel: "Edit this sentence" };
  const element = make("span", { ...properties, lang: output.lang, dir: output.dir }, text);
  makeEditable(element);
  const editor = { element, text, caret: text.length };
  const remember = () => (editor.caret = caretIn(element) ?? editor.caret);
  for (const name of ["keyup", "pointerup", "input", "focusout"]) element.addEventListener(name, remember);
  return editor;
}

// Older browsers know no text without formatting, and say so by an error.
function makeEditable(element) {
  try {
    element.contentEditable = "plaintext-only";
  } catch {
    element.contentEditable = "true";
  }
}

function createBar(segment, { finish, follow, drop, cancel }) {
  const explained = "Keeps your words up to the cursor, and translates the rest to suit them (Ctrl+Enter)";
  const first = segment.own
    ? [button("First wording", drop, { title: "Take the server's translation again" })]
    : [];
  return make(
    "span",
    {
      className: "editor-bar",
      contentEditable: "false",
      role: "group",
      ariaLabel: "This sentence",
      onmousedown: (event) => event.preventDefault(), // the caret stays where it is
    },
    button("Done", finish, { title: "Enter" }),
    button("Let the rest follow", follow, { title: explained }),
    ...first,
    button("Cancel", cancel, { title: "Esc" }),
  );
}

function onKeys(element, actions) {
  element.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const act = actions[(event.ctrlKey || event.metaKey ? "Ctrl+" : "") + event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function finish() {
  const { place, editor, leave } = opened;
  const written = editor.element.textContent.replace(/\s+/g, " ").trim();
  leave();
  if (written && written !== editor.text) offerUndo(putOwnWording(place, written), "Your wording is kept.");
}

// The sentence may be gone by now; then there is nothing to undo.
const offerUndo = (undo, message) => undo && tellUndoable(message, undo);

async function letFollow() {
  const { place, editor, leave } = opened;
  const held = heldText(editor);
  const span = [held.length, held.length];
  const settings = settingsOf(session.get());
  const question = { source: place.source, target: held, span, replacement: "", settings, number: 1 };
  editor.element.ariaBusy = "true";
  try {
    const [best] = await findAlternatives(question);
    if (opened?.editor !== editor) return; // finished meanwhile
    leave();
    output.focus();
    if (best) offerUndo(putOwnWording(place, best.text, best), "The rest follows your words.");
  } catch (error) {
    editor.element.ariaBusy = "false";
    tell(error.message);
  }
}

function caretIn(element) {
  const selection = getSelection();
  if (!element.contains(selection.focusNode)) return null;
  const range = document.createRange();
  range.selectNodeContents(element);
  range.setEnd(selection.focusNode, selection.focusOffset);
  return range.toString().length;
}

// What stands before the caret, to the end of its word.
function heldText({ element, caret }) {
  const text = element.textContent;
  const rest = /^[\p{L}\p{N}\p{M}'’-]*/u.exec(text.slice(caret))[0];
  return text.slice(0, caret + rest.length).trimStart();
}

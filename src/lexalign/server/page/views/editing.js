// A sentence of the translation as a text to be edited. Its beginning can be held, and the rest follow.

import { findAlternatives } from "../api/translation.js";
import { targetOf } from "../state/segments.js";
import { session, settingsOf } from "../state/session.js";
import { dropOwnWording, putOwnWording } from "../state/wordings.js";
import { button, byId, make } from "./elements.js";
import { unlight } from "./linking.js";
import { tell, tellUndoable } from "./notices.js";
import { output } from "./panes.js";

export function editSentence(index) {
  const sentence = output.children[index]?.querySelector(".sentence:not(.stale)");
  if (!sentence) return;
  byId("alternatives").hidePopover();
  unlight();
  const segment = session.get().segments[index];
  const editor = createEditor(targetOf(segment));
  const bar = createBar(segment, {
    finish: () => finish(index, editor, close),
    follow: () => letFollow(index, editor, close),
    drop: () => (close(), dropOwnWording(index)),
    cancel: () => close(),
  });
  const close = () => {
    sentence.hidden = false;
    editor.element.remove();
    bar.remove();
    output.focus();
  };
  onKeys(editor.element, {
    Enter: () => finish(index, editor, close),
    "Ctrl+Enter": () => letFollow(index, editor, close),
    Escape: close,
  });
  sentence.hidden = true;
  sentence.after(editor.element, bar);
  editor.element.focus();
  getSelection().selectAllChildren(editor.element);
  getSelection().collapseToEnd();
}

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
    { className: "editor-bar", contentEditable: "false", role: "group", ariaLabel: "This sentence" },
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

function finish(index, { element, text }, close) {
  const written = element.textContent.replace(/\s+/g, " ").trim();
  close();
  if (written && written !== text) tellUndoable("Your wording is kept.", putOwnWording(index, written));
}

async function letFollow(index, editor, close) {
  const { source } = session.get().segments[index];
  const held = heldText(editor);
  const span = [held.length, held.length];
  editor.element.ariaBusy = "true";
  try {
    const settings = settingsOf(session.get());
    const [best] = await findAlternatives({
      source,
      target: held,
      span,
      replacement: "",
      settings,
      number: 1,
    });
    close();
    if (best) tellUndoable("The rest follows your words.", putOwnWording(index, best.text, best));
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

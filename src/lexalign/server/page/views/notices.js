// What the user is told in passing: a toast, with a way back where something was changed, and screen readers.

import { button, byId } from "./elements.js";

const toast = byId("toast");
const announcer = byId("announcer");
const SHOWN = 8000; // milliseconds

let timer = 0;
let close = () => {};
let cameFrom = null; // what had the focus before the toast

export function announce(text) {
  announcer.textContent = text;
}

export function tell(text) {
  show([text]);
}

// Tell what was done. `undo` takes it back; `settle` is called when it no longer can be.
export function tellUndoable(text, undo, settle = () => {}) {
  const take = () => {
    close = () => {};
    hide();
    if (cameFrom?.isConnected) cameFrom.focus();
    undo();
  };
  const back = button("Undo", take, { title: "Ctrl+Z" });
  show([text, back], settle);
}

function show(content, settle = () => {}) {
  hide();
  close = settle;
  toast.replaceChildren(...content);
  toast.hidden = false;
  cameFrom = null;
  hideLater();
}

function hideLater() {
  clearTimeout(timer);
  if (!toast.matches(":hover, :focus-within")) timer = setTimeout(hide, SHOWN);
}

export function hide() {
  clearTimeout(timer);
  toast.hidden = true;
  const settled = close;
  close = () => {};
  settled();
}

for (const name of ["pointerenter", "pointerleave", "focusout"])
  toast.addEventListener(name, () => setTimeout(hideLater));
toast.addEventListener("focusin", ({ relatedTarget }) => {
  cameFrom = toast.contains(relatedTarget) ? cameFrom : relatedTarget;
  hideLater();
});
// The keys for it work wherever they have no typing to undo; the text field undoes what the page has put there, too.
document.addEventListener("keydown", (event) => {
  if (event.key !== "z" || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
  const back = toast.hidden ? null : toast.querySelector("button");
  if (!back || undoesItself(event.target)) return;
  event.preventDefault();
  back.click();
});

function undoesItself(element) {
  if (element.matches("textarea")) return document.queryCommandEnabled("undo");
  return element.isContentEditable || (element.matches("input:not([type=checkbox])") && element.value !== "");
}

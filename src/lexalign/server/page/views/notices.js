// What the user is told in passing: a toast, with a way back where something was changed, and screen readers.

import { button, byId } from "./elements.js";

const toast = byId("toast");
const announcer = byId("announcer");
const SHOWN = 8000; // milliseconds

let timer = 0;
let close = () => {};

export function announce(text) {
  announcer.textContent = text;
}

export function tell(text) {
  show([text]);
}

// Tell what was done. `undo` takes it back; `settle` is called when it no longer can be.
export function tellUndoable(text, undo, settle = () => {}) {
  const back = button("Undo", () => {
    close = () => {};
    hide();
    undo();
  });
  show([text, back], settle);
}

function show(content, settle = () => {}) {
  hide();
  close = settle;
  toast.replaceChildren(...content);
  toast.hidden = false;
  timer = setTimeout(hide, SHOWN);
}

export function hide() {
  clearTimeout(timer);
  toast.hidden = true;
  const settled = close;
  close = () => {};
  settled();
}

toast.addEventListener("pointerenter", () => clearTimeout(timer));
toast.addEventListener("pointerleave", () => (timer = setTimeout(hide, SHOWN)));

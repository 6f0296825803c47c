// Questions to the user: for a key, for a name.

import { byId } from "./elements.js";

const keyDialog = byId("key-dialog");
const nameDialog = byId("name-dialog");
let asking = null; // for a key: several requests may need it at once

export function askForKey(message) {
  asking ??= ask(keyDialog, byId("key"), "", () => {
    byId("key-trouble").hidden = !message;
    byId("key-trouble").textContent = message;
  }).finally(() => (asking = null));
  return asking;
}

export function askForName(label, value) {
  return ask(nameDialog, byId("name"), value, () => (byId("name-label").textContent = label));
}

// What was entered, or null.
function ask(dialog, input, value, prepare) {
  prepare();
  input.value = value;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => resolve(dialog.returnValue === "use" ? input.value.trim() : null),
      { once: true },
    );
  });
}

for (const close of document.querySelectorAll("[data-close]"))
  close.addEventListener("click", () => close.closest("dialog").close());

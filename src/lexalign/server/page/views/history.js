// The history as a dialog.

import { clearHistory, history, isKept, remember, restoreHistory, setKept } from "../state/history.js";
import { nameOf } from "../state/languages.js";
import { session } from "../state/session.js";
import { button, byId, make } from "./elements.js";
import { tellUndoable } from "./notices.js";
import { field } from "./panes.js";
import { showText } from "./tabs.js";
import { bookmark, putText } from "./text_field.js";

const dialog = byId("history");
const list = byId("history-list");
const kept = byId("keep-history");
let taken = []; // what was kept until it was switched off

export function setUpHistory() {
  byId("open-history").addEventListener("click", () => {
    if (isKept()) remember();
    taken = [];
    draw();
    dialog.showModal();
  });
  kept.addEventListener("change", () => (kept.checked ? keepAgain() : stopKeeping()));
  dialog.addEventListener("close", () => {
    if (taken.length) tellUndoable("The history is off, and empty.", keepAgain);
  });
  byId("clear-history").addEventListener("click", () => {
    const before = history();
    clearHistory();
    dialog.close();
    tellUndoable("The history is empty.", () => restoreHistory(before));
  });
}

// A history that is switched off is deleted; whoever switches it on again at once has it back.
function stopKeeping() {
  taken = history();
  setKept(false);
  draw();
}

function keepAgain() {
  setKept(true);
  if (taken.length) restoreHistory(taken);
  taken = [];
  draw();
}

function draw() {
  kept.checked = isKept();
  const items = history();
  byId("clear-history").disabled = !items.length;
  list.replaceChildren(
    ...(items.length ? items.map(item) : [make("li", { className: "faint" }, "Nothing yet.")]),
  );
}

function item(one) {
  const when = new Date(one.time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const head = make(
    "small",
    { className: "faint" },
    `${nameOf(one.source)} → ${nameOf(one.target)} · ${when}`,
  );
  const open = button("", () => reopen(one), { className: "history-item" });
  open.append(
    head,
    make("span", { lang: one.source, dir: "auto" }, one.text),
    make("span", { lang: one.target, dir: "auto", className: "faint" }, one.translation),
  );
  return make("li", {}, open);
}

function reopen({ text, source, target, wordings }) {
  const [before, back] = [session.get().text, bookmark()];
  dialog.close();
  showText();
  putText(text, { from: source, source, target, segments: wordings });
  field.focus();
  if (before.trim() && before !== text) tellUndoable("Another text is open now.", back);
}

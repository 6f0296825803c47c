// The history as a dialog.

import { clearHistory, history, isKept, remember, restoreHistory, setKept } from "../state/history.js";
import { nameOf } from "../state/languages.js";
import { session } from "../state/session.js";
import { typed } from "../state/translating.js";
import { button, byId, make } from "./elements.js";
import { tellUndoable } from "./notices.js";
import { field } from "./panes.js";

const dialog = byId("history");
const list = byId("history-list");
const kept = byId("keep-history");

export function setUpHistory() {
  byId("open-history").addEventListener("click", () => {
    if (isKept()) remember();
    draw();
    dialog.showModal();
  });
  kept.addEventListener("change", () => (setKept(kept.checked), draw()));
  byId("clear-history").addEventListener("click", () => {
    const before = history();
    clearHistory();
    dialog.close();
    tellUndoable("The history is empty.", () => restoreHistory(before));
  });
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
    make("span", { lang: one.source }, one.text),
    make("span", { lang: one.target, className: "faint" }, one.translation),
  );
  return make("li", {}, open);
}

function reopen({ text, source, target }) {
  dialog.close();
  session.set({ from: source, source, target, segments: [] });
  field.value = text;
  typed(text);
  field.focus();
}

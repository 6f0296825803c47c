// The terms of one list: found, added, changed and taken out, by rows that are drawn only where they are seen.

import { conflictsOf } from "../text/conflicts.js";
import { applicable, change, entriesOf } from "../state/terms.js";
import { session } from "../state/session.js";
import { button, make } from "./elements.js";
import { tell, tellUndoable } from "./notices.js";
import { addForm, isWhole, readFields, termFields } from "./term_fields.js";
import { createVirtualList } from "./virtual_list.js";

const narrow = matchMedia("(max-width: 42rem)");

export function createTermList() {
  let id = null;
  let entries = [];
  let conflicts = new Map();
  let turn = 0;

  const list = createVirtualList({
    label: "Terms",
    drawRow,
    detailOf: (term) => conflicts.get(term),
    rowHeight: () => (narrow.matches ? 104 : 52),
  });
  const search = make("input", {
    type: "search",
    placeholder: "Find a term",
    ariaLabel: "Find a term",
    oninput: () => filter(),
  });
  const found = make("span", { className: "faint", role: "status" });
  const doubtful = button("", () => showDoubtful(doubtful.ariaPressed !== "true"), {
    className: "quiet doubtful",
    ariaPressed: "false",
    hidden: true,
  });
  const form = addForm((term) => apply({ add: [term] }, `${term.source} was added.`));
  const element = make(
    "div",
    { className: "term-list" },
    form,
    make("div", { className: "tools" }, search, found, doubtful),
    list.element,
  );

  async function show(chosen) {
    const mine = ++turn;
    if (chosen !== id) found.textContent = "Loading …";
    try {
      const read = await entriesOf(chosen);
      const lists = await listsInUse(chosen, read);
      if (mine !== turn) return; // another list was opened meanwhile
      [id, entries, conflicts] = [chosen, read, conflictsOf(lists)];
      filter();
    } catch (error) {
      tell(error.message);
    }
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase();
    const holds = (term) =>
      [term.source, ...term.targets].some((text) => text.toLowerCase().includes(wanted));
    const number = entries.filter((term) => conflicts.has(term)).length;
    doubtful.hidden = !number;
    doubtful.textContent = `${number.toLocaleString("en")} in conflict`;
    if (!number) doubtful.ariaPressed = "false";
    const inDoubt = doubtful.ariaPressed === "true" ? entries.filter((term) => conflicts.has(term)) : entries;
    const shown = wanted ? inDoubt.filter(holds) : inDoubt;
    list.element.classList.toggle("with-conflicts", number > 0);
    list.show(shown);
    const all = `${entries.length.toLocaleString("en")} ${entries.length === 1 ? "term" : "terms"}`;
    const part = shown.length < entries.length ? `${shown.length.toLocaleString("en")} of ` : "";
    found.textContent = entries.length ? `${part}${all}` : "No terms yet.";
    search.hidden = entries.length < 8;
  }

  function showDoubtful(alone) {
    doubtful.ariaPressed = String(alone);
    filter();
  }

  async function apply(changes, message) {
    try {
      const { undo } = await change(id, changes);
      await show(id);
      if (message) tellUndoable(message, async () => (await undo(), show(id)));
    } catch (error) {
      tell(error.message);
      await show(id);
    }
  }

  function drawRow(term) {
    const [source, targets, policy] = termFields(term);
    const save = () => {
      const next = { ...term, ...readFields(source, targets, policy) };
      if (!isWhole(next)) {
        [source.value, targets.value] = [term.source, term.targets.join(" | ")];
        return tell("A term needs words in both languages. ✕ takes it out.");
      }
      if (JSON.stringify(next) !== JSON.stringify(term))
        apply({ remove: [term], add: [next] }, `${next.source} was changed.`);
    };
    const remove = button("✕", () => apply({ remove: [term] }, `${term.source} was taken out.`), {
      className: "quiet",
      ariaLabel: `Take out ${term.source}`,
      title: "Take it out",
    });
    const row = make(
      "div",
      { className: "term-row", role: "listitem", onchange: () => setTimeout(save) }, // the focus moves first
      source,
      targets,
      policy,
      remove,
    );
    const conflict = conflicts.get(term);
    if (conflict)
      row.append(make("span", { className: "conflict", title: `Elsewhere ${conflict}` }, `≠ ${conflict}`));
    return row;
  }

  return { element, show };
}

// The list that is shown, and the others that are in use beside it.
async function listsInUse(id, entries) {
  const { chosen, terms } = session.get();
  const others = applicable(session.get()).filter((one) => chosen.includes(one.id) && one.id !== id);
  const stored = await Promise.all(
    others.map(async (one) => ({ name: one.name, entries: await entriesOf(one.id) })),
  );
  const own = id === null ? [] : [{ name: "My terms", entries: terms }];
  const name = id === null ? "My terms" : session.get().glossaries.find((one) => one.id === id).name;
  return [{ name, entries }, ...own, ...stored];
}

// The terms of one list: found, added, changed and taken out, by rows that are drawn only where they are seen.

import { conflictsOf } from "../text/conflicts.js";
import { applicable, change, entriesOf } from "../state/terms.js";
import { session } from "../state/session.js";
import { button, make } from "./elements.js";
import { tell, tellUndoable } from "./notices.js";
import { createVirtualList } from "./virtual_list.js";

const RULES = { must: "must be used", prefer: "if it fits", avoid: "never use", keep: "leave as it is" };
const narrow = matchMedia("(max-width: 42rem)");

export function createTermList() {
  let id = null;
  let entries = [];
  let conflicts = new Map();
  let turn = 0;

  const list = createVirtualList({ label: "Terms", drawRow, rowHeight: () => (narrow.matches ? 104 : 52) });
  const search = make("input", {
    type: "search",
    placeholder: "Find a term",
    ariaLabel: "Find a term",
    oninput: () => filter(),
  });
  const found = make("span", { className: "faint", role: "status" });
  const form = addForm((term) => apply({ add: [term] }, `${term.source} was added.`));
  const element = make(
    "div",
    { className: "term-list" },
    form,
    make("div", { className: "tools" }, search, found),
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
    const shown = wanted ? entries.filter(holds) : entries;
    list.show(shown);
    const number = entries.filter((term) => conflicts.has(term)).length;
    list.element.classList.toggle("with-conflicts", number > 0);
    const doubtful = number ? `, ${number} with another translation` : "";
    const all = `${entries.length.toLocaleString("en")} ${entries.length === 1 ? "term" : "terms"}`;
    const part = shown.length < entries.length ? `${shown.length.toLocaleString("en")} of ` : "";
    found.textContent = entries.length ? `${part}${all}${doubtful}` : "No terms yet.";
    search.hidden = entries.length < 8;
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
      if (!isWhole(next)) return;
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
      { className: "term-row", role: "listitem", onchange: save },
      source,
      targets,
      policy,
      remove,
    );
    const conflict = conflicts.get(term);
    if (conflict)
      row.append(make("span", { className: "conflict", title: `Also in ${conflict}` }, `≠ ${conflict}`));
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

function termFields(term = {}) {
  const source = make("input", {
    ariaLabel: "Term",
    placeholder: "Term",
    value: term.source ?? "",
    spellcheck: false,
  });
  const targets = make("input", {
    ariaLabel: "Its translation",
    placeholder: "Its translation",
    value: (term.targets ?? []).join(" | "),
    spellcheck: false,
  });
  const policy = make(
    "select",
    { ariaLabel: "How to use it" },
    ...Object.entries(RULES).map(([rule, name]) => new Option(name, rule)),
  );
  policy.value = term.policy ?? "must";
  const fit = () => (targets.disabled = policy.value === "keep");
  policy.addEventListener("input", fit);
  fit();
  const { source: from, target: into } = session.get();
  if (from) [source.lang, targets.lang] = [from, into];
  return [source, targets, policy];
}

function readFields(source, targets, policy) {
  const listed = targets.value
    .split("|")
    .map((target) => target.trim())
    .filter(Boolean);
  return {
    source: source.value.trim(),
    targets: policy.value === "keep" ? [] : listed,
    policy: policy.value,
  };
}

const isWhole = (term) => term.source && (term.targets.length || term.policy === "keep");

function addForm(add) {
  const [source, targets, policy] = termFields();
  session.on(["source", "target"], (state) => ([source.lang, targets.lang] = [state.source, state.target]));
  const submit = (event) => {
    event.preventDefault();
    const term = readFields(source, targets, policy);
    if (!isWhole(term)) return (term.source ? targets : source).focus();
    add(term);
    [source.value, targets.value] = ["", ""];
    source.focus();
  };
  return make(
    "form",
    { className: "term-row add-term", onsubmit: submit },
    source,
    targets,
    policy,
    make("button", { ariaLabel: "Add this term" }, "Add"),
  );
}

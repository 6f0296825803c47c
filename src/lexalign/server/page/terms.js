// The table of terms: stored in this browser, and, if the user wants, on the server.

import { download, request } from "./api.js";

const STORE = "lexalign-terms";
const RULES = ["must", "prefer", "avoid", "keep"];
const rows = document.querySelector("#term-rows");
const count = document.querySelector("#term-count");
const stored = document.querySelector("#stored");
const deleteButton = document.querySelector("#delete");

let onChange = () => {};
let onProblem = () => {};
let languages = () => ({});

export function setUp({ change, problem, pair }) {
  [onChange, onProblem, languages] = [change, problem, pair];
  fill(JSON.parse(localStorage.getItem(STORE) ?? "[]"));
  refreshStored();
}

// The complete terms, as the server expects them.
export function terms() {
  return [...rows.children].map(read).filter((term) => term.source && (term.targets.length || term.policy === "keep"));
}

function read(row) {
  const [source, targets, policy] = ["source", "targets", "policy"].map((name) => row.querySelector(`[name=${name}]`).value.trim());
  const listed = policy === "keep" ? [] : targets.split("|").map((target) => target.trim()).filter(Boolean);
  return { ...row.entry, source, targets: listed, policy };
}

function fill(entries) {
  rows.replaceChildren(...entries.map(makeRow));
  changed();
}

function makeRow(entry = {}) {
  const row = document.createElement("tr");
  row.entry = entry; // its note and case are kept, though the table does not show them
  const source = input("source", "Source term", entry.source ?? "");
  const targets = input("targets", "Its translation", (entry.targets ?? []).join(" | "));
  const policy = document.createElement("select");
  policy.name = "policy";
  policy.ariaLabel = "Rule";
  policy.append(...RULES.map((rule) => new Option(rule, rule, rule === entry.policy, rule === entry.policy)));
  const remove = document.createElement("button");
  remove.type = "button";
  remove.textContent = "×";
  remove.title = remove.ariaLabel = "Remove this term";
  remove.addEventListener("click", () => {
    (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("input").focus();
    row.remove();
    changed();
  });
  row.append(...[source, targets, policy, remove].map(cell));
  row.addEventListener("input", () => changed());
  targets.disabled = policy.value === "keep";
  policy.addEventListener("input", () => (targets.disabled = policy.value === "keep"));
  targets.addEventListener("keydown", (event) => {
    if (event.key === "Enter") addRow();
  });
  return row;
}

function input(name, label, value) {
  const element = document.createElement("input");
  Object.assign(element, { name, ariaLabel: label, placeholder: label, value, spellcheck: false });
  return element;
}

function cell(content) {
  const element = document.createElement("td");
  element.append(content);
  return element;
}

function addRow() {
  const row = makeRow();
  rows.append(row);
  row.querySelector("input").focus();
}

function changed() {
  const found = terms();
  localStorage.setItem(STORE, JSON.stringify(found));
  count.textContent = found.length || "";
  onChange();
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    onProblem(error);
  }
}

document.querySelector("#add-term").addEventListener("click", addRow);

document.querySelector("#import").addEventListener("change", (event) =>
  attempt(async () => {
    const [file] = event.target.files;
    event.target.value = "";
    const parameters = new URLSearchParams({ format: file.name.split(".").pop().toLowerCase(), ...languages() });
    const read = await request(`v1/glossary-files/read?${parameters}`, { method: "POST", body: file });
    fill([...terms(), ...read]);
  }),
);

document.querySelector("#export").addEventListener("click", () =>
  attempt(async () => {
    const format = document.querySelector("#export-format").value;
    const parameters = new URLSearchParams({ format, ...languages() });
    const json = { name: "terms", terms: terms() };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await download(`v1/glossary-files/write?${parameters}`, { method: "POST", json }));
    link.download = `terms.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  }),
);

document.querySelector("#store").addEventListener("click", () =>
  attempt(async () => {
    const name = prompt("A name for these terms", stored.selectedOptions[0]?.dataset.name ?? "");
    if (!name) return;
    const same = [...stored.options].find((option) => option.dataset.name === name);
    const path = same ? `v1/glossaries/${same.value}` : "v1/glossaries";
    const saved = await request(path, { method: same ? "PUT" : "POST", json: { name, terms: terms() } });
    await refreshStored(saved.id);
  }),
);

stored.addEventListener("change", () =>
  attempt(async () => {
    deleteButton.hidden = !stored.value;
    if (stored.value) fill((await request(`v1/glossaries/${stored.value}`)).entries);
  }),
);

deleteButton.addEventListener("click", () =>
  attempt(async () => {
    await request(`v1/glossaries/${stored.value}`, { method: "DELETE" });
    await refreshStored();
  }),
);

async function refreshStored(chosen = "") {
  await attempt(async () => {
    const found = await request("v1/glossaries");
    const options = found.map((one) => new Option(`${one.name} (${one.terms})`, one.id));
    options.forEach((option, index) => (option.dataset.name = found[index].name));
    stored.replaceChildren(new Option(found.length ? "choose…" : "none", ""), ...options);
    stored.value = chosen;
    deleteButton.hidden = !chosen;
  });
}

// The panel of terms: a chip for each list, of which one is open, and its terms.

import { shownResult } from "../state/segments.js";
import { session } from "../state/session.js";
import { applicable, choose, refreshGlossaries } from "../state/terms.js";
import { acceptFiles } from "./dropping.js";
import { button, byId, make } from "./elements.js";
import { tell } from "./notices.js";
import { createTermList } from "./term_list.js";
import { createTools, importFiles } from "./term_files.js";

const panel = byId("terms");
const chips = byId("glossary-chips");
const summary = byId("term-summary");
const list = createTermList();

export function setUpTerms() {
  byId("term-list").append(list.element, createTools());
  session.on(["glossaries", "chosen", "terms", "opened", "source", "target"], draw);
  session.on(["status", "segments"], ({ status }) => status === "working" || drawSummary());
  panel.addEventListener("toggle", () => panel.open && refresh());
  acceptFiles(panel, (files) => {
    panel.open = true;
    importFiles(files);
  });
  draw();
}

async function refresh() {
  await refreshGlossaries().catch((error) => tell(error.message));
  list.show(session.get().opened);
}

function draw() {
  const state = session.get();
  const stored = applicable(state);
  panel.inert = !state.source; // terms are of a language
  if (state.opened !== null && !stored.some((one) => one.id === state.opened))
    return session.set({ opened: null });
  chips.replaceChildren(
    chip(null, "My terms", state.terms.length),
    ...stored.map((one) => chip(one.id, one.name, one.terms)),
  );
  for (const one of document.querySelectorAll("[data-for]"))
    one.hidden = (one.dataset.for === "stored") === (state.opened === null);
  drawSummary();
  if (panel.open) list.show(state.opened);
}

function chip(id, name, count) {
  const number = make("span", { className: "faint" }, ` ${count.toLocaleString("en")}`);
  const show = button(name, () => session.set({ opened: id }), {
    className: "chip-name",
    ariaPressed: String(session.get().opened === id),
  });
  show.append(number);
  if (id === null) return make("span", { className: "chip in-use" }, show);
  const inUse = session.get().chosen.includes(id);
  const use = make("input", {
    type: "checkbox",
    checked: inUse,
    ariaLabel: `Use ${name}`,
    onchange: () => choose(id, use.checked),
  });
  return make(
    "span",
    { className: inUse ? "chip in-use" : "chip" },
    make("label", { className: "chip-use" }, use),
    show,
  );
}

// How many terms of the text are met, and which lists are in use.
function drawSummary() {
  const { segments, terms, chosen } = session.get();
  const results = segments.flatMap((one) => shownResult(one)?.terms ?? []);
  const met = results.filter((one) => one.met).length;
  const unused = applicable(session.get()).length - chosen.length;
  const parts = [
    results.length && `${met} of ${results.length} in this text ${results.length === 1 ? "is" : "are"} met`,
    terms.length && `${terms.length} of your own`,
    chosen.length && `${glossaries(chosen.length)} in use`,
    unused > 0 && `${glossaries(unused)} to choose`,
  ];
  summary.textContent = parts.filter(Boolean).join(" · ") || "Words that you want translated in your way";
}

const glossaries = (number) => `${number} ${number === 1 ? "glossary" : "glossaries"}`;

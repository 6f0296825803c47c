// Documents: dropped or chosen, followed while they are translated, downloaded, with a report on their terms.

import { cancelDocument, downloadDocument } from "../api/documents.js";
import { documents, isUnderWay, refresh, remove, send } from "../state/documents.js";
import { nameOf } from "../state/languages.js";
import { acceptFiles } from "./dropping.js";
import { arrange, button, byId, make, saveAs } from "./elements.js";
import { announce, tellUndoable } from "./notices.js";
import { showReport } from "./report.js";
import { showDocuments } from "./tabs.js";

const trouble = byId("document-trouble");
const list = byId("document-jobs");
const drawn = new Map(); // documents and their elements, by id

export function setUpDocuments() {
  const input = byId("document-input");
  input.addEventListener("change", () => (sendAll([...input.files]), (input.value = "")));
  byId("documents-tab").addEventListener("click", () => (forgetTrouble(), attempt(refresh)));
  byId("documents-tab").addEventListener("focus", () => (forgetTrouble(), attempt(refresh)));
  acceptFiles(document.documentElement, (files) => {
    showDocuments();
    sendAll(files);
  });
  documents.on(["items", "sending", "removed"], draw);
}

async function sendAll(files) {
  forgetTrouble();
  await Promise.all(files.map((file) => attempt(() => send(file), file.name)));
}

function forgetTrouble() {
  trouble.hidden = true;
  trouble.replaceChildren();
}

async function attempt(work, name) {
  try {
    await work();
  } catch (error) {
    trouble.hidden = false;
    trouble.append(make("div", {}, named(name, error.message)));
  }
}

// Some messages of the server begin with the name already.
const named = (name, message) =>
  name && message.toLowerCase().startsWith(`${name.toLowerCase()}: `)
    ? name + message.slice(name.length)
    : [name, message].filter(Boolean).join(": ");

function draw({ items, sending, removed }) {
  const shown = items.filter((one) => !removed.includes(one.id));
  arrange(list, [...sending.map(sendingItem), ...shown.map(itemOf)]);
  const under = shown.filter(isUnderWay).length;
  announce(under ? `${under} documents under way` : shown.length ? "Documents are translated" : "");
}

const sendingItem = (file) =>
  make(
    "li",
    { className: "panel job" },
    make("strong", {}, file.name),
    make("span", { className: "faint" }, "Being sent …"),
  );

// The element of a document stays what it is as long as it can: somebody may be about to press a button in it.
function itemOf(one) {
  const known = drawn.get(one.id);
  const element = known && isUnderWay(known.one) && isUnderWay(one) ? known.element : null;
  if (known && JSON.stringify(known.one) === JSON.stringify(one)) return known.element;
  element?.querySelector(".job-progress").replaceWith(...stateOf(one));
  drawn.set(one.id, { one, element: element ?? item(one) });
  return drawn.get(one.id).element;
}

function item(one) {
  const languages =
    one.source_language && one.target_language
      ? `${nameOf(one.source_language)} → ${nameOf(one.target_language)} · `
      : "";
  const when = new Date(one.created).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const head = make(
    "div",
    { className: "job-name" },
    make("strong", {}, one.name),
    make("span", { className: "faint" }, `${languages}${when}`),
  );
  return make(
    "li",
    { className: "panel job" },
    head,
    ...stateOf(one),
    make("div", { className: "tools" }, ...actionsOf(one)),
  );
}

function stateOf(one) {
  if (one.status === "failed") return [make("p", { className: "trouble" }, one.message)];
  if (one.status === "cancelled") return [make("p", { className: "faint" }, "Cancelled")];
  if (one.status === "done") return [summary(one.counts)];
  const name = one.total ? `${one.done} of ${one.total} sentences` : "Waiting …";
  const bar = make("progress", { max: one.total || 1, ariaLabel: `Progress of ${one.name}` });
  if (one.total) bar.value = one.done;
  return [make("div", { className: "job-progress" }, bar, make("span", { className: "faint" }, name))];
}

function actionsOf(one) {
  if (isUnderWay(one))
    return [
      button("Cancel", () => attempt(async () => (await cancelDocument(one.id), refresh()), one.name), {
        ariaLabel: `Cancel ${one.name}`,
      }),
    ];
  const away = button("Delete", () => takeAway(one), { className: "quiet", ariaLabel: `Delete ${one.name}` });
  if (one.status !== "done") return [away];
  return [
    button(
      "Download",
      () => attempt(async () => saveAs(await downloadDocument(one.id), translatedName(one)), one.name),
      { className: "main", ariaLabel: `Download ${one.name}` },
    ),
    button("Report", () => attempt(() => showReport(one), one.name), { ariaLabel: `Report on ${one.name}` }),
    away,
  ];
}

function takeAway(one) {
  const { undo, settle } = remove(one.id);
  tellUndoable(`${one.name} was deleted.`, undo, settle);
}

// letter.docx becomes letter.en.docx
const translatedName = ({ name, target_language }) =>
  name.replace(/(\.[^.]+)?$/, (suffix) => `.${target_language}${suffix}`);

const plural = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

// What a person should look at stands out.
function summary({
  segments = 0,
  terms = 0,
  terms_missed = 0,
  numbers_missing = 0,
  placeholders_missing = 0,
  lost = 0,
}) {
  const good = [
    plural(segments, "segment", "segments"),
    terms && `${plural(terms - terms_missed, "term", "terms")} met`,
  ];
  const doubtful = [
    terms_missed && `${plural(terms_missed, "term", "terms")} missed`,
    numbers_missing && `${plural(numbers_missing, "number", "numbers")} missing`,
    placeholders_missing && `${plural(placeholders_missing, "placeholder", "placeholders")} missing`,
    lost && `${plural(lost, "place", "places")} left out`,
  ].filter(Boolean);
  const warning = doubtful.map((text) => make("span", { className: "doubtful" }, text));
  return make("p", { className: "faint" }, good.filter(Boolean).join(" · "), ...warning);
}

// The report on a document: its terms, and the segments that a person should look at.

import { readReport } from "../api/documents.js";
import { byId, make } from "./elements.js";

const MOST = 200; // segments that are shown
const dialog = byId("report");

export async function showReport(one) {
  const report = await readReport(one.id);
  const segments = report.files.flatMap((file) => file.segments).filter((segment) => segment.failed);
  byId("report-name").textContent = `Report on ${one.name}`;
  byId("report-content").replaceChildren(...termTable(report.terms), ...doubts(segments));
  dialog.showModal();
}

function termTable(terms) {
  if (!terms.length) return [make("p", {}, "No term of your glossaries is in this document.")];
  const row = (term) =>
    make(
      "tr",
      { className: term.missed.length ? "missed" : "" },
      make("td", {}, term.term),
      make(
        "td",
        {},
        Object.entries(term.forms)
          .map(([form, count]) => (count > 1 ? `${form} (${count})` : form))
          .join(", ") || "–",
      ),
      make("td", {}, term.missed.length ? `${term.missed.length} of ${term.found} missed` : "met"),
    );
  const head = make(
    "tr",
    {},
    ...["Term", "Translated by", ""].map((name) => make("th", { scope: "col" }, name)),
  );
  return [
    make("h3", {}, "Terms"),
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...terms.map(row))),
  ];
}

function doubts(segments) {
  if (!segments.length)
    return [
      make("h3", {}, "Please check"),
      make("p", { className: "faint" }, "Nothing was found that needs a look."),
    ];
  const more =
    segments.length > MOST ? [make("p", { className: "faint" }, `and ${segments.length - MOST} more`)] : [];
  return [
    make("h3", {}, `Please check ${segments.length === 1 ? "one segment" : `${segments.length} segments`}`),
    make("ol", { className: "doubts" }, ...segments.slice(0, MOST).map(doubt)),
    ...more,
  ];
}

function doubt({ source, target, where, terms, findings }) {
  const missed = terms
    .filter((term) => !term.met && term.kind !== "prefer")
    .map(
      (term) =>
        `“${term.source} → ${term.targets.join(" or ")}” is missed${term.reason ? `: ${term.reason}` : ""}`,
    );
  const messages = [...missed, ...findings.filter((one) => one.failure).map((one) => one.message)];
  return make(
    "li",
    {},
    make("p", {}, source),
    make("p", { className: "faint" }, target),
    make(
      "p",
      { className: "doubt" },
      messages.join("; "),
      make("span", { className: "faint" }, ` (${where})`),
    ),
  );
}

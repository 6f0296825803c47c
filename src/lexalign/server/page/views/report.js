// The report on a document: its terms, and the segments that a person should look at.

import { readReport } from "../api/documents.js";
import { byId, make } from "./elements.js";

const MOST = 200; // segments that are shown
const dialog = byId("report");

export async function showReport(one) {
  const report = await readReport(one.id);
  const segments = report.files.flatMap((file) => file.segments).filter((segment) => segment.failed);
  byId("report-name").textContent = `Report on ${one.name}`;
  const languages = [one.source_language ?? "", one.target_language ?? ""];
  byId("report-content").replaceChildren(...termTable(report.terms, languages), ...doubts(segments, languages));
  dialog.showModal();
}

function termTable(terms, [from, into]) {
  if (!terms.length) return [make("p", {}, "No term of your glossaries is in this document.")];
  const row = (term) =>
    make(
      "tr",
      { className: term.missed.length ? "missed" : "" },
      make("td", { lang: from }, term.term),
      make(
        "td",
        { lang: into },
        Object.entries(term.forms)
          .map(([form, count]) => (count > 1 ? `${form} (${count})` : form))
          .join(", ") || "–",
      ),
      make("td", {}, term.missed.length ? `${term.missed.length} of ${term.found} missed` : "met"),
    );
  const head = make(
    "tr",
    {},
    ...["Term", "Translated by", "Outcome"].map((name) => make("th", { scope: "col" }, name)),
  );
  return [
    make("h3", {}, "Terms"),
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...terms.map(row))),
  ];
}

function doubts(segments, languages) {
  if (!segments.length)
    return [
      make("h3", {}, "Please check"),
      make("p", { className: "faint" }, "Nothing was found that needs a look."),
    ];
  const more =
    segments.length > MOST ? [make("p", { className: "faint" }, `and ${segments.length - MOST} more`)] : [];
  return [
    make("h3", {}, `Please check ${segments.length === 1 ? "one segment" : `${segments.length} segments`}`),
    make("ol", { className: "doubts" }, ...segments.slice(0, MOST).map((one) => doubt(one, languages))),
    ...more,
  ];
}

// A line of a file inside an office document is nothing that a reader of the document can find.
const placeOf = ({ number, where }) => (/\.xml, line \d/.test(where) ? `segment ${number}` : where);

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function doubt(segment, [from, into]) {
  const { source, target, terms, findings } = segment;
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
    make("p", { lang: from, dir: "auto" }, source),
    make("p", { lang: into, dir: "auto", className: "faint" }, target),
    make(
      "p",
      { className: "doubt" },
      `${capitalized(messages.join("; "))}.`,
      make("span", { className: "faint" }, ` (${placeOf(segment)})`),
    ),
  );
}

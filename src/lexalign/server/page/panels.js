// The panels beside a translation: results of its terms, alternatives, the alignment matrix.

import { request } from "./api.js";
import { slice } from "./words.js";

const termResults = document.querySelector("#term-results");
const list = document.querySelector("#alternative-list");
const matrix = document.querySelector("#matrix");
const table = document.querySelector("#matrix-table");

let shown = null; // {source, text, languages} of the translation on the page

export function showTermResults(source, translation) {
  termResults.replaceChildren(
    ...translation.terms.map((term) => {
      const item = document.createElement("li");
      const name = term.source ? slice(source, term.source) : "";
      const wanted = term.kind === "avoid" ? `not ${term.targets.join(", ")}` : (term.form ?? term.targets.join(" | "));
      const probability = term.met && term.probability != null ? ` · ${Math.round(100 * term.probability)} %` : "";
      const reason = term.met ? "" : ` · ${term.reason ?? "not met"}`;
      item.textContent = `${term.met ? "✓" : "✗"} ${name} → ${wanted}${probability}${reason}`;
      item.className = term.met ? "met" : "unmet";
      item.title = term.explanation ?? "";
      return item;
    }),
  );
}

export function showAlternatives(translation, choose) {
  const ranked = translation.text ? [translation, ...translation.alternatives] : [];
  list.replaceChildren(
    ...ranked.map((one, rank) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = one.text;
      button.ariaPressed = String(rank === 0);
      button.addEventListener("click", () => {
        for (const other of list.querySelectorAll("button")) other.ariaPressed = String(other === button);
        choose(one);
      });
      const score = document.createElement("small");
      score.textContent = ` ${one.score.toFixed(2)}`;
      const item = document.createElement("li");
      item.append(button, score);
      return item;
    }),
  );
}

export function showMatrix(source, text, languages) {
  shown = { source, text, languages };
  table.replaceChildren();
  if (matrix.open) drawMatrix();
}

matrix.addEventListener("toggle", () => {
  if (matrix.open && !table.firstChild) drawMatrix();
});

async function drawMatrix() {
  const current = shown;
  if (!current?.text.trim() || !current.source.trim()) return;
  try {
    const pairs = [{ source: current.source, target: current.text }];
    const answer = await request("v1/align", { method: "POST", json: { pairs, matrix: true, ...current.languages } });
    if (current === shown) table.replaceChildren(makeTable(current, answer.pairs[0]));
  } catch (error) {
    table.textContent = error.message;
  }
}

function makeTable({ source, text }, { words, matrix: probabilities }) {
  const element = document.createElement("table");
  const head = element.createTHead().insertRow();
  head.append(header(""), ...words.source.map((span) => header(slice(source, span), "col")));
  const body = element.createTBody();
  words.target.forEach((span, index) => {
    const row = body.insertRow();
    row.append(header(slice(text, span), "row"));
    for (const probability of probabilities[index]) {
      const cell = row.insertCell();
      cell.style.setProperty("--probability", probability.toFixed(3));
      cell.textContent = probability >= 0.05 ? Math.round(100 * probability) : "";
    }
  });
  return element;
}

function header(text, scope) {
  const element = document.createElement("th");
  const label = document.createElement("span");
  label.textContent = text;
  element.append(label);
  if (scope) element.scope = scope;
  return element;
}

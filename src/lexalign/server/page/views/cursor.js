// A cursor in the translation, moved by the arrow keys or set by a click; with Shift it takes in a phrase.

import { session } from "../state/session.js";
import { announce } from "./notices.js";
import { light, unlight } from "./linking.js";
import { output, placeOf, wordAt } from "./panes.js";

let cursor = null; // {segment, piece, last}; the phrase reaches from piece to last
let openAt = () => {};
let editAt = () => {};

export const currentPlace = () => cursor;

export function setUpCursor({ open, edit }) {
  [openAt, editAt] = [open, edit];
  output.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (!place || event.target.closest("[contenteditable]")) return;
    choose(
      selectedPhrase() ?? (event.shiftKey && cursor ? extended(place) : { ...place, last: place.piece }),
    );
    openAt(cursor);
  });
  output.addEventListener("dblclick", (event) => {
    const place = placeOf(event.target);
    if (place) editAt(place.segment);
  });
  output.addEventListener("keydown", onKey);
  output.addEventListener("focus", () => choose(cursor && wordOf(cursor) ? cursor : firstPlace()));
  output.addEventListener("blur", () => {
    unlight();
    clearChosen();
  });
}

function onKey(event) {
  if (event.target !== output || !cursor) return;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step) {
    const onward = output.dir === "rtl" && event.key.match(/Left|Right/) ? -step : step;
    choose(event.shiftKey ? extended(stepped(cursor, onward, "last")) : stepped(cursor, onward, "piece"));
  } else if (event.key === "Enter" || event.key === " ") openAt(cursor);
  else if (event.key === "F2") editAt(cursor.segment);
  else return;
  event.preventDefault();
}

const wordOf = ({ segment, piece }) => wordAt("target", segment, piece);

const firstPlace = () => {
  const first = output.querySelector(".word");
  return first && { ...placeOf(first), last: placeOf(first).piece };
};

async function choose(place) {
  clearChosen();
  cursor = place;
  const element = place && wordOf(place);
  if (!element) return;
  for (let piece = place.piece; piece <= place.last; piece++)
    wordAt("target", place.segment, piece)?.classList.add("chosen");
  element.scrollIntoView({ block: "nearest" });
  const lines = await light({ ...place, side: "target" });
  if (document.activeElement === output)
    announce([element.textContent, ...lines.map((line) => line.replace(/^←/, "from"))].join(". "));
}

function clearChosen() {
  for (const element of output.querySelectorAll(".chosen")) element.classList.remove("chosen");
}

// The word that many words onward from one end of the phrase.
function stepped(place, step, end) {
  const words = [...output.querySelectorAll(".word")];
  const next = words[words.indexOf(wordAt("target", place.segment, place[end])) + step];
  const found = next ? placeOf(next) : { ...place, piece: place[end] };
  return { ...found, last: found.piece };
}

// From the beginning of the phrase to a place in the same sentence.
function extended(place) {
  if (place.segment !== cursor.segment) return cursor;
  return { ...cursor, piece: Math.min(cursor.piece, place.piece), last: Math.max(cursor.piece, place.piece) };
}

// Words that were selected by drawing the mouse over them.
function selectedPhrase() {
  const selection = getSelection();
  if (selection.isCollapsed) return null;
  const words = [...output.querySelectorAll(".word")].filter((word) => selection.containsNode(word, true));
  const [first, last] = [placeOf(words[0]), placeOf(words.at(-1))];
  return first && first.segment === last.segment ? { ...first, last: last.piece } : null;
}

session.on(["segments"], () => {
  if (cursor && !wordOf(cursor)) cursor = null;
});

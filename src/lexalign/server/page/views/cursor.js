// A cursor in the translation, moved by the arrow keys or set by a click; with Shift it takes in a phrase.

import { session } from "../state/session.js";
import { announce } from "./notices.js";
import { light, unlight } from "./linking.js";
import { output, placeOf, wordAt } from "./panes.js";

let cursor = null; // {segment, piece, last}; the phrase reaches from piece to last
let openAt = () => {};
let editAt = () => {};

export function setUpCursor({ open, edit }) {
  [openAt, editAt] = [open, edit];
  let pressed = false; // the mouse brings the focus, and a click says where to
  output.addEventListener("mousedown", () => (pressed = true));
  document.addEventListener("mouseup", () => (pressed = false));
  output.addEventListener("click", onClick);
  output.addEventListener("dblclick", (event) => {
    const place = placeOf(event.target);
    if (place) editAt(place.segment);
  });
  output.addEventListener("keydown", onKey);
  output.addEventListener("focus", () => pressed || choose(cursor && wordOf(cursor) ? cursor : firstPlace()));
  output.addEventListener("blur", () => {
    unlight();
    clearChosen();
  });
}

function onClick(event) {
  if (event.target.closest("[contenteditable]")) return;
  const place = placeOf(event.target);
  const chosen = event.shiftKey && cursor && place ? extended(place) : drawnOver(place);
  if (event.shiftKey) getSelection().removeAllRanges(); // the browser selects with Shift, too
  if (!chosen) return;
  choose(chosen);
  openAt(cursor);
}

function onKey(event) {
  if (event.target !== output) return;
  if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    return getSelection().selectAllChildren(output);
  }
  cursor ??= firstPlace();
  if (!cursor || event.altKey || event.metaKey) return;
  const end = event.shiftKey ? "last" : "piece";
  const next = nextWord(event, wordAt("target", cursor.segment, cursor[end]));
  if (next) choose(event.shiftKey ? extended(placeOf(next)) : placeOfWord(next));
  else if (event.key === "Enter" || event.key === " ") openAt(cursor);
  else if (event.key === "F2") editAt(cursor.segment);
  else return;
  event.preventDefault();
}

// Where a key leads to from a word, null for other keys.
function nextWord({ key, ctrlKey }, word) {
  const words = [...output.querySelectorAll(".word")];
  const at = words.indexOf(word);
  const onward = { ArrowRight: output.dir === "rtl" ? -1 : 1, ArrowLeft: output.dir === "rtl" ? 1 : -1 }[key];
  if (onward) return words[at + onward] ?? word;
  if (key === "ArrowDown") return inLineBeyond(words.slice(at + 1), word);
  if (key === "ArrowUp") return inLineBeyond(words.slice(0, Math.max(at, 0)).reverse(), word);
  if (key === "Home") return ctrlKey ? words[0] : words.findLast((_, i) => i <= at && endsLine(words, i - 1));
  if (key === "End") return ctrlKey ? words.at(-1) : words.find((_, i) => i >= at && endsLine(words, i));
  return null;
}

const boxOf = (word) => word.getClientRects()[0];
const sameLine = (one, other) => Math.abs(boxOf(one).top - boxOf(other).top) < boxOf(other).height / 2;
const endsLine = (words, at) => !words[at] || !words[at + 1] || !sameLine(words[at], words[at + 1]);

// Of the words from a line on, the one of the next line that lies nearest.
function inLineBeyond(words, word) {
  const first = words.findIndex((one) => !sameLine(one, word));
  if (first < 0) return word;
  const away = (one) => Math.abs(boxOf(one).left - boxOf(word).left);
  let best = words[first];
  for (const one of words.slice(first)) {
    if (!sameLine(one, words[first])) break;
    if (away(one) < away(best)) best = one;
  }
  return best;
}

const wordOf = ({ segment, piece }) => wordAt("target", segment, piece);

const placeOfWord = (word) => {
  const place = placeOf(word);
  return { ...place, last: place.piece };
};

function firstPlace() {
  const first = output.querySelector(".word");
  return first && placeOfWord(first);
}

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

// From the beginning of the phrase to a place in the same sentence.
function extended(place) {
  if (place.segment !== cursor.segment) return cursor;
  return { ...cursor, piece: Math.min(cursor.piece, place.piece), last: Math.max(cursor.piece, place.piece) };
}

// The words that the mouse was drawn over, or the one that was clicked. More than a sentence is nothing to be
// asked about: somebody wants to copy it.
function drawnOver(place) {
  const selection = getSelection();
  const words = selection.isCollapsed
    ? []
    : [...output.querySelectorAll(".word")].filter((word) => selection.containsNode(word, true));
  if (!words.length) return place && { ...place, last: place.piece };
  const [first, last] = [placeOf(words[0]), placeOf(words.at(-1))];
  return first.segment === last.segment ? { ...first, last: last.piece } : null;
}

session.on(["segments"], () => {
  if (cursor && !wordOf(cursor)) cursor = null;
});

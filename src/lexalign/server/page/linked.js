// Two texts side by side, whose aligned words are highlighted together: by the mouse, by the caret of the
// text field, and by the arrow keys in the translation.

import { alignedWords, codePoints, overlaps, piecesOf } from "./words.js";

const field = document.querySelector("#source");
const mirror = document.querySelector("#mirror");
const output = document.querySelector("#target");

let sides = { source: [], target: [] };
let aligned = { source: [], target: [] };
let highlightListener = () => {};

export function onHighlight(listener) {
  highlightListener = listener;
}

export function showDraft(source, text) {
  output.classList.add("draft");
  output.textContent = text;
  mirrorSource(source);
  sides = { source: [], target: [] };
}

export function show(source, translation) {
  sides = { source: piecesOf(source), target: piecesOf(translation.text) };
  aligned = alignedWords(sides.source, sides.target, translation.alignment);
  output.classList.remove("draft");
  render(mirror, sides.source, (piece) => translation.terms.filter((term) => term.source && overlaps(piece, term.source)));
  render(output, sides.target, (piece) => translation.terms.filter((term) => term.target && overlaps(piece, term.target)));
  const first = output.querySelector(".word");
  if (first) first.tabIndex = 0;
}

export function mirrorSource(source) {
  mirror.textContent = source;
}

function render(element, pieces, termsOf) {
  element.replaceChildren(
    ...pieces.map((piece, index) => {
      if (!piece.word) return document.createTextNode(piece.text);
      const span = document.createElement("span");
      span.className = "word";
      span.textContent = piece.text;
      span.dataset.index = index;
      for (const term of termsOf(piece)) span.classList.add(term.met ? "term" : "unmet");
      return span;
    }),
  );
}

const word = (side, index) =>
  (side === "source" ? mirror : output).querySelector(`.word[data-index="${index}"]`);

function highlight(side, index) {
  clear();
  const chosen = word(side, index);
  if (!chosen) return;
  const other = side === "source" ? "target" : "source";
  const found = [...(aligned[side][index] ?? [])].sort((one, two) => two[1] - one[1]);
  chosen.classList.add("chosen");
  for (const [otherIndex, probability] of found) {
    const counterpart = word(other, otherIndex);
    counterpart?.classList.add("lit");
    counterpart?.style.setProperty("--probability", probability.toFixed(3));
  }
  const texts = found.map(([otherIndex, probability]) => `${sides[other][otherIndex].text} ${Math.round(100 * probability)} %`);
  highlightListener(sides[side][index].text, texts);
}

function clear() {
  for (const element of document.querySelectorAll(".word.lit, .word.chosen")) {
    element.classList.remove("lit", "chosen");
  }
  highlightListener(null, []);
}

output.addEventListener("mouseover", (event) => {
  if (event.target.dataset.index) highlight("target", Number(event.target.dataset.index));
});
output.addEventListener("mouseleave", clear);
output.addEventListener("click", (event) => {
  if (event.target.dataset.index) event.target.focus();
});
output.addEventListener("focusin", (event) => highlight("target", Number(event.target.dataset.index)));
output.addEventListener("focusout", clear);
output.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const all = [...output.querySelectorAll(".word")];
  const next = all[all.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  document.activeElement.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});

// A text field does not know the word under the mouse; its mirror does.
field.addEventListener("mousemove", (event) => {
  const under = [...mirror.querySelectorAll(".word")].find((span) =>
    [...span.getClientRects()].some(
      (box) =>
        box.left <= event.clientX && event.clientX <= box.right && box.top <= event.clientY && event.clientY <= box.bottom,
    ),
  );
  under ? highlight("source", Number(under.dataset.index)) : clear();
});
field.addEventListener("mouseleave", clear);
field.addEventListener("blur", clear);
document.addEventListener("selectionchange", () => {
  if (document.activeElement !== field || !sides.source.length) return;
  const caret = codePoints(field.value, field.selectionStart);
  const index = sides.source.findIndex((piece) => piece.word && piece.start <= caret && caret <= piece.end);
  index < 0 ? clear() : highlight("source", index);
});

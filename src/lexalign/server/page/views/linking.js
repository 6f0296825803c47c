// Aligned words light up together: by the mouse, by the caret of the source, by the cursor in the translation.

import { alignmentOf } from "../state/alignments.js";
import { session } from "../state/session.js";
import { counterparts } from "../text/alignment.js";
import { field, mirror, output, placeOf, sentenceAt, wordAt } from "./panes.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

const LEAST_LIT = 0.2;
const DWELL = 200; // milliseconds on a sentence, after which its matrix is drawn: the mouse crosses others on its way
let turn = 0; // an answer that comes after the next word is too late
let held = null; // a place that stays lit, wherever the mouse goes
let dwelling = 0;

// Light up a place until it is let go, by null.
export function hold(place) {
  held = place;
  unlight();
}

export function unlight() {
  darken();
  if (held) light(held, { tooltip: false });
}

function darken() {
  turn++;
  clearTimeout(dwelling);
  for (const element of document.querySelectorAll(".word.lit, .word.pointed"))
    element.classList.remove("lit", "pointed");
  hideTooltip();
}

// Light up a word, or several that follow each other, and what they come from. Returns the lines of the tooltip.
export async function light({ side, segment, piece, last = piece }, { tooltip = true } = {}) {
  darken();
  const mine = turn;
  const chosen = session.get().segments[segment];
  const first = wordAt(side, segment, piece);
  if (!chosen || !first) return [];
  dwelling = setTimeout(() => session.set({ pointed: segment }), DWELL);
  for (let index = piece; index <= last; index++) wordAt(side, segment, index)?.classList.add("pointed");
  const messages = first.messages ?? [];
  if (tooltip) showTooltip(first, messages);
  const alignment = await alignmentOf(chosen);
  if (mine !== turn || !alignment) return messages;
  const other = side === "source" ? "target" : "source";
  const found = strongest(alignment, side, piece, last);
  for (const [index, probability] of found) {
    const counterpart = wordAt(other, segment, index);
    counterpart?.classList.add("lit");
    counterpart?.style.setProperty("--probability", probability.toFixed(3));
  }
  const lines =
    found.length || !messages.length ? [...messages, describe(alignment[other], side, found)] : messages;
  if (tooltip) showTooltip(first, lines);
  return lines;
}

// The counterparts of some words: each with the best of its probabilities.
function strongest({ matrix }, side, first, last) {
  const best = new Map();
  for (let index = first; index <= last; index++) {
    for (const [other, probability] of counterparts(matrix, side, index)) {
      if (probability >= LEAST_LIT) best.set(other, Math.max(best.get(other) ?? 0, probability));
    }
  }
  return [...best].sort((one, two) => two[1] - one[1]);
}

function describe(pieces, side, found) {
  const arrow = side === "source" ? "→" : "←";
  const texts = found
    .slice(0, 4)
    .map(([index, probability]) => `${pieces[index].text} ${Math.round(100 * probability)} %`);
  return texts.length
    ? `${arrow} ${texts.join(", ")}`
    : side === "source"
      ? "Nothing comes from it"
      : "Comes from no word alone";
}

export function setUpLinking() {
  output.addEventListener("mouseover", (event) => {
    const place = placeOf(event.target);
    if (place) light(place);
  });
  output.addEventListener("mouseleave", unlight);
  field.addEventListener("mousemove", pointInSource);
  field.addEventListener("mouseleave", unlight);
  field.addEventListener("blur", unlight);
  document.addEventListener("selectionchange", followCaret);
  session.on(["text"], unlight);
  document.addEventListener("scroll", hideTooltip, { passive: true });
}

// A text field does not know the word under the mouse; its mirror below does.
function pointInSource({ clientX, clientY }) {
  const under = document
    .elementsFromPoint(clientX, clientY)
    .find((element) => mirror.contains(element) && element.matches(".word"));
  if (!under) return unlight();
  if (!under.classList.contains("pointed")) light(placeOf(under));
}

function followCaret() {
  if (document.activeElement !== field || session.get().status !== "final" || field.matches(":hover")) return;
  const place = placeAtOffset(field.selectionStart);
  place ? light(place, { tooltip: false }) : unlight();
}

// The word of the source at a character of the text.
function placeAtOffset(offset) {
  let start = 0;
  for (const [segment, { gap, source }] of session.get().segments.entries()) {
    start += gap.length;
    if (offset <= start + source.length) return offset < start ? null : wordPlace(segment, offset - start);
    start += source.length;
  }
  return null;
}

function wordPlace(segment, offset) {
  let end = 0;
  for (const node of sentenceAt("source", segment)?.childNodes ?? []) {
    end += node.textContent.length;
    if (offset <= end && node.dataset) return { side: "source", segment, piece: Number(node.dataset.piece) };
    if (offset < end) return null;
  }
  return null;
}

// The two texts: the source under its text field, and the translation, as sentences of words.

import { overlaps } from "../text/offsets.js";
import { marksOf } from "../text/marks.js";
import { piecesOf } from "../text/pieces.js";
import { directionOfWriting } from "../state/languages.js";
import { isFinal, shownResult, targetOf } from "../state/segments.js";
import { session } from "../state/session.js";
import { byId, make, patch } from "./elements.js";

export const field = byId("source");
export const mirror = byId("mirror");
export const output = byId("target");

export const paneOf = (side) => (side === "source" ? mirror : output);

export function setUpPanes() {
  session.on(["segments"], drawSegments);
  session.on(["source", "target"], ({ source, target }) => {
    for (const element of [field, mirror]) setLanguage(element, source);
    setLanguage(output, target);
    mirror.items = output.items = []; // words are told apart by language
    mirror.replaceChildren();
    output.replaceChildren();
    drawSegments(session.get());
  });
}

function setLanguage(element, language) {
  element.lang = language ?? "";
  element.dir = directionOfWriting(language);
}

function drawSegments({ segments }) {
  patch(mirror, segments, drawSource);
  patch(output, segments, drawTarget);
  fit();
}

// The text field is as high as its text.
export function fit() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

const drawSource = (segment) =>
  make("span", { className: "segment" }, segment.gap, sentence(segment, segment.source, "source"));

function drawTarget(segment) {
  if (!isFinal(segment))
    return make(
      "span",
      { className: "segment" },
      segment.gap,
      make("span", { className: "sentence stale" }, segment.old),
    );
  const element = sentence(segment, targetOf(segment), "target");
  if (segment.own) element.classList.add("own");
  return make("span", { className: "segment" }, segment.gap, element);
}

function sentence(segment, text, side) {
  const marks = isFinal(segment) ? marksOf(segment, shownResult(segment)).filter((mark) => mark[side]) : [];
  const language = session.get()[side];
  const words = piecesOf(text, language).map((piece, index) =>
    piece.shown ? word(piece, index, marks, side) : piece.text,
  );
  return make("span", { className: "sentence" }, ...words);
}

function word(piece, index, marks, side) {
  const own = marks.filter((mark) => overlaps(mark[side], [piece.start, piece.end]));
  const element = make(
    "span",
    { className: ["word", ...own.map((mark) => mark.kind)].join(" "), data: { piece: index } },
    piece.text,
  );
  if (own.length) element.messages = own.map((mark) => mark.message);
  return element;
}

// The place of a word: {side, segment, piece}, or null.
export function placeOf(element) {
  const found = element?.closest?.(".word");
  const pane = found?.closest("#mirror, #target");
  if (!pane) return null;
  const segment = [...pane.children].indexOf(found.closest(".segment"));
  return {
    side: pane === mirror ? "source" : "target",
    segment,
    piece: Number(found.dataset.piece),
    element: found,
  };
}

export const wordAt = (side, segment, piece) =>
  paneOf(side).children[segment]?.querySelector(`.word[data-piece="${piece}"]`);

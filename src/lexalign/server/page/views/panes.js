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

const paneOf = (side) => (side === "source" ? mirror : output);

export function setUpPanes() {
  session.on(["segments"], drawSegments);
  session.on(["source", "target"], drawLanguages);
  drawLanguages(session.get());
}

function drawLanguages({ source, target }) {
  for (const element of [field, mirror]) setLanguage(element, source);
  setLanguage(output, target);
  mirror.items = output.items = []; // words are told apart by language
  mirror.replaceChildren();
  output.replaceChildren();
  drawSegments(session.get());
}

function setLanguage(element, language) {
  element.lang = language ?? "";
  element.dir = directionOfWriting(language);
}

// Paragraphs are blocks, so that a change of one leaves the layout of all others as it is.
function drawSegments({ segments }) {
  const paragraphs = paragraphsOf(segments);
  for (const [pane, drawSentence] of [
    [mirror, drawSource],
    [output, drawTarget],
  ]) {
    const draw = (segment) => drawSegment(segment, drawSentence(segment));
    const redraw = (element, paragraph) => patch(element, paragraph, { draw });
    const drawParagraph = (paragraph) => {
      const element = make("div", { className: "paragraph" });
      redraw(element, paragraph);
      return element;
    };
    patch(pane, paragraphs, { draw: drawParagraph, redraw, same: sameItems });
  }
}

// A segment after the end of a line begins a paragraph.
function paragraphsOf(segments) {
  const found = segments.length ? [[]] : [];
  for (const segment of segments) {
    if (segment.gap.includes("\n")) found.push([]);
    found.at(-1).push(segment);
  }
  return found;
}

const sameItems = (one, other) => one.length === other.length && one.every((item, at) => item === other[at]);

// The first end of a line is the one between two paragraphs.
function drawSegment({ gap }, sentence) {
  const end = gap.indexOf("\n") + 1;
  const lineEnd = end ? [make("span", { hidden: true }, gap.slice(0, end))] : [];
  return make("span", { className: "segment" }, ...lineEnd, gap.slice(end), sentence);
}

const drawSource = (segment) =>
  isFinal(segment)
    ? wordsOf(segment, segment.source, "source")
    : make("span", { className: "sentence" }, segment.source);

function drawTarget(segment) {
  if (!isFinal(segment)) return make("span", { className: "sentence stale" }, segment.old);
  const element = wordsOf(segment, targetOf(segment), "target");
  element.classList.toggle("own", segment.own !== null);
  return element;
}

function wordsOf(segment, text, side) {
  const marks = marksOf(segment, shownResult(segment)).filter((mark) => mark[side]);
  const element = make("span", { className: "sentence" });
  for (const [index, piece] of piecesOf(text, session.get()[side]).entries())
    element.append(piece.shown ? word(piece, index, marks, side) : piece.text);
  return element;
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
  const segment = [...segmentsIn(pane)].indexOf(found.closest(".segment"));
  return {
    side: pane === mirror ? "source" : "target",
    segment,
    piece: Number(found.dataset.piece),
    element: found,
  };
}

const segmentsIn = (pane) => pane.getElementsByClassName("segment");

export const sentenceAt = (side, segment) => segmentsIn(paneOf(side))[segment]?.querySelector(".sentence");

export const wordAt = (side, segment, piece) =>
  sentenceAt(side, segment)?.querySelector(`.word[data-piece="${piece}"]`);

// The alignment of the sentence under the cursor, as a drawing that can be saved.

import { alignmentOf } from "../state/alignments.js";
import { isFinal, targetOf } from "../state/segments.js";
import { session } from "../state/session.js";
import { FAINTEST } from "../text/alignment.js";
import { byId, saveAs } from "./elements.js";
import { tell } from "./notices.js";

const panel = byId("matrix");
const place = byId("matrix-drawing");
const CELL = 34; // pixels
const LETTERS = 14; // their height
const DARK = "#1d2126";
const SVG = "http://www.w3.org/2000/svg";
const FONT = "system-ui, sans-serif";

export function setUpMatrix() {
  session.on(["pointed", "segments"], () => panel.open && draw());
  panel.addEventListener("toggle", () => panel.open && draw());
  byId("save-svg").addEventListener("click", () =>
    withDrawing((svg) => saveAs(svgBlob(svg), "alignment.svg")),
  );
  byId("save-png").addEventListener("click", () =>
    withDrawing(async (svg) => saveAs(await pngBlob(svg), "alignment.png")),
  );
}

async function draw() {
  const { segments, pointed } = session.get();
  const segment = segments[pointed] ?? segments.find((one) => one.source);
  const alignment = segment && (await alignmentOf(segment));
  if (segment && !session.get().segments.includes(segment)) return;
  if (alignment) return place.replaceChildren(drawing(alignment));
  const translated = segment && isFinal(segment) && targetOf(segment);
  place.textContent = translated
    ? "The alignment of this sentence cannot be had now."
    : "Point at a sentence of the translation.";
}

function withDrawing(use) {
  const svg = place.querySelector("svg");
  svg ? use(svg) : tell("There is no alignment to save yet.");
}

function node(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

export function drawing({ source, target, matrix }) {
  const columns = source.map((piece, index) => ({ ...piece, index })).filter((piece) => piece.shown);
  const rows = target.map((piece, index) => ({ ...piece, index })).filter((piece) => piece.shown);
  const [left, top] = [margin(rows), margin(columns)];
  const [width, height] = [left + CELL * columns.length + 4, top + CELL * rows.length + 4];
  const svg = node("svg", {
    xmlns: SVG,
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": "Alignment matrix",
    "font-family": FONT,
    "font-size": LETTERS,
  });
  columns.forEach((piece, column) => svg.append(columnName(piece, left + CELL * (column + 0.5), top)));
  rows.forEach((piece, row) => {
    svg.append(rowName(piece, left, top + CELL * (row + 0.5)));
    columns.forEach((other, column) => {
      const probability = matrix[piece.index][other.index];
      if (probability < FAINTEST) return;
      const name = `${piece.text} ← ${other.text}`;
      svg.append(...cell(probability, left + CELL * column, top + CELL * row, name));
    });
  });
  svg.append(grid(left, top, columns.length, rows.length));
  return svg;
}

// Lines in place of squares: a long sentence has thousands of those.
function grid(left, top, columns, rows) {
  const down = Array.from({ length: columns + 1 }, (_, at) => `M${left + CELL * at} ${top}v${CELL * rows}`);
  const across = Array.from({ length: rows + 1 }, (_, at) => `M${left} ${top + CELL * at}h${CELL * columns}`);
  const d = [...down, ...across].join("");
  return node("path", { d, fill: "none", stroke: "#888", "stroke-opacity": 0.35, "pointer-events": "none" });
}

// Room for the longest word, as wide as it is drawn.
function margin(pieces) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${LETTERS}px ${FONT}`;
  return 16 + Math.ceil(Math.max(...pieces.map((piece) => pen.measureText(piece.text).width)));
}

function columnName(piece, x, y) {
  const place = { transform: `translate(${x} ${y - 8}) rotate(-90)` };
  return node("text", { ...place, "dominant-baseline": "central", fill: "currentColor" }, piece.text);
}

function rowName(piece, left, middle) {
  const place = { x: left - 8, y: middle, "text-anchor": "end" };
  return node("text", { ...place, "dominant-baseline": "central", fill: "currentColor" }, piece.text);
}

function cell(probability, x, y, name) {
  const square = node("rect", {
    x,
    y,
    width: CELL,
    height: CELL,
    fill: "#e5a100",
    "fill-opacity": probability.toFixed(3),
  });
  const percent = Math.round(100 * probability);
  square.append(node("title", {}, `${name} ${percent} %`));
  return [
    square,
    node(
      "text",
      {
        x: x + CELL / 2,
        y: y + CELL / 2,
        "text-anchor": "middle",
        "dominant-baseline": "central",
        "font-size": 11,
        fill: probability > 0.6 ? DARK : "currentColor",
        "pointer-events": "none",
      },
      percent,
    ),
  ];
}

// A file of its own: on white, in black.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("color", DARK);
  copy.prepend(node("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
  return new XMLSerializer().serializeToString(copy);
}

const svgBlob = (svg) => new Blob([standalone(svg)], { type: "image/svg+xml" });

async function pngBlob(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * svg.width.baseVal.value, 2 * svg.height.baseVal.value];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

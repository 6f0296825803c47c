// A list of what a person should check in the translation; each leads to its place.

import { shownResult } from "../state/segments.js";
import { session } from "../state/session.js";
import { marksOf } from "../text/marks.js";
import { piecesOf } from "../text/pieces.js";
import { button, byId, make } from "./elements.js";
import { light } from "./linking.js";
import { wordAt } from "./panes.js";

const SHOWN = 50; // the first of them
const panel = byId("checks");
const opener = byId("open-checks");

// The list opens when it is asked for, so that it never moves what somebody is typing in.
export function setUpChecks() {
  session.on(["status", "segments"], ({ status, segments }) => status === "working" || draw(problemsOf(segments)));
  opener.addEventListener("click", () => open(panel.hidden));
}

function open(isOpen) {
  panel.hidden = !isOpen;
  opener.ariaExpanded = String(isOpen);
}

function problemsOf(segments) {
  return segments.flatMap((segment) =>
    marksOf(segment, shownResult(segment))
      .filter((mark) => mark.problem)
      .map((mark) => ({ ...mark, segment })),
  );
}

function draw(problems) {
  opener.hidden = !problems.length;
  opener.textContent = problems.length === 1 ? "Check one place" : `Check ${problems.length} places`;
  if (!problems.length) open(false);
  const more =
    problems.length > SHOWN
      ? [make("li", { className: "faint" }, `and ${problems.length - SHOWN} more`)]
      : [];
  byId("check-list").replaceChildren(...problems.slice(0, SHOWN).map(item), ...more);
}

const item = (problem) =>
  make(
    "li",
    { className: problem.kind },
    make("span", { className: "sample", ariaHidden: "true" }, "abc"),
    button(problem.message, () => lead(problem)),
  );

function lead(problem) {
  const segment = session.get().segments.indexOf(problem.segment);
  if (segment < 0) return; // it is being translated again
  const side = problem.source ? "source" : "target";
  const text = side === "source" ? problem.segment.source : shownResult(problem.segment).text;
  const pieces = piecesOf(text, session.get()[side]);
  const inside = pieces
    .map((piece, index) => ({ ...piece, index }))
    .filter((piece) => piece.shown && piece.start < problem[side][1] && problem[side][0] < piece.end);
  if (!inside.length) return;
  wordAt(side, segment, inside[0].index)?.scrollIntoView({ block: "center" });
  light({ side, segment, piece: inside[0].index, last: inside.at(-1).index });
}

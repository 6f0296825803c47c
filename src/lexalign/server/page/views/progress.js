// How the translation stands: under way, done, or failed with a reason beside it; and how long the text is.

import { isFinal } from "../state/segments.js";
import { session } from "../state/session.js";
import { MOST_CHARACTERS } from "../state/translating.js";
import { button, byId } from "./elements.js";
import { announce } from "./notices.js";
import { field, output } from "./panes.js";

const trouble = byId("trouble");
const counter = byId("counter");
let shown; // the message in the place for errors

export function setUpProgress() {
  session.on(["status", "segments"], drawProgress);
  session.on(["trouble"], drawTrouble);
  session.on(["text"], drawCounter);
  drawCounter(session.get());
}

function drawProgress({ status, segments }) {
  output.dataset.status = status;
  output.ariaBusy = String(status === "working");
  const done = segments.filter(isFinal).length;
  const many = segments.length > 8;
  byId("progress").textContent =
    status === "working"
      ? many
        ? `Translating … ${done} of ${segments.length} sentences`
        : "Translating …"
      : "";
  if (status === "final") announce("Translated");
}

// What is wrong still is not said again.
function drawTrouble({ trouble: found }) {
  if (!found && trouble.contains(document.activeElement)) field.focus();
  trouble.hidden = !found;
  if (found?.message === shown) return;
  shown = found?.message;
  const again = found?.retry ? [button("Try again", () => session.get().trouble?.retry())] : [];
  if (found) trouble.replaceChildren(`${found.message} `, ...again);
}

function drawCounter({ text }) {
  const count = [...text].length;
  counter.textContent = `${count.toLocaleString("en")} / ${MOST_CHARACTERS.toLocaleString("en")}`;
  counter.classList.toggle("over", count > MOST_CHARACTERS);
  byId("clear").hidden = !text;
}

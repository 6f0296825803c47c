// How the translation stands: under way, done, or failed with a reason beside it; and how long the text is.

import { isFinal } from "../state/segments.js";
import { session } from "../state/session.js";
import { typed } from "../state/translating.js";
import { button, byId } from "./elements.js";
import { announce } from "./notices.js";
import { field, output } from "./panes.js";

export const MOST_CHARACTERS = 200_000; // that the server takes at once
const trouble = byId("trouble");
const counter = byId("counter");

export function setUpProgress() {
  session.on(["status", "segments"], drawProgress);
  session.on(["trouble"], drawTrouble);
  session.on(["text"], drawCounter);
  byId("clear").addEventListener("click", () => {
    field.value = "";
    typed("");
    field.focus();
  });
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

function drawTrouble({ trouble: found }) {
  trouble.hidden = !found;
  if (found) trouble.replaceChildren(`${found.message} `, button("Try again", found.retry));
}

function drawCounter({ text }) {
  const count = [...text].length;
  counter.textContent = `${count.toLocaleString("en")} / ${MOST_CHARACTERS.toLocaleString("en")}`;
  counter.classList.toggle("over", count > MOST_CHARACTERS);
  byId("clear").hidden = !text;
}

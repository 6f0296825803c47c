// The languages as headings, what was detected, and the question whether to switch.

import { canSwap, chooseSource, chooseTarget, doubt, languageNames, nameOf } from "../state/languages.js";
import { targetText } from "../state/segments.js";
import { direction, session } from "../state/session.js";
import { useDirection } from "../state/terms.js";
import { retranslate } from "../state/translating.js";
import { button, byId } from "./elements.js";
import { field } from "./panes.js";
import { tellUndoable } from "./notices.js";
import { bookmark, putText } from "./text_field.js";

const source = byId("source-language");
const target = byId("target-language");
const swap = byId("swap");
const notice = byId("language-notice");

export function setUpLanguages() {
  source.addEventListener("change", () => change(() => chooseSource(source.value)));
  target.addEventListener("change", () => change(() => chooseTarget(target.value)));
  swap.addEventListener("click", swapLanguages);
  session.on(["models", "from", "source", "target", "detected"], draw);
  session.on(["detected", "source", "text"], drawNotice);
  let before = "";
  session.on(["source", "target"], (state) => {
    if (direction(state) !== before) useDirection();
    before = direction(state);
  });
  draw(session.get());
}

// The user's own wordings are in one language, and cannot be taken into another.
function change(choose) {
  const before = session.get();
  const back = bookmark();
  choose();
  const keepOwn = direction(session.get()) === direction(before);
  retranslate({ keepOwn });
  if (!keepOwn && before.segments.some((one) => one.own))
    tellUndoable(`Your own wordings in ${nameOf(before.target)} are gone.`, back);
}

function draw({ models, from, source: language, target: into, detected }) {
  const names = languageNames(models, "source");
  const name = from === "auto" && detected && names.find((one) => one.code === language)?.name;
  const detect = new Option(name ? `${name} (detected)` : "Detect language", "auto");
  source.replaceChildren(
    ...(names.length > 1 ? [detect] : []),
    ...names.map((one) => new Option(one.name, one.code)),
  );
  source.value = names.length > 1 ? from : language;
  target.replaceChildren(...languageNames(models, "target").map((one) => new Option(one.name, one.code)));
  target.value = into;
  swap.disabled = !canSwap(session.get());
}

function drawNotice(state) {
  const found = doubt(state);
  notice.hidden = !found;
  if (!found) return;
  const take = () => {
    const from = session.get().from === "auto" ? "auto" : found.pair.source;
    change(() => session.set({ from, ...found.pair }));
    field.focus();
  };
  notice.replaceChildren(
    `Looks like ${found.name}. `,
    found.pair ? button("Switch?", take) : "This server does not translate it.",
  );
}

// The translation becomes the text.
function swapLanguages() {
  const state = session.get();
  const text = state.status === "final" ? targetText(state.segments) : state.text;
  const back = bookmark();
  putText(text, { from: state.target, source: state.target, target: state.source, detected: null });
  if (text !== state.text) tellUndoable("The translation is the text now.", back);
}

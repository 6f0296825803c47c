// Copy: it waits for the final text, and works where a browser offers no clipboard, on plain HTTP.

import { session } from "../state/session.js";
import { finalText } from "../state/translating.js";
import { byId, make } from "./elements.js";
import { announce, tell } from "./notices.js";
import { output } from "./panes.js";

const copy = byId("copy");
const SHOWN = 2000; // milliseconds
let timer = 0;

export function setUpCopying() {
  session.on(["segments", "status"], ({ segments, status }) => {
    copy.disabled = !segments.some((one) => one.source) || status === "failed" || status === "idle";
    copy.classList.toggle("waiting", status === "working");
  });
  copy.addEventListener("click", copyText);
  byId("share").addEventListener("click", async () => {
    if (await write(Promise.resolve(location.href)))
      tell("The link is copied. It names the languages and glossaries, not your text.");
    else tell(location.href);
  });
}

async function copyText() {
  const text = finalText();
  if (session.get().status === "working") label("Copying when ready …");
  const done = await write(text);
  if ((await text) === null) return label("Copy");
  if (!done) {
    getSelection().selectAllChildren(output);
    tell("This browser does not let the page copy. The translation is selected: press Ctrl+C.");
    return label("Copy");
  }
  announce("Copied");
  label("Copied ✓");
  timer = setTimeout(() => label("Copy"), SHOWN);
}

function label(text) {
  clearTimeout(timer);
  copy.textContent = text;
}

// Whether the text, which may still be awaited, is in the clipboard.
async function write(text) {
  if (navigator.clipboard && window.ClipboardItem) {
    try {
      const blob = text.then(blobOf);
      blob.catch(() => {}); // told below
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      return true;
    } catch {
      // The older way may still do.
    }
  }
  const found = await text;
  return found !== null && copyBySelection(found);
}

// Where there is no text, what the clipboard holds must stay.
function blobOf(text) {
  if (text === null) throw new Error("There is no text to copy.");
  return new Blob([text], { type: "text/plain" });
}

function copyBySelection(text) {
  const area = make("textarea", { value: text, className: "hidden", ariaHidden: "true" });
  const before = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  before?.focus?.();
  return done;
}

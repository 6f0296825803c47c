// The page: the text is translated while it is typed.

import { RequestError, events, request, useKey } from "./api.js";
import { mirrorSource, onHighlight, show, showDraft } from "./linked.js";
import { showAlternatives, showMatrix, showTermResults } from "./panels.js";
import { setUp, terms } from "./terms.js";

const TYPING_PAUSE = 350; // milliseconds without a keystroke
const source = document.querySelector("#source");
const status = document.querySelector("#status");
const model = document.querySelector("#model");
const swap = document.querySelector("#swap");
const copy = document.querySelector("#copy");
const dialog = document.querySelector("#key-dialog");

let running = new AbortController();
let timer = 0;
let message = "";
let current = "";

function showStatus(text, isError = false) {
  message = text;
  status.textContent = text;
  status.classList.toggle("error", isError);
}

function showError(error) {
  if (error.name === "AbortError") return;
  if (error instanceof RequestError && error.status === 401 && !dialog.open) dialog.showModal();
  showStatus(error.message, true);
}

function languages() {
  const [source_language, target_language] = model.value.split(">");
  return { source_language, target_language };
}

function translateSoon() {
  clearTimeout(timer);
  running.abort(); // it also stops the server's work
  timer = setTimeout(translate, TYPING_PAUSE);
}

async function translate() {
  const text = source.value;
  running = new AbortController();
  if (!text.trim()) {
    present(text, { text: "", alignment: [], terms: [], alternatives: [] });
    showStatus("");
    return;
  }
  const body = { text, ...languages(), glossary: terms(), alternatives: 4 };
  const started = performance.now();
  let draft = "";
  try {
    for await (const { name, data } of events("v1/stream", body, running.signal)) {
      if (name === "token") showDraft(text, (draft += data.text));
      if (name === "error") throw new Error(data.message);
      if (name === "translation") {
        present(text, data.translations[0]);
        showStatus(`${((performance.now() - started) / 1000).toFixed(1)} s`);
      }
    }
  } catch (error) {
    showError(error);
  }
}

function present(text, translation) {
  const choose = (one) => {
    current = one.text;
    show(text, one);
    showTermResults(text, one);
    showMatrix(text, one.text, languages());
  };
  choose(translation);
  showAlternatives(translation, choose);
  copy.hidden = !translation.text;
}

function fit() {
  source.style.height = "auto";
  source.style.height = `${source.scrollHeight}px`;
}

source.addEventListener("input", () => {
  mirrorSource(source.value);
  fit();
  translateSoon();
});
window.addEventListener("resize", fit);
model.addEventListener("change", translateSoon);

swap.addEventListener("click", () => {
  model.value = model.value.split(">").reverse().join(">");
  source.value = current;
  source.dispatchEvent(new Event("input"));
});

copy.addEventListener("click", async () => {
  await navigator.clipboard.writeText(current);
  showStatus("Copied.");
});

dialog.addEventListener("close", () => {
  useKey(document.querySelector("#key").value);
  start();
});

onHighlight((word, counterparts) => {
  if (status.classList.contains("error")) return;
  status.textContent = word === null ? message : `${word} — ${counterparts.join(", ") || "not aligned"}`;
});

async function start() {
  try {
    const models = await request("v1/models");
    const directions = models.map((one) => `${one.source_language}>${one.target_language}`);
    const name = (one) => `${one.source_name} → ${one.target_name}`;
    model.replaceChildren(...models.map((one, index) => new Option(name(one), directions[index])));
    const reversed = (one) => directions.includes(one.split(">").reverse().join(">"));
    swap.hidden = !directions.every(reversed);
    setUp({ change: translateSoon, problem: showError, pair: languages });
    showStatus("");
  } catch (error) {
    showError(error);
  }
}

start();

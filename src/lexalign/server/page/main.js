// The page: what is typed is translated as it is typed.

import { Refusal, ask, events, useKey } from "./api.js";
import { mirrorSource, show, showDraft, whenLit } from "./linked.js";
import { showAlternatives, showFates, showMatrix } from "./panels.js";
import { setUp, terms } from "./terms.js";

const PAUSE = 350; // milliseconds without a keystroke
const source = document.querySelector("#source");
const status = document.querySelector("#status");
const model = document.querySelector("#model");
const swap = document.querySelector("#swap");
const copy = document.querySelector("#copy");
const dialog = document.querySelector("#key-dialog");

let running = new AbortController();
let timer = 0;
let said = "";
let current = "";

function say(text, isError = false) {
  said = text;
  status.textContent = text;
  status.classList.toggle("error", isError);
}

function tell(error) {
  if (error.name === "AbortError") return;
  if (error instanceof Refusal && error.status === 401 && !dialog.open) dialog.showModal();
  say(error.message, true);
}

function languages() {
  const [source_language, target_language] = model.value.split(">");
  return { source_language, target_language };
}

function translateSoon() {
  clearTimeout(timer);
  running.abort(); // which also stops the server's work
  timer = setTimeout(translate, PAUSE);
}

async function translate() {
  const text = source.value;
  running = new AbortController();
  if (!text.trim()) {
    present(text, { text: "", alignment: [], terms: [], alternatives: [] });
    say("");
    return;
  }
  const asked = { text, ...languages(), glossary: terms(), alternatives: 4 };
  const started = performance.now();
  let draft = "";
  try {
    for await (const { name, data } of events("v1/stream", asked, running.signal)) {
      if (name === "token") showDraft(text, (draft += data.text));
      if (name === "error") throw new Error(data.message);
      if (name === "translation") {
        present(text, data.translations[0]);
        say(`${((performance.now() - started) / 1000).toFixed(1)} s`);
      }
    }
  } catch (error) {
    tell(error);
  }
}

function present(text, translation) {
  const choose = (one) => {
    current = one.text;
    show(text, one);
    showFates(text, one);
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
  say("Copied.");
});

dialog.addEventListener("close", () => {
  useKey(document.querySelector("#key").value);
  start();
});

whenLit((word, partners) => {
  if (status.classList.contains("error")) return;
  status.textContent = word === null ? said : `${word} — ${partners.join(", ") || "no partner"}`;
});

async function start() {
  try {
    const models = await ask("v1/models");
    const directions = models.map((one) => `${one.source_language}>${one.target_language}`);
    const name = (one) => `${one.source_name} → ${one.target_name}`;
    model.replaceChildren(...models.map((one, index) => new Option(name(one), directions[index])));
    const reversed = (one) => directions.includes(one.split(">").reverse().join(">"));
    swap.hidden = !directions.every(reversed);
    setUp({ change: translateSoon, problem: tell, pair: languages });
    say("");
  } catch (error) {
    tell(error);
  }
}

start();

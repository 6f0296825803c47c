// A popover at a word of the translation: what else may stand there. The rest of the sentence follows a choice.

import { findAlternatives } from "../api/translation.js";
import { questionAt, sourcePhrase } from "../state/questions.js";
import { session } from "../state/session.js";
import { addOwnTerm } from "../state/terms.js";
import { dropOwnWording, putOwnWording } from "../state/wordings.js";
import { editSentence } from "./editing.js";
import { button, byId, make } from "./elements.js";
import { hold } from "./linking.js";
import { tell, tellUndoable } from "./notices.js";
import { output, wordAt } from "./panes.js";
import { beside } from "./tooltip.js";

const popover = byId("alternatives");
const head = make("div", { className: "popover-head" });
const body = make("div", { onkeydown: walk });
const narrow = matchMedia("(max-width: 42rem)"); // there the popover lies at the bottom
let running = new AbortController();
let shown = null; // the question that the popover is about

// An answer may come when somebody has gone on to another word, or to the text.
const isOpenFor = (asked) => shown === asked && popover.matches(":popover-open");

export async function openAlternatives(place) {
  const asked = questionAt(place);
  shown = asked;
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const word = wordAt("target", asked.place.segment, asked.place.piece);
  if (narrow.matches) scrollBy(0, word.getBoundingClientRect().top - innerHeight / 5);
  head.replaceChildren(...title(asked));
  say("Looking for other wordings …", "faint waiting");
  popover.replaceChildren(head, body, ownWording(asked), editing(asked));
  popover.showPopover();
  beside(popover, word);
  hold({ ...asked.place, side: "target" });
  await findSource(asked);
  if (signal.aborted) return;
  head.replaceChildren(...title(asked));
  await find(asked, signal);
  if (popover.matches(":popover-open")) beside(popover, word.isConnected ? word : output);
}

// Whoever is quicker than the server waits for the same answer.
async function findSource(asked) {
  asked.finding ??= sourcePhrase(asked.segment, asked.place);
  asked.source ??= await asked.finding;
}

async function find(asked, signal) {
  const { segment, text, span, settings } = asked;
  try {
    const all = await findAlternatives({ source: segment.source, target: text, span, settings }, signal);
    const found = others(all, asked.phrase);
    if (!found.length) return say("No other wording was found.");
    body.replaceChildren(make("ul", {}, ...found.map((one) => choice(asked, one))));
    if (document.activeElement === output) body.querySelector("button").focus();
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, "trouble");
  }
}

const fold = (text) => text.trim().toLowerCase();

// Each wording once, however it is spelled, and not the one that stands there.
function others(all, phrase) {
  const seen = new Set([fold(phrase)]);
  return all.filter(({ replacement }) => !seen.has(fold(replacement)) && seen.add(fold(replacement)));
}

function say(text, className = "faint") {
  body.replaceChildren(make("p", { className }, text));
}

function title(asked) {
  const { source: from, target } = session.get();
  const origin = asked.source ? [make("span", { className: "faint", lang: from }, ` ← ${asked.source}`)] : [];
  const phrase = make("span", {}, make("strong", { lang: target }, asked.phrase), ...origin);
  return [
    phrase,
    ...(asked.term ? [make("span", { className: "faint" }, "a term")] : always(asked, asked.phrase)),
  ];
}

function choice(asked, found) {
  const properties = { className: "choice", lang: output.lang, dir: output.dir };
  const element = button(found.replacement, () => pick(asked, found), properties);
  const rest = changedRest(asked, found);
  if (rest) element.append(make("small", {}, rest));
  return make("li", {}, element, ...always(asked, found.replacement));
}

// What follows an alternative, from the first word that is not as it was.
function changedRest(asked, found) {
  const before = asked.text.slice(asked.span[1]).split(" ");
  const after = found.text.slice(found.span[1]).split(" ");
  const first = after.findIndex((one, index) => one !== before[index]);
  const rest = after.slice(first).join(" ").trim();
  return first < 0 || !rest ? "" : /^[\p{L}\p{N}]/u.test(rest) ? `… ${rest}` : `…${rest}`;
}

// The arrow keys go from one choice to the next.
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...body.querySelectorAll(".choice")];
  const current = all.indexOf(document.activeElement.closest("li")?.querySelector(".choice"));
  all.at((current + step) % all.length)?.focus();
}

// A button that makes a term of the words that a phrase translates.
function always(asked, wording) {
  if (!asked.source) return [];
  const name = `Always translate “${asked.source}” by “${wording}”`;
  return [
    button("Always", () => addTerm(asked, wording), { className: "quiet", ariaLabel: name, title: name }),
  ];
}

// The term holds in this sentence too, whatever was picked in it before.
function addTerm(asked, wording) {
  if (isOpenFor(asked)) popover.hidePopover();
  const takeBack = dropOwnWording(sentenceOf(asked));
  const { undo } = addOwnTerm({ source: asked.source, targets: [wording], policy: "must" });
  tellUndoable(`${asked.source} → ${wording} is among your terms.`, () => (undo(), takeBack?.()));
}

async function addTypedTerm(asked, wording) {
  await findSource(asked);
  if (asked.source) addTerm(asked, wording);
  else report(asked, `It is not known which words “${asked.phrase}” translates. A term can be added under Terms.`);
}

function pick(asked, found) {
  const isOpen = isOpenFor(asked);
  if (isOpen) popover.hidePopover();
  const undo = putOwnWording(sentenceOf(asked), found.text, found);
  if (isOpen) output.focus();
  if (undo) tellUndoable(`“${asked.phrase}” is “${found.replacement}” now.`, undo);
}

const sentenceOf = ({ segment, place }) => ({ source: segment.source, index: place.segment });

function ownWording(asked) {
  const name = "Another wording";
  const typed = make("input", {
    ariaLabel: name,
    placeholder: `${name} …`,
    spellcheck: false,
    lang: output.lang,
    dir: "auto",
  });
  const submit = (event) => {
    event.preventDefault();
    const wording = typed.value.trim();
    if (!wording) return typed.focus();
    event.submitter?.value === "always" ? addTypedTerm(asked, wording) : replaceBy(asked, wording);
  };
  const everywhere = { className: "quiet", value: "always", ariaLabel: "Always translate it so" };
  const buttons = [make("button", {}, "Use"), make("button", everywhere, "Always")];
  return make("form", { className: "own-wording", onsubmit: submit }, typed, ...buttons);
}

async function replaceBy(asked, replacement) {
  running.abort();
  say("The rest of the sentence follows …", "faint waiting");
  const { segment, text, span, settings } = asked;
  try {
    const question = { source: segment.source, target: text, span, replacement, settings, number: 1 };
    const [best] = await findAlternatives(question);
    pick(asked, best ?? { text: text.slice(0, span[0]) + replacement + text.slice(span[1]), replacement });
  } catch (error) {
    report(asked, error.message);
  }
}

// What is still looked for must not take the message's place.
function report(asked, message) {
  if (!isOpenFor(asked)) return tell(message);
  running.abort();
  say(message, "trouble");
}

function editing({ place }) {
  const edit = () => {
    popover.hidePopover();
    editSentence(place.segment);
  };
  return make("div", { className: "tools" }, button("Edit the sentence", edit, { className: "quiet" }));
}

popover.addEventListener("toggle", (event) => {
  if (event.newState !== "closed") return;
  running.abort();
  hold(null);
});

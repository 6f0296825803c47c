// The text is translated while it is typed, sentence by sentence; only sentences that have changed are.

import { splitText, translateSentences } from "../api/translation.js";
import { follow } from "./languages.js";
import { isFinal, resplit, targetText, typedOver } from "./segments.js";
import { direction, languagesOf, session, settingsOf } from "./session.js";
import { bringBack, setAside } from "./wordings.js";

export const MOST_CHARACTERS = 200_000; // that the server takes at once
const TYPING_PAUSE = 120; // milliseconds without a keystroke
const REQUEST_CHARACTERS = 300; // of sentences that are asked for together
const REQUESTS = 3; // at a time
const LONGEST_WAIT = 30; // seconds
const PASSING = [0, 502, 503, 504]; // errors of a server that may be starting again, by their status
const TRY_AGAIN = 5; // seconds after one of them
const MOST_CACHED = 2000; // sentences

const cache = new Map(); // translations by settings and sentence
let running = new AbortController();
let timer = 0;

export function typed(text) {
  const before = session.get().segments;
  const segments = typedOver(before, text);
  setAside(before, segments);
  translateSoon({ text, segments }, TYPING_PAUSE);
}

// Translate again after a change of languages or terms. The user's own wordings stay, unless the language changes.
export function retranslate({ keepOwn = true } = {}) {
  const segments = session.get().segments.map((one) => {
    const old = isFinal(one) ? (one.own?.text ?? one.result.text) : one.old;
    return { ...one, result: null, own: keepOwn ? one.own : null, old };
  });
  translateSoon({ segments }, 0);
}

// `changes` of the session and what follows from them are one change, so that nothing is drawn between.
function translateSoon(changes, pause) {
  const { models, text } = { ...session.get(), ...changes };
  if (!models.length) return session.set(changes); // it is translated once they are known
  clearTimeout(timer);
  running.abort(); // it also stops the server's work
  session.set({ ...changes, status: text.trim() ? "working" : "idle" });
  timer = setTimeout(translate, pause);
}

export async function translate() {
  clearTimeout(timer);
  running = new AbortController();
  const { signal } = running;
  if (!session.get().text.trim()) {
    session.set({ segments: [], status: "idle", trouble: null, detected: null });
    return;
  }
  if ([...session.get().text].length > MOST_CHARACTERS) return refuse();
  session.set({ status: "working" }); // what was wrong stays in sight until it is right again
  try {
    await split(signal);
    await fill(signal);
    session.set({ status: "final", trouble: null });
  } catch (error) {
    if (error.name !== "AbortError") fail(error);
  }
}

async function split(signal) {
  const { text } = session.get();
  const found = await splitText(text, languagesOf(session.get()), signal);
  if (signal.aborted) throw new DOMException("", "AbortError");
  const before = direction(session.get());
  follow(found.detected);
  if (direction(session.get()) !== before) return split(signal);
  const { segments } = session.get();
  const after = resplit(segments, text, found.sentences);
  setAside(segments, after);
  session.set({ segments: bringBack(after) });
}

async function fill(signal) {
  const settings = settingsOf(session.get());
  const key = JSON.stringify([settings, versionsOf(session.get())]);
  place(key);
  const waiting = requestsOf(session.get().segments);
  const next = async () => {
    for (let sentences; (sentences = waiting.shift());) {
      const found = await translateSentences(sentences, settings, signal);
      sentences.forEach((sentence, index) => remember(key, sentence, found[index]));
      if (signal.aborted) return;
      place(key);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS }, next));
}

// A stored glossary may have been changed since.
const versionsOf = ({ chosen, glossaries }) =>
  chosen.map((id) => glossaries.find((one) => one.id === id)?.version);

// The sentences that lack a translation, each once, in requests of a few.
function requestsOf(segments) {
  const lacking = new Set(segments.filter((one) => !one.result).map((one) => one.source));
  const requests = [];
  let size = Infinity;
  for (const sentence of lacking) {
    if (size + sentence.length > REQUEST_CHARACTERS) {
      requests.push([]);
      size = 0;
    }
    requests.at(-1).push(sentence);
    size += sentence.length;
  }
  return requests;
}

function remember(key, sentence, translation) {
  cache.set(`${key}\n${sentence}`, translation);
  if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value);
}

// Put translations that are known into the segments that wait for them.
function place(key) {
  const segments = session.get().segments.map((one) => {
    const result = one.result ?? cache.get(`${key}\n${one.source}`);
    return result && result !== one.result ? { ...one, result, old: "" } : one;
  });
  session.set({ segments });
}

function refuse() {
  const most = MOST_CHARACTERS.toLocaleString("en");
  const message = `More than ${most} characters are too many here. They can be translated as a document.`;
  session.set({ status: "failed", trouble: { message, retry: null } });
}

// A server that says when it will have time is asked again then, one that may be starting again soon.
export function fail(error, retry = translate) {
  running.abort();
  clearTimeout(timer);
  const wait = error.retryAfter ?? (PASSING.includes(error.status) ? TRY_AGAIN : 0);
  const soon = wait > 0 && wait <= LONGEST_WAIT;
  if (soon) timer = setTimeout(retry, 1000 * wait);
  const message = soon ? `${error.message} The page tries again by itself.` : error.message;
  session.set({ status: "failed", trouble: { message, retry } });
}

addEventListener("online", () => session.get().trouble?.retry?.());

// The final text, once there is one; null where there will be none.
export function finalText() {
  const done = ({ status }) => status !== "working";
  if (done(session.get())) return Promise.resolve(resultText());
  return new Promise((resolve) => {
    const stop = session.on(["status"], (state) => {
      if (!done(state)) return;
      stop();
      resolve(resultText());
    });
  });
}

const resultText = () => (session.get().status === "final" ? targetText(session.get().segments) : null);

// Which languages can be chosen, which was detected, and which pair follows from both.

import { session } from "./session.js";

const SURE = 0.8; // of a detection that is worth a question
const VERY_SURE = 0.95;
const SHORTEST = 12; // characters

const primary = (language) => language.split("-")[0];
const same = (one, other) => Boolean(one && other) && primary(one) === primary(other);
const DISPLAY_NAMES = new Intl.DisplayNames(["en"], { type: "language" });
const RIGHT_TO_LEFT = new Set(["ar", "dv", "fa", "he", "ks", "ku", "ps", "sd", "ug", "ur", "yi"]);

export const directionOfWriting = (language) => (RIGHT_TO_LEFT.has(primary(language ?? "")) ? "rtl" : "ltr");

// Until the server has named its languages, there is the one of the last visit.
export function languageNames(models, side) {
  const last = session.get()[side];
  if (!models.length && last) return [{ code: last, name: nameOf(last) }];
  const names = new Map(models.map((one) => [one[`${side}_language`], one[`${side}_name`]]));
  return [...names]
    .map(([code, name]) => ({ code, name: label(code, name, names) }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

// Two variants of one language are told apart by their region.
const label = (code, name, names) =>
  [...names.values()].filter((one) => one === name).length > 1 ? `${name} (${code})` : name;

export const nameOf = (code) => {
  const model = session
    .get()
    .models.find((one) => one.source_language === code || one.target_language === code);
  if (!model) return DISPLAY_NAMES.of(code); // the server has not named it, or does not know it any more
  return model.source_language === code ? model.source_name : model.target_name;
};

export const hasModel = (source, target) =>
  session.get().models.some((one) => one.source_language === source && one.target_language === target);

// Choose languages; where no model has the pair, the other one gives way.
export function chooseSource(from) {
  const { source, target, models } = session.get();
  const wanted = from === "auto" ? source : from;
  session.set({
    from,
    source: wanted,
    target: hasModel(wanted, target)
      ? target
      : models.find((one) => one.source_language === wanted)?.target_language,
  });
}

export function chooseTarget(target) {
  const { source, models } = session.get();
  const found = hasModel(source, target)
    ? source
    : models.find((one) => one.target_language === target)?.source_language;
  session.set({
    target,
    source: found,
    from: session.get().from === "auto" || found === source ? session.get().from : found,
  });
}

export const canSwap = ({ source, target }) => hasModel(target, source);

// The pair for a detected language: with the same target, or else into what was translated from.
export function pairFor(detected) {
  const { models, source, target } = session.get();
  const from = models.find((one) => same(one.source_language, detected.language))?.source_language;
  if (!from) return null;
  const into = [target, source, models.find((one) => one.source_language === from).target_language];
  return { source: from, target: into.find((one) => hasModel(from, one)) };
}

// In "Detect" the detected language is taken; else a doubt is a question: {name, pair: null if there is none}.
export function follow(detected) {
  const { from, source, text } = session.get();
  session.set({ detected });
  if (from !== "auto" || !detected || same(detected.language, source)) return;
  if (text.trim().length < SHORTEST && detected.probability < VERY_SURE) return; // the next word may tell
  const pair = pairFor(detected);
  if (pair) session.set(pair);
}

export function doubt({ detected, source, text }) {
  if (
    !detected ||
    detected.probability < SURE ||
    text.trim().length < SHORTEST ||
    same(detected.language, source)
  )
    return null;
  return { name: detected.name, pair: pairFor(detected) };
}

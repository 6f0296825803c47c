// Texts, sentences, alternatives and alignments as the server gives them, with offsets in UTF-16 units.

import { post, request } from "./client.js";
import { codePoints, toUnits, unitsOf } from "../text/offsets.js";

export const listModels = () => request("v1/models");

// {detected: {language, name, probability} | null, sentences: [[start, end], ...]}
export async function splitText(text, languages, signal) {
  const found = await post("v1/sentences", { text, ...languages }, signal);
  const units = unitsOf(text);
  return { detected: found.detected, sentences: found.sentences.map((span) => toUnits(span, units)) };
}

export async function translateSentences(sentences, settings, signal) {
  const found = await post(
    "v1/translate",
    { text: sentences, split_sentences: false, align: true, ...settings },
    signal,
  );
  return found.translations.map((one, index) => inUnits(one, sentences[index]));
}

// What else may stand at a span of a translation; with a replacement, how the rest follows it.
export async function findAlternatives({ source, target, span, replacement, settings, number = 5 }, signal) {
  const points = span.map((offset) => codePoints(target, offset));
  const body = { source, target, span: points, number, ...settings };
  if (replacement !== undefined) body.replacement = replacement;
  const found = await post("v1/alternatives", body, signal);
  return found.alternatives.map((one) => inUnits(one, source));
}

// The model's tokens of both texts, and the probabilities between them.
export async function alignTokens(source, target, languages, signal) {
  const { pairs } = await post(
    "v1/align",
    { pairs: [{ source, target }], subwords: true, ...languages },
    signal,
  );
  const { subwords } = pairs[0];
  const [sourceUnits, targetUnits] = [unitsOf(source), unitsOf(target)];
  return {
    source: subwords.source.map((span) => toUnits(span, sourceUnits)),
    target: subwords.target.map((span) => toUnits(span, targetUnits)),
    matrix: subwords.matrix,
  };
}

function inUnits(translation, source) {
  const [sourceUnits, targetUnits] = [unitsOf(source), unitsOf(translation.text)];
  const both = (one) => ({
    ...one,
    source: toUnits(one.source, sourceUnits),
    target: toUnits(one.target, targetUnits),
  });
  return {
    text: translation.text,
    complete: translation.complete,
    terms: translation.terms.map(both),
    protected: translation.protected.map(both),
    missingNumbers: translation.missing_numbers.map((span) => toUnits(span, sourceUnits)),
    uncovered: translation.uncovered.map((one) => ({ ...one, source: toUnits(one.source, sourceUnits) })),
    replacement: translation.replacement,
    span: toUnits(translation.span, targetUnits),
  };
}

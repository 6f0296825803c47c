// What is to be seen in a sentence and its translation: terms, and what may be wrong.

// {kind, problem, message, source: span | null, target: span | null}
export function marksOf(segment, result) {
  if (!result) return [];
  return [
    ...result.terms.map((term) => termMark(segment, term)),
    ...lostMarks(segment, result.uncovered),
    ...result.missingNumbers.map((span) => numberMark(segment, span)),
    ...result.protected.filter((one) => one.placement === "position").map(placeMark),
    ...(result.complete
      ? []
      : [
          {
            kind: "cut",
            problem: true,
            message: "The translation was cut off: the sentence is too long.",
            source: [0, segment.source.length],
            target: null,
          },
        ]),
  ];
}

const REASONS = {
  empty: "it has no letters",
  "not generable": "the model cannot write it",
  contradictory: "all its forms contain words to be avoided",
  "too many": "there are too many terms in this sentence",
  "no source": "it is not known which words it translates",
  "not aligned": "no word of the translation comes from there",
  "inside a word": "it is only a part of a longer word",
  "inside a source word": "it is only a part of a longer word of the source",
  "not preferred": "another word fitted better",
  "length limit": "the translation became too long",
  "not avoided": "nothing could replace it",
};

function termMark(segment, { source, target, targets, kind, met, form, reason }) {
  const name = source ? segment.source.slice(...source) : "";
  const wanted = targets.slice(0, 3).join(" or ");
  if (kind === "avoid") {
    const message = met
      ? `“${wanted}” is avoided for “${name}”.`
      : `“${wanted}” should be avoided for “${name}”.`;
    return { kind: met ? "term" : "missed", problem: !met, message, source, target };
  }
  if (met)
    return { kind: "term", problem: false, message: `Term: ${name} → ${form ?? wanted}`, source, target };
  const why = REASONS[reason] ?? reason;
  return {
    kind: "missed",
    problem: true,
    message: `The term “${name} → ${wanted}” is not in the translation${why ? `: ${why}` : ""}.`,
    source,
    target,
  };
}

// Lost words that follow each other are one mark.
function lostMarks(segment, uncovered) {
  const runs = [];
  for (const { source, lost } of uncovered) {
    if (!lost) continue;
    const last = runs.at(-1);
    if (last && !/[\p{L}\p{N}]/u.test(segment.source.slice(last[1], source[0]))) last[1] = source[1];
    else runs.push([...source]);
  }
  return runs.map((span) => ({
    kind: "lost",
    problem: true,
    message: `Nothing in the translation seems to come from “${segment.source.slice(...span)}”.`,
    source: span,
    target: null,
  }));
}

const numberMark = (segment, span) => ({
  kind: "number",
  problem: true,
  message: `“${segment.source.slice(...span)}” is missing in the translation.`,
  source: span,
  target: null,
});

const placeMark = ({ text, source, target }) => ({
  kind: "place",
  problem: true,
  message: `“${text}” is kept, but where it belongs is a guess.`,
  source,
  target,
});

// The fields of a term: its words in both languages, and how it is to be used.

import { directionOfWriting, nameOf } from "../state/languages.js";
import { session } from "../state/session.js";
import { make } from "./elements.js";

const RULES = { must: "must be used", prefer: "if it fits", avoid: "never use", keep: "leave as it is" };

export function termFields(term = {}) {
  const source = make("input", {
    ariaLabel: "Term",
    value: term.source ?? "",
    spellcheck: false,
  });
  const targets = make("input", {
    ariaLabel: "Its translation",
    value: (term.targets ?? []).join(" | "),
    spellcheck: false,
  });
  const policy = make(
    "select",
    { ariaLabel: "How to use it" },
    ...Object.entries(RULES).map(([rule, name]) => new Option(name, rule)),
  );
  policy.value = term.policy ?? "must";
  const fit = () => (targets.disabled = policy.value === "keep");
  policy.addEventListener("input", fit);
  fit();
  nameLanguages(source, targets);
  return [source, targets, policy];
}

function nameLanguages(...fields) {
  const { source: from, target: into } = session.get();
  if (!from) return;
  for (const [index, language] of [from, into].entries())
    Object.assign(fields[index], { lang: language, dir: directionOfWriting(language) });
  fields[0].placeholder = `${nameOf(from)} term`;
  fields[1].placeholder = `in ${nameOf(into)}`;
}

export function readFields(source, targets, policy) {
  const listed = targets.value
    .split("|")
    .map((target) => target.trim())
    .filter(Boolean);
  return {
    source: source.value.trim(),
    targets: policy.value === "keep" ? [] : listed,
    policy: policy.value,
  };
}

export const isWhole = (term) => term.source && (term.targets.length || term.policy === "keep");

export function addForm(add) {
  const [source, targets, policy] = termFields();
  session.on(["models", "source", "target"], () => nameLanguages(source, targets));
  const submit = (event) => {
    event.preventDefault();
    const term = readFields(source, targets, policy);
    if (!isWhole(term)) return (term.source ? targets : source).focus();
    add(term);
    [source.value, targets.value] = ["", ""];
    source.focus();
  };
  return make(
    "form",
    { className: "term-row add-term", onsubmit: submit },
    source,
    targets,
    policy,
    make("button", { ariaLabel: "Add this term" }, "Add"),
  );
}

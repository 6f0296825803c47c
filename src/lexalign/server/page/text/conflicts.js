// Terms that contradict each other: several translations of one source, or one that is both wanted and avoided.

const fold = (text) => text.trim().toLowerCase();

// A Map from each entry with a conflict to what it is.
export function conflictsOf(lists) {
  const bySource = new Map();
  for (const { name, entries } of lists) {
    for (const entry of entries) {
      const key = fold(entry.source);
      if (!bySource.has(key)) bySource.set(key, []);
      bySource.get(key).push({ name, entry });
    }
  }
  const found = new Map();
  for (const same of bySource.values()) {
    if (same.length < 2) continue;
    for (const one of same) {
      const other = same.find((two) => two !== one && contradicts(one.entry, two.entry));
      if (other) found.set(one.entry, `${wordingOf(other.entry)} (${other.name})`);
    }
  }
  return found;
}

export const wordingOf = ({ policy, targets, source }) =>
  policy === "keep"
    ? `${source} stays as it is`
    : `${policy === "avoid" ? "not " : ""}${targets.join(" | ")}`;

function contradicts(one, other) {
  const [avoids, avoided] = [one.policy === "avoid", other.policy === "avoid"];
  const shared = one.targets.some((target) => other.targets.includes(target));
  if (avoids !== avoided) return shared || one.policy === "keep" || other.policy === "keep" ? shared : false;
  if (avoids) return false;
  if (one.policy === "keep" || other.policy === "keep") return one.policy !== other.policy;
  return !sameSet(one.targets, other.targets);
}

const sameSet = (one, other) => one.length === other.length && one.every((item) => other.includes(item));

// The languages and glossaries in the address, after the #, which no browser sends anywhere; never the text.

import { hasModel } from "./languages.js";
import { session } from "./session.js";

export function readLink() {
  const found = new URLSearchParams(location.hash.slice(1));
  const [source, target] = [found.get("from"), found.get("to")];
  if (source !== "auto" && !hasModel(source, target)) return null;
  return {
    from: source,
    source: source === "auto" ? null : source,
    target,
    chosen: found.get("glossaries")?.split(",").filter(Boolean) ?? null,
  };
}

export function followInLink() {
  session.on(["from", "target", "chosen"], ({ from, target, chosen }) => {
    const parameters = new URLSearchParams({
      from,
      to: target,
      ...(chosen.length ? { glossaries: chosen.join(",") } : {}),
    });
    window.history.replaceState(null, "", `#${parameters}`);
  });
}

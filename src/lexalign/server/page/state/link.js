// The languages and glossaries in the address, after the #, which no browser sends anywhere; never the text.

import { hasModel } from "./languages.js";
import { session } from "./session.js";

export function readLink() {
  const found = new URLSearchParams(location.hash.slice(1));
  const [from, target] = [found.get("from"), found.get("to")];
  const any = session.get().models.find((one) => one.target_language === target)?.source_language;
  const source = from === "auto" ? any : from;
  if (!hasModel(source, target)) return null;
  return { from, source, target, chosen: found.get("glossaries")?.split(",").filter(Boolean) ?? [] };
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

// A line of explanation beside a word.

import { byId, make } from "./elements.js";

const tooltip = byId("tooltip");

export function showTooltip(anchor, lines) {
  if (!lines.length) return hideTooltip();
  tooltip.replaceChildren(...lines.map((line) => make("div", {}, line)));
  tooltip.hidden = false;
  beside(tooltip, anchor, { above: true });
}

export function hideTooltip() {
  tooltip.hidden = true;
}

const GAP = 6; // pixels

// Put an element under a word, or above it, on the other side where there is no room, within the window.
export function beside(element, anchor, { above = false } = {}) {
  const box = [...anchor.getClientRects()].at(-1) ?? anchor.getBoundingClientRect();
  const { width, height } = element.getBoundingClientRect();
  const [over, under] = [box.top - height - GAP, box.bottom + GAP];
  const fits = above ? over >= 0 : under + height <= innerHeight;
  const top = above === fits ? over : under;
  element.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  element.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
}

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

// Put an element under a word, or above it; where it fits on neither side, on the larger one, as high as that
// allows. The word itself stays in sight.
export function beside(element, anchor, { above = false } = {}) {
  element.style.maxHeight = "";
  const box = [...anchor.getClientRects()].at(-1) ?? anchor.getBoundingClientRect();
  const { width, height } = element.getBoundingClientRect();
  const [over, under] = [box.top - 2 * GAP, innerHeight - box.bottom - 2 * GAP];
  const isOver = above ? over >= height || over > under : under < height && over > under;
  const shown = Math.min(height, isOver ? over : under);
  if (shown < height) element.style.maxHeight = `${shown}px`;
  element.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  element.style.top = `${isOver ? box.top - GAP - shown : box.bottom + GAP}px`;
}

// A list that draws only the rows in sight, so that 50,000 are as quick as 50. All rows have one height.

import { make } from "./elements.js";

const BEYOND = 6; // rows above and below what is seen

export function createVirtualList({ label, drawRow, rowHeight }) {
  const rows = make("div", { className: "virtual-rows", role: "list", ariaLabel: label });
  const element = make(
    "div",
    { className: "virtual-list", tabIndex: 0, role: "group", ariaLabel: label },
    rows,
  );
  let items = [];
  let drawn = new Map(); // rows by item

  function draw() {
    const height = rowHeight();
    rows.style.height = `${items.length * height}px`;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - BEYOND);
    const last = Math.min(
      items.length,
      Math.ceil((element.scrollTop + element.clientHeight) / height) + BEYOND,
    );
    const next = new Map();
    for (let index = first; index < last; index++) {
      const row = drawn.get(items[index]) ?? drawRow(items[index]);
      row.style.top = `${index * height}px`;
      row.setAttribute("aria-setsize", items.length);
      row.setAttribute("aria-posinset", index + 1);
      next.set(items[index], row);
    }
    for (const [item, row] of drawn)
      if (next.get(item) !== row && !row.contains(document.activeElement)) row.remove();
    for (const row of next.values()) if (!row.isConnected) rows.append(row);
    drawn = next;
  }

  element.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(element);
  return {
    element,
    show(found) {
      items = found;
      for (const row of drawn.values()) row.remove();
      drawn = new Map();
      element.hidden = !items.length;
      draw();
    },
  };
}

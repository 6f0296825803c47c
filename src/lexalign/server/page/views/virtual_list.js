// A list that draws only the rows in sight, so that 50,000 are as quick as 50. All rows have one height.

import { make } from "./elements.js";

const BEYOND = 6; // rows above and below what is seen

// `drawRow` draws an item; its row is drawn anew when `detailOf` the item, which is shown beside it, has changed.
export function createVirtualList({ label, drawRow, detailOf, rowHeight }) {
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
      const row = drawn.get(items[index]) ?? newRow(items[index]);
      row.style.top = `${index * height}px`;
      row.setAttribute("aria-setsize", items.length);
      row.setAttribute("aria-posinset", index + 1);
      next.set(items[index], row);
    }
    for (const [item, row] of drawn) {
      if (next.has(item)) continue;
      if (row.contains(document.activeElement)) next.set(item, row);
      else row.remove();
    }
    for (const row of next.values()) if (!row.isConnected) rows.append(row);
    drawn = next;
  }

  function newRow(item) {
    const row = drawRow(item);
    row.detail = detailOf(item);
    return row;
  }

  // Rows that stay keep what is being typed in them. Where the row with the focus goes, the one in its place gets it.
  function show(found) {
    const present = new Set(found);
    const focus = focusIn(rows);
    items = found;
    for (const [item, row] of drawn) {
      if (present.has(item) && row.detail === detailOf(item)) continue;
      row.remove();
      drawn.delete(item);
    }
    element.hidden = !items.length;
    draw();
    if (focus && !rows.contains(document.activeElement)) focusAt(rows, focus, items.length);
  }

  element.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(element);
  return { element, show };
}

const fieldsOf = (row) => [...row.querySelectorAll("input, select, button")];

// Which field of which row has the focus: {position, field}, or null.
function focusIn(rows) {
  const row = document.activeElement.closest?.("[aria-posinset]");
  if (!row || !rows.contains(row)) return null;
  const position = Number(row.getAttribute("aria-posinset"));
  return { position, field: fieldsOf(row).indexOf(document.activeElement) };
}

function focusAt(rows, { position, field }, length) {
  const row = rows.querySelector(`[aria-posinset="${Math.min(position, length)}"]`);
  if (row) fieldsOf(row).at(field)?.focus({ preventScroll: true });
}

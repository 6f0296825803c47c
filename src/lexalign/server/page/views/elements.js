// Elements by name, with properties and children.

export const byId = (id) => document.getElementById(id);

export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "data") Object.assign(element.dataset, value);
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export const button = (label, onclick, properties = {}) =>
  make("button", { type: "button", onclick, ...properties }, label);

// Make the children of an element those of a list of items, drawing only what has changed: items at the
// beginning and at the end that are the same as before keep their elements. With `redraw`, the elements between
// are drawn over; else they are replaced.
export function patch(container, items, { draw, redraw, same = Object.is }) {
  const before = container.items ?? [];
  const least = Math.min(before.length, items.length);
  let head = 0;
  while (head < least && same(before[head], items[head])) head++;
  let tail = 0;
  while (tail < least - head && same(before.at(-1 - tail), items.at(-1 - tail))) tail++;
  const after = container.children[before.length - tail] ?? null;
  const old = [...container.children].slice(head, before.length - tail);
  for (const item of items.slice(head, items.length - tail)) {
    if (redraw && old.length) redraw(old.shift(), item);
    else container.insertBefore(draw(item), old[0] ?? after);
  }
  for (const gone of old) gone.remove();
  container.items = items;
}

// Make these elements the children of another, without moving those that are there: they keep the focus.
export function arrange(container, elements) {
  const wanted = new Set(elements);
  for (const child of [...container.children]) if (!wanted.has(child)) child.remove();
  elements.forEach((element, index) => {
    if (container.children[index] !== element) container.insertBefore(element, container.children[index]);
  });
}

export function saveAs(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

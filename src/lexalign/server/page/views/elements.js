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
// beginning and at the end that are the same objects as before keep their elements.
export function patch(container, items, draw) {
  const before = container.items ?? [];
  const least = Math.min(before.length, items.length);
  let head = 0;
  while (head < least && before[head] === items[head]) head++;
  let tail = 0;
  while (tail < least - head && before.at(-1 - tail) === items.at(-1 - tail)) tail++;
  const after = container.children[before.length - tail] ?? null;
  for (const gone of [...container.children].slice(head, before.length - tail)) gone.remove();
  for (const item of items.slice(head, items.length - tail)) container.insertBefore(draw(item), after);
  container.items = items;
}

export function saveAs(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

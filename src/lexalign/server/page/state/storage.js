// What this browser keeps, in one of its storages. A browser that refuses to keep anything must not break the
// page: what it refuses is kept as long as the page is open.

export const [DEVICE, TAB] = ["localStorage", "sessionStorage"];
const refused = new Map();

export function load(storage, name, fallback) {
  if (refused.has(name)) return refused.get(name);
  try {
    return JSON.parse(window[storage].getItem(name)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function save(storage, name, value) {
  try {
    window[storage].setItem(name, JSON.stringify(value));
    refused.delete(name);
  } catch {
    refused.set(name, value);
  }
}

export function forget(storage, name) {
  refused.delete(name);
  try {
    window[storage].removeItem(name);
  } catch {
    // Nothing was kept.
  }
}

// What this browser keeps. A browser that refuses to keep anything must not break the page.

export function load(storage, name, fallback) {
  try {
    return JSON.parse(storage.getItem(name)) ?? fallback;
  } catch {
    return fallback;
  }
}

// Whether it was stored.
export function save(storage, name, value) {
  try {
    storage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function forget(storage, name) {
  try {
    storage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}

// A value that tells its listeners which of its fields have changed.

export function createStore(initial) {
  let value = { ...initial };
  const listeners = new Set();
  return {
    get: () => value,
    set(fields) {
      const changed = Object.keys(fields).filter((name) => fields[name] !== value[name]);
      if (!changed.length) return;
      value = { ...value, ...fields };
      for (const { names, listener } of [...listeners])
        if (names.some((name) => changed.includes(name))) listener(value);
    },
    // Calls the listener when one of the named fields has changed, until the function that it returns is called.
    on(names, listener) {
      const entry = { names, listener };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
}

// The user's own wording of a sentence.

import { session } from "./session.js";

// Put it in the place of a translation; `result` is a translation of the server's with this text, or null.
// Returns a function that takes it back.
export const putOwnWording = (index, text, result = null) => setOwn(index, { text, result });

export const dropOwnWording = (index) => setOwn(index, null);

// What is taken back is this wording, wherever its sentence is by now, and no later one.
function setOwn(index, own) {
  const { segments } = session.get();
  const before = segments[index].own;
  session.set({ segments: segments.with(index, { ...segments[index], own }) });
  return () => {
    const { source } = segments[index];
    const undone = session
      .get()
      .segments.map((one) => (one.source === source && one.own === own ? { ...one, own: before } : one));
    session.set({ segments: undone });
  };
}

// The documents of this server's user: those under way are asked for until they are done.

import { deleteDocument, listDocuments, submitDocument } from "../api/documents.js";
import { createStore } from "./store.js";
import { session, settingsOf } from "./session.js";

const BETWEEN = 700; // milliseconds between two looks at documents under way
const ENDED = ["done", "failed", "cancelled"];

export const documents = createStore({ items: [], sending: [], removed: [] });

export const isUnderWay = (one) => !ENDED.includes(one.status);

let timer = 0;

export async function refresh() {
  clearTimeout(timer);
  documents.set({ items: await listDocuments() });
  if (documents.get().items.some(isUnderWay)) timer = setTimeout(() => refresh().catch(() => {}), BETWEEN);
}

// Send a file, with the languages and terms of the page; in "Detect" the document's own language counts.
export async function send(file) {
  const settings = settingsOf(session.get());
  documents.set({ sending: [...documents.get().sending, file] });
  try {
    await submitDocument(
      file,
      session.get().from === "auto" ? { ...settings, source_language: null } : settings,
    );
  } finally {
    documents.set({ sending: documents.get().sending.filter((one) => one !== file) });
  }
  await refresh();
}

// Take a document from the list; `settle` deletes it on the server.
export function remove(id) {
  documents.set({ removed: [...documents.get().removed, id] });
  const undo = () => documents.set({ removed: documents.get().removed.filter((one) => one !== id) });
  return {
    undo,
    settle: () =>
      deleteDocument(id)
        .then(refresh)
        .catch(() => {}),
  };
}

// Terms in use: the user's own, kept in this browser for each direction, and glossaries that the server stores.

import {
  changeTerms,
  deleteGlossary,
  listGlossaries,
  readGlossary,
  renameGlossary,
  storeFile,
  storeGlossary,
} from "../api/glossaries.js";
import { direction, languagesOf, session, withoutDefaults } from "./session.js";
import { load, save } from "./storage.js";
import { retranslate } from "./translating.js";

const OWN = "lexalign-terms"; // by direction
const CHOSEN = "lexalign-glossaries"; // by direction
const DELETED = "lexalign-deleted"; // ids of glossaries, for as long as that can be undone
export const MOST_OWN = 1000; // terms that a request may carry

const entriesById = new Map(); // of stored glossaries: {version, entries, which may be awaited}

// The terms and glossaries of the direction that is translated in now.
export function useDirection() {
  const state = session.get();
  const chosen = load(localStorage, CHOSEN, {})[direction(state)] ?? [];
  session.set({
    terms: load(localStorage, OWN, {})[direction(state)] ?? [],
    chosen: chosen.filter((id) => applicable(state).some((one) => one.id === id)),
  });
}

export async function refreshGlossaries() {
  await deletePending();
  session.set({ glossaries: await listGlossaries() });
  useDirection();
}

// The stored glossaries that have terms for this direction.
export const applicable = ({ glossaries, source, target }) =>
  glossaries.filter((one) => one.directions.some((pair) => suits(pair, source, target)));

const suits = (pair, source, target) =>
  same(pair.source_language, source) && same(pair.target_language, target);
const same = (one, other) => one === null || one === undefined || one.split("-")[0] === other?.split("-")[0];

export function setOwnTerms(terms) {
  const before = session.get().terms;
  keep(OWN, terms);
  session.set({ terms });
  retranslate();
  return { undo: () => setOwnTerms(before) };
}

export function choose(id, inUse) {
  const others = session.get().chosen.filter((one) => one !== id);
  const chosen = inUse ? [...others, id] : others;
  keep(CHOSEN, chosen);
  session.set({ chosen });
  retranslate();
}

function keep(name, value) {
  save(localStorage, name, { ...load(localStorage, name, {}), [direction(session.get())]: value });
}

// A new term takes the place of one with the same source.
export function addOwnTerm(term) {
  const others = session.get().terms.filter((one) => one.source !== term.source);
  return setOwnTerms([term, ...others]);
}

// The entries of a list: of the user's own (null) or of a stored glossary, for this direction.
export async function entriesOf(id) {
  const state = session.get();
  if (id === null) return state.terms;
  const { version } = state.glossaries.find((one) => one.id === id);
  if (entriesById.get(id)?.version !== version)
    entriesById.set(id, { version, entries: readGlossary(id).then((found) => found.entries) });
  return (await entriesById.get(id).entries).filter((one) => suits(one, state.source, state.target));
}

// Take terms out of a list and put others into it. Returns how to undo it.
export async function change(id, { remove = [], add = [] }) {
  if (id === null) {
    const place = Math.max(0, session.get().terms.indexOf(remove[0]));
    const rest = session.get().terms.filter((one) => !remove.includes(one));
    return setOwnTerms([...rest.slice(0, place), ...add, ...rest.slice(place)]);
  }
  const { source_language, target_language } = languagesOf(session.get());
  const placed = add.map((one) => ({ source_language, target_language, ...one }));
  const info = await changeTerms(id, {
    remove: remove.map(withoutDefaults),
    add: placed.map(withoutDefaults),
  });
  const known = (await entriesById.get(id)?.entries) ?? [];
  const rest = known.filter((one) => !remove.includes(one));
  entriesById.set(id, { version: info.version, entries: [...placed, ...rest] });
  session.set({ glossaries: session.get().glossaries.map((one) => (one.id === id ? info : one)) });
  if (session.get().chosen.includes(id)) retranslate();
  return { undo: () => change(id, { remove: placed, add: remove }) };
}

// Store terms, or a file, under a name, and use them.
export async function store(name, content) {
  const languages = languagesOf(session.get());
  const info =
    content instanceof File
      ? await storeFile(content, name, languages)
      : await storeGlossary(
          name,
          content.map((one) => withoutDefaults({ ...one, ...languages })),
        );
  session.set({ glossaries: [...session.get().glossaries, info] });
  choose(info.id, true);
  return info;
}

export async function rename(id, name) {
  const info = await renameGlossary(id, name);
  session.set({ glossaries: session.get().glossaries.map((one) => (one.id === id ? info : one)) });
}

// Take a glossary from the page; `settle` deletes it on the server, `undo` brings it back.
export function remove(id) {
  const { glossaries, chosen } = session.get();
  deleteSoon(id);
  session.set({ glossaries: glossaries.filter((one) => one.id !== id) });
  if (chosen.includes(id)) choose(id, false);
  const undo = () => {
    save(
      localStorage,
      DELETED,
      deleted().filter((one) => one !== id),
    );
    session.set({ glossaries });
    if (chosen.includes(id)) choose(id, true);
  };
  return { undo, settle: deletePending };
}

const deleted = () => load(localStorage, DELETED, []);
const deleteSoon = (id) => save(localStorage, DELETED, [...deleted(), id]);

// Delete what nobody has taken back; a page that was closed before leaves it to the next one.
async function deletePending() {
  for (const id of deleted()) {
    await deleteGlossary(id).catch(() => {}); // it may be gone already
    save(
      localStorage,
      DELETED,
      deleted().filter((one) => one !== id),
    );
  }
}

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
import { DEVICE, load, save } from "./storage.js";
import { retranslate } from "./translating.js";

const OWN = "lexalign-terms"; // by direction
const CHOSEN = "lexalign-glossaries"; // by direction
const DELETED = "lexalign-deleted"; // ids of glossaries, for as long as that can be undone
export const MOST_OWN = 1000; // terms that a request may carry

const entriesById = new Map(); // of stored glossaries: {version, entries, which may be awaited}

// The terms and glossaries of the direction that is translated in now.
export function useDirection() {
  const state = session.get();
  const pair = direction(state);
  session.set({
    terms: kept(OWN, pair),
    chosen: kept(CHOSEN, pair).filter((id) => applicable(state).some((one) => one.id === id)),
  });
}

export async function findGlossaries() {
  await deletePending();
  return listGlossaries();
}

export async function refreshGlossaries() {
  session.set({ glossaries: await findGlossaries() });
  useDirection();
}

// The stored glossaries that have terms for this direction.
export const applicable = ({ glossaries, source, target }) =>
  glossaries.filter((one) => one.directions.some((pair) => suits(pair, source, target)));

const suits = (pair, source, target) =>
  same(pair.source_language, source) && same(pair.target_language, target);
const same = (one, other) => one === null || one === undefined || one.split("-")[0] === other?.split("-")[0];

// Undone, it is for the direction that it was done in, whichever is translated in by then.
function setOwnTerms(terms, pair = direction(session.get())) {
  const before = kept(OWN, pair);
  keep(OWN, pair, terms);
  return { undo: () => setOwnTerms(before, pair) };
}

export function choose(id, inUse, pair = direction(session.get())) {
  const others = kept(CHOSEN, pair).filter((one) => one !== id);
  keep(CHOSEN, pair, inUse ? [...others, id] : others);
}

const kept = (name, pair) => load(DEVICE, name, {})[pair] ?? [];

function keep(name, pair, value) {
  save(DEVICE, name, { ...load(DEVICE, name, {}), [pair]: value });
  if (pair === direction(session.get())) useNow();
}

function useNow() {
  useDirection();
  retranslate();
}

// Terms that another tab has changed hold in this one too.
export const followOtherTabs = () =>
  window.addEventListener("storage", ({ key }) => [OWN, CHOSEN].includes(key) && useNow());

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

// What is new stands where the first that is taken out stood, or at the beginning.
function replaced(terms, remove, add) {
  const place = Math.max(0, terms.indexOf(remove[0]));
  const rest = terms.filter((one) => !remove.includes(one));
  return [...rest.slice(0, place), ...add, ...rest.slice(place)];
}

// Take terms out of a list and put others into it. Returns how to undo it.
export async function change(id, { remove = [], add = [] }) {
  if (id === null) {
    return setOwnTerms(replaced(session.get().terms, remove, add));
  }
  const { source_language, target_language } = languagesOf(session.get());
  const placed = add.map((one) => ({ source_language, target_language, ...one }));
  const info = await changeTerms(id, {
    remove: remove.map(withoutDefaults),
    add: placed.map(withoutDefaults),
  });
  const known = (await entriesById.get(id)?.entries) ?? [];
  entriesById.set(id, { version: info.version, entries: replaced(known, remove, placed) });
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
  const pair = direction(session.get());
  const place = glossaries.findIndex((one) => one.id === id);
  deleteSoon(id);
  session.set({ glossaries: glossaries.toSpliced(place, 1) });
  if (chosen.includes(id)) choose(id, false, pair);
  const undo = () => {
    deleteNot(id);
    session.set({ glossaries: session.get().glossaries.toSpliced(place, 0, glossaries[place]) });
    if (chosen.includes(id)) choose(id, true, pair);
  };
  return { undo, settle: deletePending };
}

const deleted = () => load(DEVICE, DELETED, []);
const deleteSoon = (id) => save(DEVICE, DELETED, [...deleted(), id]);
const deleteNot = (id) =>
  save(
    DEVICE,
    DELETED,
    deleted().filter((one) => one !== id),
  );

// Delete what nobody has taken back; a page that was closed before leaves it to the next one.
async function deletePending() {
  for (const id of deleted()) {
    await deleteGlossary(id).catch(() => {}); // it may be gone already
    deleteNot(id);
  }
}

// Lists of terms as a whole: read from files and written to them, stored, renamed and deleted.

import { FILE_FORMATS, formatOf, readFile, writeFile } from "../api/glossaries.js";
import { languagesOf, session } from "../state/session.js";
import { MOST_OWN, change, entriesOf, remove, rename, store } from "../state/terms.js";
import { askForName } from "./dialogs.js";
import { button, make, saveAs } from "./elements.js";
import { tell, tellUndoable } from "./notices.js";

const LONG_FILE = 100_000; // bytes
const HINT =
  "Several translations of a term are separated by |. Files (CSV, TSV, TBX, TMX) can be dropped here.";

export function createTools() {
  const input = make("input", {
    type: "file",
    id: "import",
    className: "hidden",
    multiple: true,
    accept: FILE_FORMATS.map((one) => `.${one}`).join(","),
    onchange: () => (importFiles([...input.files]), (input.value = "")),
  });
  const format = make(
    "select",
    { ariaLabel: "Format of the export" },
    ...FILE_FORMATS.map((one) => new Option(one.toUpperCase(), one)),
  );
  return make(
    "div",
    { className: "tools" },
    make("label", { className: "button" }, "Import", input),
    make(
      "span",
      { className: "pair" },
      button("Export", () => attempt(() => exportTo(format.value)), { id: "export" }),
      format,
    ),
    button("Store for everybody on this server", () => attempt(storeOwn), {
      id: "store",
      data: { for: "own" },
    }),
    button("Rename", () => attempt(renameOpen), { data: { for: "stored" } }),
    button("Delete this glossary", () => takeAway(session.get().opened), {
      id: "delete",
      data: { for: "stored" },
    }),
    make("span", { className: "faint hint" }, HINT),
  );
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    tell(error.message);
  }
}

export const importFiles = (files) =>
  attempt(async () => {
    for (const file of files) {
      if (!FILE_FORMATS.includes(formatOf(file.name)))
        throw new Error(`${file.name} is no glossary: those are CSV, TSV, TBX or TMX files.`);
      await importFile(file);
    }
  });

async function importFile(file) {
  if (file.size > LONG_FILE) return importLong(file);
  const terms = await readFile(file, languagesOf(session.get()));
  const { opened } = session.get();
  if (opened === null && session.get().terms.length + terms.length > MOST_OWN) return importLong(file);
  const { undo } = await change(opened, { add: terms });
  tellUndoable(`${terms.length} terms of ${file.name} were added.`, undo);
}

// A long file becomes a glossary of its own, because only so many terms can be sent with a text.
async function importLong(file) {
  tell(`${file.name} is being read …`);
  const info = await store(file.name.replace(/\.\w+$/, ""), file);
  session.set({ opened: info.id });
  tellUndoable(`${info.terms.toLocaleString("en")} terms are stored as “${info.name}”.`, () =>
    takeAway(info.id),
  );
}

async function exportTo(format) {
  const terms = await entriesOf(session.get().opened);
  if (!terms.length) throw new Error("There are no terms to export.");
  saveAs(await writeFile(terms, format, languagesOf(session.get())), `terms.${format}`);
}

async function storeOwn() {
  const { terms } = session.get();
  if (!terms.length) throw new Error("There are no terms of your own yet.");
  const name = await askForName("A name for this glossary", "");
  if (!name) return;
  const { id } = await store(name, terms);
  const { undo } = await change(null, { remove: terms });
  session.set({ opened: id });
  tellUndoable(`Your terms are stored as “${name}”.`, () => (undo(), remove(id).settle()));
}

async function renameOpen() {
  const { glossaries, opened } = session.get();
  const name = await askForName("A new name", glossaries.find((one) => one.id === opened).name);
  if (name) await rename(opened, name);
}

function takeAway(id) {
  const { name } = session.get().glossaries.find((one) => one.id === id);
  const { undo, settle } = remove(id);
  tellUndoable(`“${name}” was deleted.`, undo, settle);
}

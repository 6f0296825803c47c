// Glossaries that the server stores, and glossary files.

import { download, post, request } from "./client.js";

export const FILE_FORMATS = ["csv", "tsv", "tbx", "tmx"];

export const listGlossaries = () => request("v1/glossaries");

export const readGlossary = (id) => request(`v1/glossaries/${id}`);

export const storeGlossary = (name, terms) => post("v1/glossaries", { name, terms });

export const renameGlossary = (id, name) =>
  request(`v1/glossaries/${id}`, { method: "PATCH", json: { name } });

export const changeTerms = (id, { remove = [], add = [] }) =>
  request(`v1/glossaries/${id}`, { method: "PATCH", json: { remove, add } });

export const deleteGlossary = (id) => request(`v1/glossaries/${id}`, { method: "DELETE" });

export async function readFile(file, languages) {
  const parameters = new URLSearchParams({ format: formatOf(file.name), ...languages });
  return request(`v1/glossary-files/read?${parameters}`, { method: "POST", body: file });
}

// A file as a glossary of its own, however long it is.
export function storeFile(file, name, languages) {
  const parameters = new URLSearchParams({ format: formatOf(file.name), name, ...languages });
  return request(`v1/glossaries/import?${parameters}`, { method: "POST", body: file });
}

export function writeFile(terms, format, languages) {
  const parameters = new URLSearchParams({ format, ...languages });
  return download(`v1/glossary-files/write?${parameters}`, {
    method: "POST",
    json: { name: "terms", terms },
  });
}

export const formatOf = (name) => name.split(".").pop().toLowerCase();

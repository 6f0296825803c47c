// Documents that the server translates.

import { download, request } from "./client.js";

export const listDocuments = () => request("v1/documents");

export function submitDocument(file, { source_language, target_language, glossary, glossary_ids }) {
  const form = new FormData();
  form.append("file", file);
  form.append("target_language", target_language);
  if (source_language) form.append("source_language", source_language);
  if (glossary) form.append("glossary", JSON.stringify(glossary));
  if (glossary_ids) form.append("glossary_ids", glossary_ids.join(","));
  return request("v1/documents", { method: "POST", body: form });
}

export const readReport = (id) => request(`v1/documents/${id}/report`);

export const downloadDocument = (id) => download(`v1/documents/${id}/result`);

export const cancelDocument = (id) => request(`v1/documents/${id}/cancel`, { method: "POST" });

export const deleteDocument = (id) => request(`v1/documents/${id}`, { method: "DELETE" });

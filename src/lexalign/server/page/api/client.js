// Requests to the server. A key that it needs is asked for once, and remembered until the tab is closed.

import { TAB, load, save } from "../state/storage.js";

const KEY = "lexalign-key";

export class RequestError extends Error {
  // `retryAfter` is in seconds, where the server says when it will have time; else null.
  constructor(status, message, retryAfter = null) {
    super(message);
    Object.assign(this, { status, retryAfter });
  }
}

let askForKey = async () => null;

// `ask` gets a message, "" at first, and returns a key, or null if the user has none.
export function onKeyNeeded(ask) {
  askForKey = ask;
}

export const post = (path, json, signal) => request(path, { method: "POST", json, signal });

export async function request(path, options) {
  const response = await send(path, options);
  return response.status === 204 ? null : response.json();
}

export async function download(path, options) {
  return (await send(path, options)).blob();
}

export async function send(path, options = {}) {
  for (let message = ""; ; message = "The server does not know this key.") {
    const sent = load(TAB, KEY, null);
    const response = await fetchFrom(path, options, sent);
    if (response.ok) return response;
    if (response.status !== 401) throw await problemOf(response);
    if (load(TAB, KEY, null) !== sent) continue; // another request has asked for it meanwhile
    const key = await askForKey(sent === null ? "" : message);
    if (key === null) throw new RequestError(401, "This server needs a key.");
    save(TAB, KEY, key);
  }
}

async function fetchFrom(path, { method = "GET", json, body, signal, headers = {} }, key) {
  const all = { ...headers };
  if (key) all["Authorization"] = `Bearer ${key}`;
  if (json !== undefined) all["Content-Type"] = "application/json";
  const content = json === undefined ? body : JSON.stringify(json);
  try {
    return await fetch(path, { method, headers: all, body: content, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError(0, "The server cannot be reached.");
  }
}

async function problemOf(response) {
  const problem = await response.json().catch(() => ({}));
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  return new RequestError(response.status, sentence(problem.message ?? unexplained(response)), retryAfter);
}

// Such an answer is not the server's own, but of a proxy before it.
const unexplained = ({ status, statusText }) =>
  `the server does not answer as it should (${[status, statusText].filter(Boolean).join(" ")})`;

const sentence = (message) =>
  message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? "" : ".");

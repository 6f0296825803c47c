// Requests to the server. An API key that it needs is remembered until the tab is closed.

const KEY = "lexalign-key";

export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function useKey(key) {
  sessionStorage.setItem(KEY, key);
}

async function send(path, { method = "GET", json, body, signal } = {}) {
  const headers = {};
  const key = sessionStorage.getItem(KEY);
  if (key) headers["Authorization"] = `Bearer ${key}`;
  if (json !== undefined) headers["Content-Type"] = "application/json";
  const content = json === undefined ? body : JSON.stringify(json);
  const response = await fetch(path, { method, headers, body: content, signal });
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new RequestError(response.status, problem.message ?? response.statusText);
  }
  return response;
}

export async function request(path, options) {
  const response = await send(path, options);
  return response.status === 204 ? null : response.json();
}

export async function download(path, options) {
  return (await send(path, options)).blob();
}

// Server-sent events of a POST request, which EventSource cannot make.
export async function* events(path, json, signal) {
  const response = await send(path, { method: "POST", json, signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const [name, data] = block.split("\n");
      yield { name: name.slice("event: ".length), data: JSON.parse(data.slice("data: ".length)) };
    }
  }
}

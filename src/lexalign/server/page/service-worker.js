// The page opens without its server, and says so; its files come from the server whenever that answers.

const CACHE = "lexalign-page";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

const isOfThePage = (request) => {
  const { pathname, origin } = new URL(request.url);
  const root = new URL("./", self.registration.scope).pathname;
  return (
    request.method === "GET" &&
    origin === location.origin &&
    (pathname === root || pathname.startsWith(`${root}page/`))
  );
};

self.addEventListener("fetch", (event) => {
  if (isOfThePage(event.request)) event.respondWith(freshOrKept(event.request));
});

async function freshOrKept(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

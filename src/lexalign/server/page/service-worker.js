// The page opens without its server, and says so; its files come from the server whenever that answers.

const CACHE = "lexalign-page";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

const isOfThePage = (url) => {
  const { pathname, origin } = new URL(url);
  const root = new URL("./", self.registration.scope).pathname;
  return origin === location.origin && (pathname === root || pathname.startsWith(`${root}page/`));
};

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && isOfThePage(url)) event.respondWith(freshOrKept(event.request));
});

// The page names the files that it has loaded before this worker was there.
self.addEventListener("message", (event) => event.waitUntil(keep(event.data.filter(isOfThePage))));

async function keep(urls) {
  const cache = await caches.open(CACHE);
  await Promise.all(urls.map(async (url) => (await cache.match(url)) ?? cache.add(url).catch(() => {})));
}

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

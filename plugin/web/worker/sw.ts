/**
 * The service worker: serves the page from its cache, so that it opens at once and without a server;
 * API replies come from the server, or from the cache where it cannot be reached.
 */

export {}; // makes this file a module

declare const self: ServiceWorkerGlobalScope;
/** Set by the build: a name that changes with the files, and the list of files. */
declare const BUILD: string;
declare const FILES: readonly string[];

const SHELL = `notewell-shell-${BUILD}`;
const REPLIES = "notewell-answers";
const MAX_REPLIES = 120;
/** Routes whose replies are cached: no events, and nothing that changes data. */
const CACHEABLE = /^\/api\/(health|vaults|session|search|similar|note|status|archaeology|openapi\.json|graph\/\w+)$/;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldShells().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  // A query may hold a sign-in token, which only the server can handle.
  if (FILES.includes(url.pathname) && !url.search) event.respondWith(shell(url.pathname));
  else if (CACHEABLE.test(url.pathname)) event.respondWith(answer(event, request));
});

async function dropOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("notewell-shell-") && name !== SHELL);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function shell(path: string): Promise<Response> {
  const cached = await (await caches.open(SHELL)).match(path);
  return cached ?? fetch(path);
}

/** Fetches and caches a reply; without a server, returns the cached one with a header that says so. */
async function answer(event: FetchEvent, request: Request): Promise<Response> {
  try {
    const fresh = await fetch(request);
    if (fresh.status === 401) event.waitUntil(caches.delete(REPLIES)); // signed out: clears the cache
    if (fresh.ok) event.waitUntil(store(request, fresh.clone()));
    return fresh;
  } catch (error) {
    if (request.signal.aborted) throw error;
    const cached = await (await caches.open(REPLIES)).match(request);
    if (!cached) throw error;
    const headers = new Headers(cached.headers);
    headers.set("X-Notewell-Kept", "1");
    return new Response(cached.body, { status: cached.status, headers });
  }
}

async function store(request: Request, fresh: Response): Promise<void> {
  const cache = await caches.open(REPLIES);
  await cache.put(request, fresh);
  const requests = await cache.keys(); // oldest first
  await Promise.all(requests.slice(0, -MAX_REPLIES).map((old) => cache.delete(old)));
}

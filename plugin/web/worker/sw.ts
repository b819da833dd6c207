/**
 * The service worker: the page from what it keeps, so that it opens without a server and at once;
 * answers from the server while it is there, else the last ones it gave.
 */

export {}; // a file with names of its own

declare const self: ServiceWorkerGlobalScope;
/** Both are written in by the build: a name that changes with the files, and the files. */
declare const BUILD: string;
declare const FILES: readonly string[];

const SHELL = `notewell-shell-${BUILD}`;
const ANSWERS = "notewell-answers";
const KEPT_ANSWERS = 120;
/** What may be shown again later; never events, never what changes something. */
const ANSWER = /^\/api\/(health|vaults|session|search|similar|note|status|archaeology|openapi\.json|graph\/\w+)$/;

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
  // With a query the address signs in, which the server alone can do.
  if (FILES.includes(url.pathname) && !url.search) event.respondWith(shell(url.pathname));
  else if (ANSWER.test(url.pathname)) event.respondWith(answer(event, request));
});

async function dropOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("notewell-shell-") && name !== SHELL);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function shell(path: string): Promise<Response> {
  const kept = await (await caches.open(SHELL)).match(path);
  return kept ?? fetch(path);
}

/** The server's answer, kept; without a server the kept one, and a header that says so. */
async function answer(event: FetchEvent, request: Request): Promise<Response> {
  try {
    const fresh = await fetch(request);
    if (fresh.status === 401) event.waitUntil(caches.delete(ANSWERS)); // signed out: nothing stays
    if (fresh.ok) event.waitUntil(keep(request, fresh.clone()));
    return fresh;
  } catch (error) {
    if (request.signal.aborted) throw error;
    const kept = await (await caches.open(ANSWERS)).match(request);
    if (!kept) throw error;
    const headers = new Headers(kept.headers);
    headers.set("X-Notewell-Kept", "1");
    return new Response(kept.body, { status: kept.status, headers });
  }
}

async function keep(request: Request, fresh: Response): Promise<void> {
  const cache = await caches.open(ANSWERS);
  await cache.put(request, fresh);
  const requests = await cache.keys(); // oldest first
  await Promise.all(requests.slice(0, -KEPT_ANSWERS).map((old) => cache.delete(old)));
}

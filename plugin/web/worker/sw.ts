/**
 * The service worker: the page comes from the server while there is one, so that it is never an old one, and from
 * the cache otherwise; its files, whose names change with their contents, come from the cache. API replies come from
 * the server, or from the cache where it cannot be reached.
 */

import { ANSWERS, isKept, keepAnswer } from "../lib/keptAnswers";
import { LAYOUTS } from "../lib/keptLayouts";

declare const self: ServiceWorkerGlobalScope;
/** Set by the build: a name that changes with the files, and the list of files. */
declare const BUILD: string;
/** What the first page loads; other files are stored when they are first used. */
declare const FILES: readonly string[];

const SHELL = `notewell-shell-${BUILD}`;
/** A server that cannot be reached may just not answer, as a phone notices that has left its network. */
const PAGE_MS = 3_000;
const HASHED = /^\/static\/[\w-]+-[A-Z0-9]{8}\.(js|css|woff2)$/;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((cache) => cache.addAll(FILES)) // from the browser's own cache, which has them by now
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
  // A query may hold a secret, which is in no cache.
  if (url.pathname === "/") {
    if (!url.search) event.respondWith(page());
  } else if (HASHED.test(url.pathname) || FILES.includes(url.pathname)) event.respondWith(file(url.pathname));
  else if (isKept(url)) event.respondWith(answer(event, request));
});

async function dropOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("notewell-shell-") && name !== SHELL);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function page(): Promise<Response> {
  const cache = await caches.open(SHELL);
  try {
    const fresh = await fetch("/", { signal: AbortSignal.timeout(PAGE_MS) });
    if (fresh.ok) await cache.put("/", fresh.clone());
    return fresh;
  } catch (error) {
    const cached = await cache.match("/");
    if (cached) return cached;
    throw error;
  }
}

async function file(path: string): Promise<Response> {
  const cache = await caches.open(SHELL);
  const cached = await cache.match(path);
  if (cached) return cached;
  const fresh = await fetch(path);
  if (fresh.ok) await cache.put(path, fresh.clone());
  return fresh;
}

/** Fetches and caches a reply; without a server, returns the cached one with a header that says so. */
async function answer(event: FetchEvent, request: Request): Promise<Response> {
  try {
    const fresh = await fetch(request);
    if (fresh.status === 401) event.waitUntil(forget()); // signed out
    if (fresh.ok) event.waitUntil(keepAnswer(request, fresh.clone()));
    return fresh;
  } catch (error) {
    if (request.signal.aborted) throw error;
    const cached = await (await caches.open(ANSWERS)).match(request);
    if (!cached) throw error;
    const headers = new Headers(cached.headers);
    headers.set("X-Notewell-Kept", "1");
    return new Response(cached.body, { status: cached.status, headers });
  }
}

/** Deletes what this browser keeps of the notes. */
async function forget(): Promise<void> {
  await Promise.all([ANSWERS, LAYOUTS].map((name) => caches.delete(name)));
}

/**
 * The second half of the session. Browsers send the cookie, its first half, to every port of a host; this half
 * lies in the storage of this origin alone, and goes with each request in a header.
 */

const NAME = "notewell-page-key";
const HEADER = "Notewell-Page-Key";
const PARAMETER = "key"; // in the address of a page that a link opens

let key = ""; // where the browser has no storage, it lasts as long as the page

/** Stores the key that signing in gave. */
export function keepPageKey(given: string): void {
  key = given;
  withStorage((storage) => storage.setItem(NAME, given));
}

/** The headers that show the key. */
export function pageKeyHeaders(): Readonly<Record<string, string>> {
  const known = pageKey();
  return known ? { [HEADER]: known } : {};
}

/** The address of a page of the server that a link opens, which cannot send a header. */
export function withPageKey(path: string): string {
  const known = pageKey();
  return known ? `${path}?${PARAMETER}=${encodeURIComponent(known)}` : path;
}

function pageKey(): string {
  return withStorage((storage) => storage.getItem(NAME)) ?? key;
}

function withStorage<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(localStorage);
  } catch {
    return null; // it is blocked, or full
  }
}

/**
 * The second half of the session. Browsers send the cookie, its first half, to every port of a host; this half
 * lies in the storage of this origin alone, and goes with each request in a header.
 */

const NAME = "notewell-page-key";
const HEADER = "Notewell-Page-Key";
const PARAMETER = "key"; // in the address that signing in leads to

let key = ""; // where the browser has no storage, it lasts as long as the page

/** Stores the key that signing in put into the address, and removes it from there. */
export function takePageKey(): void {
  const address = new URL(location.href);
  const given = address.searchParams.get(PARAMETER);
  if (!given) return;
  key = given;
  withStorage((storage) => storage.setItem(NAME, given));
  address.searchParams.delete(PARAMETER);
  history.replaceState(history.state, "", address);
}

/** What did not sign in; the server put it into the address. */
export type Refusal = "token" | "code";

/** What did not sign in, if anything; removes it from the address. */
export function takeRefusal(): Refusal | null {
  const address = new URL(location.href);
  const given = address.searchParams.get("refused");
  if (given === null) return null;
  address.searchParams.delete("refused");
  history.replaceState(history.state, "", address);
  return given === "token" || given === "code" ? given : null;
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

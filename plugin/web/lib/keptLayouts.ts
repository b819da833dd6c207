/** Keeps the places of a graph's notes in this browser, so that a graph seen before does not move again. */

/** The service worker deletes this cache with the kept answers when the browser is signed out. */
export const LAYOUTS = "notewell-layouts";
const MOST_KEPT = 12;

interface Kept {
  readonly paths: readonly string[];
  readonly places: readonly number[];
}
export type Places = ReadonlyMap<string, readonly [x: number, y: number]>;

/** The places of an earlier layout of the same graph, by path; empty where there is none. */
export async function keptPlaces(graph: string): Promise<Places> {
  try {
    const found = await (await caches.open(LAYOUTS)).match(addressOf(graph));
    if (!found) return new Map();
    const { paths, places } = (await found.json()) as Kept;
    return new Map(paths.map((path, n) => [path, [places[2 * n] ?? 0, places[2 * n + 1] ?? 0]]));
  } catch {
    return new Map(); // storage is blocked or damaged: the layout is computed again
  }
}

/** Keeps a layout; the oldest ones are forgotten. */
export async function keepPlaces(graph: string, paths: readonly string[], places: Float32Array): Promise<void> {
  try {
    const cache = await caches.open(LAYOUTS);
    const kept: Kept = { paths, places: Array.from(places, (one) => Math.round(one * 10) / 10) };
    await cache.delete(addressOf(graph));
    await cache.put(addressOf(graph), new Response(JSON.stringify(kept)));
    const all = await cache.keys();
    await Promise.all(all.slice(0, Math.max(0, all.length - MOST_KEPT)).map((old) => cache.delete(old)));
  } catch {
    // Nothing is kept: the next visit computes the layout again.
  }
}

function addressOf(graph: string): string {
  return `/graph-layout?${encodeURIComponent(graph)}`;
}

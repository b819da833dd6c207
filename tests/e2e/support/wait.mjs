// Waiting for what is not in the page, and how long anything is waited for. A wait ends as soon as
// what it waits for is there, so that long limits cost a quick machine nothing.

/** For what a page shows: at rest well under a second, on a machine at its limit many. */
export const SHOWN_MS = 60_000;
/** For a server that starts and reads a vault. */
export const READY_MS = 300_000;

/** Calls `probe` until it gives something truthy, and returns that. */
export async function until(what, probe, limitMs = SHOWN_MS) {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

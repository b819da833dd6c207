// Waiting for what is not in the page.

/** Calls `probe` until it gives something truthy, and returns that. */
export async function until(what, probe, limitMs = 15_000) {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

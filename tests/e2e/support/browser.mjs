// One browser for a test file: $CHROME, Debian's without windows or with them, or the one inside an
// npm package. Without windows of its own a browser opens a context in a fifth of the processor time.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const DEBIAN = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Launches the browser; the caller closes it. */
export async function launchBrowser() {
  const chosen = process.env.CHROME || DEBIAN.find((path) => existsSync(path));
  if (chosen) return chromium.launch({ executablePath: chosen, args: ARGS });
  // Its own flags are for one page in one process: there the first context that closes ends it all.
  const packed = await packedChromium();
  return chromium.launch({ executablePath: await packed.executablePath(), args: ARGS });
}

async function packedChromium() {
  try {
    return (await import("@sparticuz/chromium")).default;
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      "No browser to test in: install Debian's chromium-headless-shell or chromium, or `npm install --no-save " +
        "@sparticuz/chromium@153.0.0`, or name one with CHROME=/path.",
    );
  }
}

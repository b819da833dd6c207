// Obsidian with the built plugin over a copy of the sample vault, for .github/workflows/obsidian.yml.

import { resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

export const config = {
  runner: "local",
  framework: "mocha",
  specs: [resolve(import.meta.dirname, "smoke.mjs")],
  maxInstances: 1,
  capabilities: [
    {
      browserName: "obsidian",
      browserVersion: process.env.OBSIDIAN_VERSION ?? "latest",
      "wdio:obsidianOptions": {
        installerVersion: "latest",
        plugins: [ROOT],
        vault: resolve(ROOT, "sidecar/notewell/doors/sample/vault"),
      },
    },
  ],
  services: ["obsidian"],
  reporters: ["obsidian"],
  cacheDir: resolve(ROOT, ".obsidian-cache"),
  mochaOpts: { ui: "bdd", timeout: 180_000 },
  waitforTimeout: 90_000, // the first index is built meanwhile
  logLevel: "warn",
};

// Bundles the host into one script for the page.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// The mocks throw at fields that they do not declare. A built plugin reads such fields, and the
// host's own classes add some.
const lenientMocks = {
  name: "lenient-mocks",
  setup({ onLoad }) {
    onLoad({ filter: /strict-proxy\.mjs$/ }, () => ({
      contents:
        "export const strictProxy = (value) => value; export const bypassStrictProxy = strictProxy;",
    }));
  },
};

/** The script's text. */
export async function buildHost() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    plugins: [lenientMocks],
    minifyWhitespace: true, // every page of every test reads it
    minifySyntax: true,
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

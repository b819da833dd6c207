// Builds the plugin into main.js.
//   node esbuild.config.mjs                 one minified build
//   node esbuild.config.mjs --watch VAULT   builds into that vault's plugin folder at every change

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { argv, exit } from "node:process";
import { build, context } from "esbuild";

const watching = argv.includes("--watch");

/** @type {import("esbuild").BuildOptions} */
const options = {
  entryPoints: ["plugin/src/main.ts"],
  outfile: "main.js",
  bundle: true,
  format: "cjs",
  target: "es2022",
  // The app loads plugins as scripts, where a native import() of a Node module fails.
  supported: { "dynamic-import": false },
  external: [
    "obsidian",
    "electron",
    "@codemirror/*",
    "@lezer/*",
    ...builtinModules,
    ...builtinModules.map((name) => `node:${name}`),
  ],
  minify: !watching,
  sourcemap: watching ? "inline" : false,
  treeShaking: true,
  legalComments: "none",
  logLevel: "info",
};

if (watching) {
  const vault = argv.at(-1);
  if (!vault || vault === "--watch") {
    console.error("Name the vault to build into: npm run dev -- /path/to/vault");
    exit(2);
  }
  await watch(vault);
} else {
  await build(options);
}

/** Rebuilds into `vault` as sources change. */
async function watch(vault) {
  const folder = join(vault, ".obsidian", "plugins", "recollect");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".hotreload"), ""); // asks the hot-reload plugin to watch this folder
  const copyRest = {
    name: "copy-rest",
    setup({ onEnd }) {
      onEnd(() => {
        for (const file of ["manifest.json", "styles.css"]) copyFileSync(file, join(folder, file));
      });
    },
  };
  const watcher = await context({
    ...options,
    outfile: join(folder, "main.js"),
    plugins: [copyRest],
  });
  await watcher.watch();
}

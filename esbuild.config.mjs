// Builds the plugin into main.js and styles.css.
//   node esbuild.config.mjs                 one minified build
//   node esbuild.config.mjs --watch VAULT   builds into that vault's plugin folder at every change
//   node esbuild.config.mjs --web           the web interface, into the Python package

import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit } from "node:process";
import { build, context } from "esbuild";
import { joined, withArrows, withoutMarks, withShortThis } from "./plugin/arrows.mjs";
import { SHORT_NAMES } from "./plugin/names.mjs";
import { germanTexts, withTexts } from "./plugin/texts/pack.mjs";

const SOURCES = "plugin/src";
const MAX_BYTES = 200_000; // tests/release-check.mjs has the same
const watching = argv.includes("--watch");

/** All names that the sources import from the app, types included. */
function appNames() {
  const names = new Set();
  for (const file of readdirSync(SOURCES, { recursive: true })) {
    if (!file.endsWith(".ts")) continue;
    const text = readFileSync(join(SOURCES, file), "utf8");
    for (const [, list] of text.matchAll(/import \{([^}]*)\} from "obsidian"/g)) {
      for (const name of list.split(",")) if (name.trim()) names.add(name.trim());
    }
  }
  return [...names].filter((name) => !name.startsWith("type ")).sort();
}

// The app gives modules to plugins by require() alone: a native import() of one fails in its window.
// Its own module is required once for the whole bundle, and not once for each file.
const app = {
  name: "app",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^obsidian$/ }, ({ path }) => ({ path, namespace: "app" }));
    onLoad({ filter: /^obsidian$/, namespace: "app" }, () => ({
      contents: `export const { ${appNames().join(", ")} } = require("app:obsidian");`,
    }));
    onResolve({ filter: /^app:obsidian$/ }, () => ({ path: "obsidian", external: true }));
    onLoad({ filter: /plugin.src.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/\bawait import\("(node:[a-z_/]+)"\)/g, 'require("$1")'),
      loader: "ts",
    }));
  },
};

/** The style sheet, with the German texts. */
function styles() {
  return withTexts(readFileSync("plugin/styles.css", "utf8"), "de", germanTexts(["src"]));
}

/** @type {import("esbuild").BuildOptions} */
const options = {
  // The app accepts the plugin's class as the whole export, so no default-export wrapper is needed.
  stdin: {
    contents: `import Plugin from "./${SOURCES}/main"; module.exports = Plugin; if (false) $;`, // keeps $ free for withShortThis
    resolveDir: ".",
  },
  logOverride: { "commonjs-variable-in-esm": "silent" },
  outfile: "main.js",
  bundle: true,
  format: "cjs",
  charset: "utf8",
  target: "es2022",
  external: ["node:*", "@codemirror/state", "@codemirror/view"], // the app's own: a second copy would not work with its editor
  plugins: [app],
  minify: !watching,
  mangleProps: new RegExp(`^(${Object.keys(SHORT_NAMES).join("|")})$`),
  mangleCache: SHORT_NAMES,
  inject: watching ? [] : ["plugin/globals.mjs"],
  sourcemap: watching ? "inline" : false,
  legalComments: "none",
  logLevel: "info",
};

if (argv.includes("--web")) {
  const { buildWeb } = await import("./plugin/web/build.mjs");
  await buildWeb();
} else if (watching) {
  const vault = argv.at(-1);
  if (!vault || vault === "--watch") {
    console.error("Name the vault to build into: npm run dev -- /path/to/vault");
    exit(2);
  }
  await watch(vault);
} else {
  await build({ ...options, logLevel: "warning" });
  writeFileSync(options.outfile, joined(withoutMarks(withShortThis(withArrows(readFileSync(options.outfile, "utf8"))))));
  writeFileSync("styles.css", styles());
  const { size } = statSync(options.outfile);
  console.log(`main.js: ${size} bytes`);
  if (size > MAX_BYTES) {
    console.error(`main.js may have ${MAX_BYTES} bytes.`);
    exit(1);
  }
  copyForPackage();
}

/** The Python package carries the plugin as well: `notewell plugin install` puts it into a vault. */
function copyForPackage() {
  const folder = "sidecar/notewell/doors/obsidian/built";
  mkdirSync(folder, { recursive: true });
  for (const name of [options.outfile, "styles.css", "manifest.json"]) copyFileSync(name, join(folder, name));
}

/** Rebuilds into `vault` as sources change. */
async function watch(vault) {
  const folder = join(vault, ".obsidian", "plugins", "notewell");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".hotreload"), ""); // asks the hot-reload plugin to watch this folder
  const rest = {
    name: "rest",
    setup({ onEnd }) {
      onEnd(() => {
        copyFileSync("manifest.json", join(folder, "manifest.json"));
        writeFileSync(join(folder, "styles.css"), styles());
      });
    },
  };
  const outfile = join(folder, "main.js");
  const watcher = await context({ ...options, outfile, plugins: [app, rest] });
  await watcher.watch();
}

// Builds the plugin into main.js.
//   node esbuild.config.mjs                 one minified build
//   node esbuild.config.mjs --watch VAULT   builds into that vault's plugin folder at every change
//   node esbuild.config.mjs --web           the web interface, into the Python package

import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit } from "node:process";
import { build, context, transform } from "esbuild";
import { minify } from "terser";

const SOURCES = "plugin/src";
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

/**
 * The bundle gives members of ours short names, as it does with local ones. The file names those that
 * the plugin alone reads and writes, which tests/plugin/names.test.ts makes sure of. Members of classes
 * that extend the app's get a `$`, with which none of the app's own begins.
 */
function shortNames() {
  const { members, viewMembers } = JSON.parse(readFileSync("plugin/short-names.json", "utf8"));
  const short = viewMembers.map((name, at) => [name, `$${at.toString(36)}`]);
  return {
    mangleProps: new RegExp(`^(?:${[...members, ...viewMembers].join("|")})$`),
    mangleCache: Object.fromEntries(short),
  };
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

/** @type {import("esbuild").BuildOptions} */
const options = {
  // The app takes the class itself, which spares the bundle the dressing of an ES module.
  stdin: {
    contents: `import Plugin from "./${SOURCES}/main"; module.exports = Plugin;`,
    resolveDir: ".",
  },
  logOverride: { "commonjs-variable-in-esm": "silent" },
  outfile: "main.js",
  bundle: true,
  format: "cjs",
  charset: "utf8",
  target: "es2022",
  external: ["node:*"],
  plugins: [app],
  minify: !watching,
  ...(!watching && shortNames()),
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
  const { outputFiles } = await build({ ...options, write: false, logLevel: "warning" });
  writeFileSync(options.outfile, await smaller(outputFiles[0].text));
  console.log(`main.js: ${statSync(options.outfile).size} bytes`);
}

/**
 * Functions that are used once, and the like: the last two per cent of the bundle. Then the names
 * that are used most get the shortest ones anew.
 */
async function smaller(text) {
  const compress = { passes: 3, pure_getters: true, unsafe: true, hoist_funs: true, unsafe_arrows: true };
  const { code } = await minify(text, { ecma: 2020, toplevel: true, mangle: false, compress });
  const { format, charset, target } = options;
  return (await transform(code, { format, charset, target, minify: true })).code;
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
        for (const file of ["manifest.json", "styles.css"]) copyFileSync(file, join(folder, file));
      });
    },
  };
  const outfile = join(folder, "main.js");
  const watcher = await context({ ...options, outfile, plugins: [app, rest] });
  await watcher.watch();
}

// Builds the web interface into the Python package's static folder. Called by esbuild.config.mjs.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { germanTexts } from "../texts/pack.mjs";

const HERE = import.meta.dirname;
const OUT = join(HERE, "../../sidecar/notewell/doors/web/static");
const COMMON = { bundle: true, minify: true, charset: "utf8", target: "es2022", logLevel: "warning" };
const ENTRY = join(HERE, "app/main.ts");
const PAGES = {
  ...COMMON,
  entryPoints: { app: ENTRY },
  chunkNames: "[name]-[hash]",
  entryNames: "[name]-[hash]",
  outdir: OUT,
  format: "esm",
  splitting: true,
  metafile: true,
  legalComments: "none",
};

/** What the first page may weigh, packed as it travels; the build fails beyond. */
const BUDGET = 60_000;

export async function buildWeb() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const workers = await buildAside({ layout: "worker/layout.ts", code: "worker/code.ts", diagram: "worker/diagram.ts" });
  const laterStyles = await buildAside({ views: "styles/views.css", note: "styles/note.css", math: "styles/math.css", palette: "styles/palette.css" });
  const define = {
    ...Object.fromEntries(Object.entries(workers.names).map(([name, file]) => [`${name.toUpperCase()}_WORKER`, file])),
    ...Object.fromEntries(Object.entries(laterStyles.names).map(([name, file]) => [`${name.toUpperCase()}_STYLES`, file])),
  };
  const pieces = await build({ ...PAGES, define, plugins: [usedTexts], write: false });
  const { metafile } = await build({ ...PAGES, define, plugins: [usedTexts, firstInOne(pieces.metafile)] });
  const styles = { app: "index", dark: "dark" };
  const entryPoints = Object.fromEntries(Object.entries(styles).map(([out, name]) => [out, join(HERE, `styles/${name}.css`)]));
  await build({ ...COMMON, entryPoints, entryNames: "[name]-[hash]", outdir: OUT });
  writeFileSync(join(OUT, "index.html"), withHashes(readFileSync(join(HERE, "index.html"), "utf8")));
  cpSync(join(HERE, "manifest.webmanifest"), join(OUT, "manifest.webmanifest"));
  cpSync(join(HERE, "icons"), OUT, { recursive: true });
  const inputs = [metafile, workers.metafile, laterStyles.metafile].flatMap(({ inputs }) => Object.keys(inputs));
  writeFileSync(join(OUT, "licenses.txt"), licenses(inputs));
  const first = firstFiles(metafile);
  await buildWorker(first);
  compress();
  weigh(first);
}

/**
 * What the first page loads is one file beside its entry, and not one for each set of later views that use a part
 * of it: each file costs a request. `metafile` tells which sources those are; every later view imports all of them.
 */
function firstInOne({ outputs }) {
  const sources = firstScripts(outputs).flatMap((path) => Object.keys(outputs[path].inputs));
  const shared = sources.map((path) => resolve(path)).filter((path) => path !== ENTRY);
  const views = new Set(Object.values(outputs).flatMap(({ entryPoint }) => (entryPoint ? [resolve(entryPoint)] : [])));
  views.delete(ENTRY);
  return {
    name: "first-in-one",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^first-page$/ }, ({ path }) => ({ path, namespace: "first-page" }));
      onLoad({ filter: /.*/, namespace: "first-page" }, () => ({
        contents: shared.map((path) => `import ${JSON.stringify(path)};`).join("\n"),
        resolveDir: HERE,
      }));
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        views.has(path) ? { contents: `import "first-page";\n${readFileSync(path, "utf8")}`, loader: "ts" } : undefined);
    },
  };
}

/** Files of their own, which the first page does without: workers and styles. Gives the addresses by their names, for the code. */
async function buildAside(sources) {
  const entryPoints = Object.fromEntries(Object.entries(sources).map(([name, file]) => [name, join(HERE, file)]));
  const { metafile } = await build({
    ...COMMON,
    entryPoints,
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    outdir: OUT,
    loader: { ".woff2": "file" },
    plugins: [modernFonts],
    metafile: true,
  });
  const built = Object.keys(metafile.outputs).map((path) => basename(path));
  const address = (name) => built.find((file) => new RegExp(`^${name}-\\w{8}\\.(js|css)$`).test(file));
  return { metafile, names: Object.fromEntries(Object.keys(sources).map((name) => [name, JSON.stringify(`/static/${address(name)}`)])) };
}

/** KaTeX names each font in three formats; all browsers that these pages work in read the smallest. */
const modernFonts = {
  name: "modern-fonts",
  setup({ onLoad }) {
    onLoad({ filter: /katex(\.min)?\.css$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8").replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, "");
      return { contents, loader: "css" };
    });
  },
};

/** Of the German texts, those of the plugin's own panels stay behind. */
const usedTexts = {
  name: "used-texts",
  setup({ onLoad }) {
    onLoad({ filter: /texts.de\.json$/ }, () => {
      const texts = germanTexts(["src", "web"], (file) => !file.startsWith("ui"));
      return { contents: JSON.stringify(texts), loader: "json" };
    });
  },
};

/** A page with the names that its files were built under: each holds a hash, so that browsers may keep it for ever. */
function withHashes(page) {
  const built = readdirSync(OUT);
  return page.replace(/\/static\/(app|dark)\.(js|css)/g, (_, name, ending) => {
    const file = built.find((one) => one.startsWith(`${name}-`) && one.endsWith(`.${ending}`));
    return `/static/${file}`;
  });
}

/** The server sends `FILE.gz` in place of a file to whoever takes it, so that nothing is compressed per request. */
function compress() {
  for (const name of readdirSync(OUT).filter((one) => /\.(js|css|html|svg|webmanifest)$/.test(one))) {
    writeFileSync(join(OUT, `${name}.gz`), gzipSync(readFileSync(join(OUT, name)), { level: 9 }));
  }
}

/**
 * The worker stores what the first page loads, which the browser has by then, and other files when they are used:
 * so it adds nothing to the first load. Its own name changes with any of the files.
 */
async function buildWorker(first) {
  const hash = createHash("sha256");
  for (const name of readdirSync(OUT).sort()) hash.update(readFileSync(join(OUT, name)));
  const define = {
    BUILD: JSON.stringify(hash.digest("hex").slice(0, 12)),
    FILES: JSON.stringify(["/", ...first.filter((name) => name !== "index.html").map((name) => `/static/${name}`)]),
  };
  await build({ ...COMMON, entryPoints: { sw: join(HERE, "worker/sw.ts") }, outdir: OUT, define });
}

/** The licences of what is in the bundle and not ours. */
function licenses(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  return [...packages].sort().map(license).join("\n\n");
}

function license(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no licence file in ${dirname(folder)}`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}

/** The scripts of the first page. */
function firstScripts(outputs) {
  const [first] = Object.keys(outputs).filter((path) => /\/app-\w+\.js$/.test(path));
  return [first, ...staticImports(outputs, first)];
}

/** The names of the files of the first page. */
function firstFiles({ outputs }) {
  const scripts = firstScripts(outputs).map((path) => basename(path));
  const styles = readdirSync(OUT).filter((name) => /^(app|dark)-\w+\.css$/.test(name));
  return ["index.html", ...scripts, ...styles, "icon.svg", "manifest.webmanifest"];
}

function weigh(names) {
  const packed = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(OUT, name))).length, 0);
  const kilobytes = (packed / 1000).toFixed(1);
  if (packed > BUDGET) throw new Error(`The first page weighs ${kilobytes} kB packed, over its budget.`);
  console.log(`The web interface is built: ${kilobytes} kB packed for the first page.`);
}

/** All files that a file loads at once, directly or through others. */
function staticImports(outputs, path, known = new Set()) {
  for (const { kind, path: file } of outputs[path].imports) {
    if (kind !== "import-statement" || known.has(file)) continue;
    known.add(file);
    staticImports(outputs, file, known);
  }
  return [...known];
}

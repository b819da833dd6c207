// Builds the web interface into the Python package's static folder. Called by esbuild.config.mjs.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = import.meta.dirname;
const OUT = join(HERE, "../../sidecar/notewell/web/static");
const COMMON = { bundle: true, minify: true, charset: "utf8", target: "es2022", logLevel: "warning" };

/** What the first page may weigh, packed as it travels; the build fails beyond. */
const BUDGET = 60_000;

export async function buildWeb() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const { metafile } = await build({
    ...COMMON,
    entryPoints: { app: join(HERE, "app/main.ts"), embed: join(HERE, "app/embed.ts") },
    chunkNames: "[name]-[hash]",
    outdir: OUT,
    format: "esm",
    splitting: true,
    metafile: true,
    legalComments: "none",
  });
  const styles = { app: "index", dark: "dark", embed: "embed" };
  const entryPoints = Object.fromEntries(Object.entries(styles).map(([out, name]) => [out, join(HERE, `styles/${name}.css`)]));
  await build({ ...COMMON, entryPoints, outdir: OUT });
  for (const name of ["index.html", "embed.html", "manifest.webmanifest"]) cpSync(join(HERE, name), join(OUT, name));
  cpSync(join(HERE, "icons"), OUT, { recursive: true });
  writeFileSync(join(OUT, "licenses.txt"), licenses(Object.keys(metafile.inputs)));
  await buildWorker();
  weigh(metafile);
}

/**
 * The worker keeps every file of the pages, under a name that changes with any of them. What is only
 * shown in a frame is for a window that has no use for it without the server.
 */
async function buildWorker() {
  const isKept = (name) => name !== "index.html" && name !== "licenses.txt" && !name.startsWith("embed.");
  const files = readdirSync(OUT).filter(isKept).sort();
  const hash = createHash("sha256");
  for (const name of ["index.html", ...files]) hash.update(readFileSync(join(OUT, name)));
  const define = {
    BUILD: JSON.stringify(hash.digest("hex").slice(0, 12)),
    FILES: JSON.stringify(["/", ...files.map((name) => `/static/${name}`)]),
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

function weigh({ outputs }) {
  const [first] = Object.entries(outputs).filter(([path]) => path.endsWith("/app.js"));
  const loaded = [first[0], ...staticImports(outputs, first[0])];
  const packed = [...loaded, join(OUT, "app.css"), join(OUT, "dark.css"), join(OUT, "index.html")]
    .filter((path) => existsSync(path))
    .reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
  const kilobytes = (packed / 1000).toFixed(1);
  if (packed > BUDGET) throw new Error(`The first page weighs ${kilobytes} kB packed, over its budget.`);
  console.log(`The web interface is built: ${kilobytes} kB packed for the first page.`);
}

function staticImports(outputs, path) {
  return outputs[path].imports.filter(({ kind }) => kind === "import-statement").map(({ path: file }) => file);
}

// A release dry run: builds twice, compares, and holds the result to the rules that reviewers enforce.
// `RELEASE=folder npm run release-check` also compares with the published files, `VERSION=x.y.z` with
// the tag.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const BUILT = ["main.js", "styles.css"];
const ARTIFACTS = [...BUILT, "manifest.json"];
const NEEDED = ["manifest.json", "README.md", "LICENSE", "package.json", "package-lock.json", "versions.json"];
const MAX_BYTES = 200_000;
const problems = [];

const at = (...parts) => join(root, ...parts);
const json = (name) => JSON.parse(readFileSync(at(name), "utf8"));
const hash = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
const expect = (holds, problem) => holds || problems.push(problem);

function run(command, ...args) {
  const ended = spawnSync(command, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  expect(ended.status === 0, `${command} ${args.join(" ")} failed`);
}

function build() {
  run("npm", "run", "--silent", "build");
  return BUILT.map((name) => hash(at(name))).join();
}

run("npm", "run", "--silent", "lint");
const [first, second] = [build(), build()];
expect(first === second, "two builds of the same source differ");

const size = statSync(at("main.js")).size;
expect(size <= MAX_BYTES, `main.js has ${size} bytes, more than ${MAX_BYTES}`);

const code = readFileSync(at("main.js"), "utf8");
expect(!/\bimport\(/.test(code), "main.js has a native import(), which fails in the app");
expect(!/\(\?<[=!]/.test(code), "main.js has a regular expression with lookbehind, which older iPhones refuse");
expect(code.split("child_process").length === 2, "child_process is loaded elsewhere than in the launcher");
expect(!/\b(fetch|eval|Function|XMLHttpRequest|WebSocket)\(/.test(code), "main.js asks the network or makes code in another way than by the app");
const readme = readFileSync(at("README.md"), "utf8");
for (const words of ["**Network**", "**Files outside the vault**", "**No** telemetry"]) expect(readme.includes(words), `README.md does not tell: ${words}`);
const [css] = readFileSync(at("styles.css"), "utf8").split("/*! texts");
expect(!/!important|text-decoration(-\w+|: *\S+ )/.test(css), "styles.css has !important, or a style of text-decoration that the review calls partly supported");
expect(/\/\*! texts de\n/.test(readFileSync(at("styles.css"), "utf8")), "styles.css lacks the German texts");

const manifest = json("manifest.json");
expect(json("package.json").version === manifest.version, "package.json and manifest.json differ in version");
expect(json("versions.json")[manifest.version] === manifest.minAppVersion, "versions.json lacks this version");
expect(!process.env.VERSION || process.env.VERSION === manifest.version, "the tag is not the manifest's version");
expect(/^[a-z-]+$/.test(manifest.id) && !/obsidian|plugin$/.test(manifest.id), "the id breaks the rules");
expect(/^[A-Za-z0-9 ()+-]+$/.test(manifest.name) && !/obsidian|plugin/i.test(manifest.name), "the name breaks the rules");
expect(/^[A-Z][A-Za-z0-9\s.,!?'"-]{8,248}\.$/.test(manifest.description), "the description breaks the rules");
const isTracked = (name) => spawnSync("git", ["ls-files", "--error-unmatch", name], { cwd: root }).status === 0;
for (const name of BUILT) expect(!isTracked(name), `${name} is committed`);
for (const name of NEEDED) expect(isTracked(name), `${name} is not at the top of the repository`);
for (const name of process.env.RELEASE ? ARTIFACTS : []) {
  const published = join(process.env.RELEASE, name);
  expect(existsSync(published) && hash(published) === hash(at(name)), `${name} differs from the published one`);
}

console.log(`main.js ${size} bytes, sha256 ${hash(at("main.js"))}`);
for (const problem of problems) console.error(`✖ ${problem}`);
process.exitCode = problems.length ? 1 : 0;

// The pictures of README and docs: the test that takes each, and the styles and views that it shows.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
export const IMAGES = join(ROOT, "docs/images");
const WEB = ["plugin/web/styles", "plugin/web/index.html", "plugin/web/parts/resultRow.ts", "plugin/web/parts/resultGroups.ts", "plugin/web/parts/searchBox.ts"];
const READER = ["plugin/web/parts/reader.ts", "plugin/web/parts/rail.ts"];
const PLUGIN = ["plugin/styles.css"];
const PAGES = "web/pictures.test.mjs";

/** `from` is the name under which the test takes the picture `name`. */
export const PICTURES = [
  { name: "web-search", from: "web-search", test: PAGES, shows: [...WEB, ...READER] },
  { name: "web-palette", from: "web-palette", test: PAGES, shows: [...WEB, ...READER, "plugin/web/palette"] },
  { name: "web-explore", from: "web-explore", test: PAGES, shows: [...WEB, ...READER, "plugin/web/parts/why.ts"] },
  { name: "web-past", from: "web-past", test: PAGES, shows: [...WEB, "plugin/web/parts/timeline.ts"] },
  { name: "web-graph", from: "web-graph", test: PAGES, shows: [...WEB, "plugin/web/views/graph.ts", "plugin/web/views/graph"] },
  { name: "web-phone", from: "web-phone", test: PAGES, shows: WEB },
  { name: "web-phone-note", from: "web-phone-note", test: PAGES, shows: [...WEB, ...READER] },
  { name: "web-ask", from: "web-ask-desktop", test: "web/ask.test.mjs", shows: [...WEB, "plugin/web/views/ask.ts", "plugin/web/views/ask"] },
  { name: "plugin", from: "light-search-and-similar", test: "screens.test.mjs", shows: [...PLUGIN, "plugin/src/ui/resultRow.ts", "plugin/src/ui/searchView.ts", "plugin/src/ui/similarView.ts"] },
  { name: "plugin-link", from: "plugin-link", test: "moving.test.mjs", shows: [...PLUGIN, "plugin/src/ui/linkSuggest.ts"] },
];

/** A hash of files, and of all files in folders, whatever their line ends. */
export function hashOfSources(places) {
  const hash = createHash("sha256");
  for (const file of places.flatMap((place) => filesIn(join(ROOT, place)))) {
    hash.update(`${relative(ROOT, file).replaceAll("\\", "/")}\n${readFileSync(file, "utf8").replaceAll("\r\n", "\n")}`);
  }
  return hash.digest("hex").slice(0, 16);
}

function filesIn(place) {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place).sort().flatMap((name) => filesIn(join(place, name)));
}

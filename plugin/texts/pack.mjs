// What a build takes of a catalogue: the texts that its sources use, by a short hash of the English ones.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;

/**
 * The German texts that the files in `folders`, beside this one, use. `isUsed` leaves files out by their paths.
 * Where a number is counted (`count` in plugin/src/format.ts), the code has the word alone.
 */
export function germanTexts(folders, isUsed = () => true) {
  const code = folders.map((folder) => sources(join(HERE, "..", folder), isUsed)).join("");
  const used = Object.entries(JSON.parse(readFileSync(join(HERE, "de.json"), "utf8"))).filter(
    ([key]) => code.includes(JSON.stringify(key).slice(1, -1)) || isCounted(key, code),
  );
  const texts = Object.fromEntries(used.map(([key, text]) => [hashOf(key), text]));
  if (Object.keys(texts).length < used.length) throw new Error("Two texts have the same hash; change one of them.");
  return texts;
}

/**
 * A style sheet with texts of a language in a comment, which plugin/src/language.ts reads. Of a plugin the app installs
 * main.js, manifest.json and styles.css and nothing else, and main.js has too little room for them.
 */
export function withTexts(css, language, texts) {
  const lines = Object.entries(texts).map(([key, text]) => `${JSON.stringify(key)}: ${JSON.stringify(text)}`);
  return `${css}\n/*! texts ${language}\n{\n${lines.join(",\n").replaceAll("*/", "*\\/")}\n}\n*/\n`;
}

function isCounted(key, code) {
  if (!key.startsWith("{n} ")) return false;
  const many = key.slice(4);
  return [many, many.replace(/s$/, "")].some((word) => code.includes(JSON.stringify(word)));
}

/** The first 24 bits of FNV-1a, the same as in plugin/src/texts.ts. */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 8).toString(36);
}

/** The code of a folder, with texts that stand on several lines made whole. */
function sources(folder, isUsed) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".ts") && isUsed(file));
  return files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n").replace(/"\s*\+\s*"/g, "");
}

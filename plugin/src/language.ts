/** The language of the plugin: the app's, where there are texts for it. */

import { getLanguage, type App } from "obsidian";
import { catalogueProblem } from "./catalogueProblem";
import { useLanguage, type Catalogue } from "./texts";

/** Set by the build: the German texts that the plugin uses, as JSON, compressed by deflate, in base64. */
declare const GERMAN: string;

/** Loads the texts of the app's language: from texts/LANGUAGE.json in the plugin's `folder`, else those built in. */
export async function startLanguage(app: App, folder: string | undefined): Promise<void> {
  const language = getLanguage();
  const base = language.toLowerCase().replace(/-.*/, "");
  if (base === "en") return;
  try {
    const texts = (await added(app, `${folder ?? ""}/texts/${base}.json`)) ?? (base === "de" ? await unpacked(GERMAN) : null);
    if (texts) useLanguage(language, texts);
  } catch (error) {
    console.warn(`Notewell: the texts of the language ${base} could not be read:`, error);
  }
}

/** The texts of a file; null where there is none. */
async function added({ vault: { adapter } }: App, path: string): Promise<Catalogue | null> {
  if (!(await adapter.exists(path))) return null;
  const found: unknown = JSON.parse(await adapter.read(path));
  const problem = catalogueProblem(found);
  if (problem !== null) throw new TypeError(`${path}: ${problem}`);
  return found as Catalogue;
}

/** Undoes what the build did; in a browser without that decompression the texts stay English. */
export async function unpacked(packed: string): Promise<Catalogue> {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return (await new Response(stream).json()) as Catalogue;
}

/** The language of the plugin: the app's, where there are texts for it. */

import { getLanguage, type App } from "obsidian";
import { catalogueProblem } from "./catalogueProblem";
import { useLanguage, type Catalogue } from "./texts";

/**
 * Loads the texts of the app's language: from texts/LANGUAGE.json in the plugin's `folder`, else from its style sheet.
 * The app installs three files of a plugin; of these the style sheet has room for texts.
 */
export async function startLanguage(app: App, folder = ""): Promise<void> {
  const language = getLanguage();
  const base = language.toLowerCase().replace(/-.*/, "");
  if (base === "en") return;
  try {
    const texts =
      (await readTexts(app, `${folder}/texts/${base}.json`, (file) => file)) ??
      (await readTexts(app, `${folder}/styles.css`, (css) => textsWithin(css, base)));
    if (texts) useLanguage(language, texts);
  } catch (error) {
    console.warn(`Notewell: the texts of the language ${base} could not be read:`, error);
  }
}

/** The texts that `find` finds in a file, as JSON; null where there is no file, or none are in it. */
async function readTexts({ vault: { adapter } }: App, path: string, find: (file: string) => string | null): Promise<Catalogue | null> {
  const json = (await adapter.exists(path)) ? find(await adapter.read(path)) : null;
  if (json === null) return null;
  const found: unknown = JSON.parse(json);
  const problem = catalogueProblem(found);
  if (problem !== null) throw new TypeError(`${path}: ${problem}`);
  return found as Catalogue;
}

/** What the build wrote into a style sheet as a comment, see `withTexts` in plugin/texts/pack.mjs. */
function textsWithin(css: string, language: string): string | null {
  const [, rest] = css.split(`/*! texts ${language}\n`);
  return rest?.split("*/")[0] ?? null;
}

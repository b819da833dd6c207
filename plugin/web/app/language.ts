/** The language of the pages: the one that was chosen here, else the browser's first that there are texts for. */

import { catalogueProblem, useLanguage, type Catalogue } from "../../src/texts";
import { preference, setPreference } from "../lib/preferences";

const SETTING = "language";

/** What was chosen in this browser: a language's code, or empty for the browser's own. */
export function chosenLanguage(): string {
  return preference(SETTING);
}

/** Keeps the choice; it applies to the page that is loaded next. */
export function chooseLanguage(language: string): void {
  setPreference(SETTING, language);
}

/** The languages to choose from, by code: those that come with Notewell, and the browser's, which a file can add. */
export function offeredLanguages(): readonly string[] {
  return [...new Set(["en", "de", ...navigator.languages.map(baseOf)])];
}

/** Loads the texts, and tells the browser the page's language. English is there already, and costs nothing. */
export async function startLanguage(): Promise<void> {
  for (const tag of wanted()) {
    const texts = await textsOf(baseOf(tag));
    if (texts === undefined) continue;
    useLanguage(tag, texts);
    document.documentElement.lang = tag;
    return;
  }
}

/** Language tags in the order of preference, the last being English. */
function wanted(): readonly string[] {
  const own = navigator.languages;
  const chosen = chosenLanguage();
  const tags = chosen ? [own.find((tag) => baseOf(tag) === chosen) ?? chosen] : own;
  return [...tags, "en"];
}

/** The texts of a language; null for English, undefined where there are none. */
async function textsOf(language: string): Promise<Catalogue | null | undefined> {
  if (language === "en") return null;
  try {
    return language === "de" ? (await import("../../texts/de.json")).default : await added(language);
  } catch (error) {
    console.warn(`The texts of the language ${language} could not be loaded:`, error);
    return undefined;
  }
}

/** The texts of a file that somebody laid into the data folder of the server. */
async function added(language: string): Promise<Catalogue | undefined> {
  const answer = await fetch(`/texts/${language}.json`);
  if (!answer.ok) return undefined;
  const found: unknown = await answer.json();
  const problem = catalogueProblem(found);
  if (problem !== null) throw new TypeError(problem);
  return found as Catalogue;
}

function baseOf(tag: string): string {
  return tag.toLowerCase().replace(/-.*/, "");
}

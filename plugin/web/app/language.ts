/** The language of the pages: the one that was chosen here, else the browser's first that there are texts for. */

import { languageTag, useLanguage, type Catalogue } from "../../src/texts";
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
  return [...new Set(["en", "de", ...browsers().map(baseOf)])];
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

/** The browser's language tags, in its order. */
function browsers(): readonly string[] {
  return navigator.languages.map(languageTag).filter((tag) => tag !== undefined);
}

/** Language tags in the order of preference, the last being English. */
function wanted(): readonly string[] {
  const own = browsers();
  const chosen = chosenLanguage();
  const tags = chosen ? [own.find((tag) => baseOf(tag) === chosen) ?? chosen] : own;
  return [...tags, "en"];
}

/** The texts of a language; null for English, undefined where there are none. What loads them is loaded for them alone. */
async function textsOf(language: string): Promise<Catalogue | null | undefined> {
  return language === "en" ? null : (await import("./otherLanguage")).textsOf(language);
}

function baseOf(tag: string): string {
  return tag.toLowerCase().replace(/-.*/, "");
}

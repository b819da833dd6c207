/** Loads the texts of other languages than English: of a file of this build, or one that was laid into the server's data folder. */

import { catalogueProblem } from "../../src/catalogueProblem";
import type { Catalogue } from "../../src/texts";

/** The texts of a language; undefined where there are none that can be read. */
export async function textsOf(language: string): Promise<Catalogue | undefined> {
  try {
    return language === "de" ? (await import("../../texts/de.json")).default : await added(language);
  } catch (error) {
    console.warn(`The texts of the language ${language} could not be loaded:`, error);
    return undefined;
  }
}

async function added(language: string): Promise<Catalogue | undefined> {
  const answer = await fetch(`/texts/${language}.json`);
  if (!answer.ok) return undefined;
  const found: unknown = await answer.json();
  const problem = catalogueProblem(found);
  if (problem !== null) throw new TypeError(problem);
  return found as Catalogue;
}

/**
 * Formulas, set by KaTeX (MIT). It makes elements, and no HTML strings, and sets styles by script, so that the page's
 * policy holds. It may load nothing and link nowhere (`trust: false`), and its work is bounded: by the length of a
 * formula, by the number of macros that it expands, and by the time for one note.
 */

import katex from "katex";
import { styleSheet } from "../../lib/styleSheets";
import { t } from "../../../src/texts";

/** Set by the build: where KaTeX's styles lie. */
declare const MATH_STYLES: string;

const MOST_LENGTH = 4_000;
/** The time for all formulas of a note. */
const MOST_MS = 1_500;
/** After so long the page may draw. */
const AT_ONCE_MS = 30;

type Macros = Record<string, string | object>;

const SETTINGS = { trust: false, strict: "ignore", throwOnError: true, maxExpand: 300, maxSize: 30, output: "htmlAndMathml", errorColor: "var(--bad)" } as const;

/** Sets the formulas in `root`; one that cannot be set stays as it is written, and says why. */
export async function setFormulas(root: ParentNode): Promise<void> {
  await styleSheet(MATH_STYLES);
  const macros: Macros = {}; // those that a note defines hold for its other formulas
  let worked = 0;
  let since = performance.now();
  for (const el of root.querySelectorAll<HTMLElement>("[data-math]")) {
    const begun = performance.now();
    if (worked > MOST_MS) refuse(el, t("This note has more formulas than are set here."));
    else setFormula(el, macros);
    worked += performance.now() - begun;
    if (performance.now() - since < AT_ONCE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
}

function setFormula(el: HTMLElement, macros: Macros): void {
  const isApart = el.dataset["math"] === "apart";
  const text = el.textContent;
  if (text.length > MOST_LENGTH) {
    refuse(el, t("This formula is too long to be set here."));
    return;
  }
  const set = document.createElement("span");
  // Obsidian lets a note define a command anew that there is already; KaTeX wants another word for that.
  const redefining = text.replace(/\\newcommand\b/g, "\\renewcommand");
  const failure = katexFailure(set, text, isApart, macros);
  if (failure && (redefining === text || katexFailure(set, redefining, isApart, macros))) {
    refuse(el, failure);
    return;
  }
  delete el.dataset["math"];
  el.replaceChildren(...set.childNodes);
  if (isApart) el.tabIndex = 0; // a wide one is scrolled by keys
}

/** Renders into `set`; returns why that cannot be. */
function katexFailure(set: HTMLElement, text: string, isApart: boolean, macros: Macros): string | null {
  try {
    katex.render(text, set, { ...SETTINGS, displayMode: isApart, macros, globalGroup: true });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^KaTeX parse error: /, "") : t("It is no formula.");
  }
}

function refuse(el: HTMLElement, why: string): void {
  delete el.dataset["math"];
  el.classList.add("is-plain");
  el.title = why;
}

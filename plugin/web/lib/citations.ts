/** Turns citations in a rendered answer into buttons: `[2]` leads to source 2. */

import { replaceCitations } from "../../src/citations";
import { button, h } from "./dom";
import { t } from "../../src/texts";

export interface NumberedSource {
  readonly n: number;
  readonly title: string;
}

/**
 * Replaces citations within `root`, except in code, by buttons. Numbers without a source stay text, and
 * without `choose`, before the sources are known, citations are not buttons.
 */
export function drawCitations(root: ParentNode & Node, sources: readonly NumberedSource[], choose: ((n: number) => void) | null): void {
  const byNumber = new Map(sources.map((source) => [source.n, source]));
  replaceCitations(root, (n) => citation(n, byNumber.get(n), choose));
}

function citation(n: number, source: NumberedSource | undefined, choose: ((n: number) => void) | null): Node | null {
  if (!choose) return h("span", { class: "cite" }, String(n));
  if (!source) return null;
  const label = t("Source {n}: {title}", { n, title: source.title });
  return button(String(n), () => choose(n), { class: "cite", "aria-label": label, title: source.title });
}

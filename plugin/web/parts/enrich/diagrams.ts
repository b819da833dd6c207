/**
 * Mermaid diagrams as pictures. A worker draws them, ended where it takes too long; its SVG is checked, and shown as the
 * source of a picture, in which a browser runs no script, follows no link and loads nothing.
 */

import { BoundedWorker } from "../../lib/boundedWorker";
import { h } from "../../lib/dom";
import type { DiagramJob, DiagramReply } from "../../lib/diagramMessages";
import { kindOf } from "../../lib/diagramSource";
import { t } from "../../../src/texts";

/** Set by the build: where the worker lies. */
declare const DIAGRAM_WORKER: string;

const DEADLINE_MS = 4_000;
const MOST_LENGTH = 20_000;
const MOST_DIAGRAMS = 30;

/** Draws the diagrams in `root`; one that cannot be drawn stays as it is written, and says why. */
export async function drawDiagrams(root: ParentNode): Promise<void> {
  const worker = new BoundedWorker<DiagramJob, DiagramReply>(DIAGRAM_WORKER, DEADLINE_MS);
  try {
    for (const [n, el] of [...root.querySelectorAll<HTMLElement>('[data-code="mermaid"]')].entries()) {
      delete el.dataset["code"];
      const text = el.textContent;
      const { kind, isDrawn } = kindOf(text);
      if (!isDrawn) refuse(el, kind ? t("Diagrams of the kind “{kind}” are drawn by Obsidian, not here.", { kind }) : t("This diagram is empty."));
      else if (text.length > MOST_LENGTH || n >= MOST_DIAGRAMS) refuse(el, t("This is too much to be drawn here."));
      else await draw(worker, el, text);
    }
  } finally {
    worker.stop();
  }
}

async function draw(worker: BoundedWorker<DiagramJob, DiagramReply>, el: HTMLElement, text: string): Promise<void> {
  try {
    const { svg, words } = await worker.run({ text });
    const picture = h("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: t("Diagram: {words}", { words }) });
    const figure = h("figure", { class: "diagram", "data-line": el.dataset["line"] ?? null }, picture);
    el.replaceWith(figure);
    figure.append(h("details", {}, h("summary", {}, t("Text of the diagram")), el));
  } catch (error) {
    refuse(el, error instanceof Error ? error.message : t("It cannot be drawn."));
  }
}

function refuse(el: HTMLElement, why: string): void {
  el.after(h("p", { class: "faint not-drawn" }, why));
}

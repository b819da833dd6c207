/** The memories that a task recalls, with the components of each score. */

import type { RecalledMemory, RecalledNote, RecallReply } from "../../../../src/contract";
import type { ViewContext } from "../../../app/viewContext";
import { h } from "../../../lib/dom";
import { count } from "../../../../src/format";
import { noteAddress } from "../../../parts/resultRow";
import { nothing } from "../panel";
import { memoryAddress, memoryRow } from "./row";
import { number, t, tn, tparts } from "../../../../src/texts";

export function recalled(context: ViewContext, found: RecallReply): (Node | null)[] {
  const warnings = found.warnings.map((text) => h("p", { class: "warning" }, text));
  if (found.memories.length === 0) {
    return [...warnings, nothing(t("No memories recalled"), t("No memory is similar enough to this task.")), noteList(context, found.notes)];
  }
  const rows = found.memories.map((one) => memoryRow(context, one.memory, relationNotice(context, one), explained(one)));
  return [
    h("p", { class: "faint" }, tn(found.total, "{n} memory", "{n} memories, best first")),
    ...warnings,
    h("ol", { class: "memories", "aria-label": t("Recalled memories") }, ...rows),
    noteList(context, found.notes),
  ];
}

type NoteRow = Pick<RecalledNote, "path" | "title" | "snippet" | "memories">;

/** The notes on the task, each with the memories that it is linked with. */
function noteList(context: ViewContext, notes: readonly NoteRow[]): HTMLElement | null {
  if (notes.length === 0) return null;
  const rows = notes.map(({ path, title, snippet, memories }) => {
    const links = memories.flatMap(({ id, kind }, n): (Node | string)[] => [
      n ? ", " : `${t("Linked with")} `,
      h("a", { href: memoryAddress(context, id) }, id),
      ` (${kind.replaceAll("_", " ")})`,
    ]);
    return h(
      "li",
      { class: "result" },
      h("h3", {}, h("a", { href: noteAddress(context, path), dir: "auto" }, title)),
      h("p", { class: "snippet", dir: "auto" }, snippet),
      links.length ? h("p", { class: "faint" }, ...links) : null,
    );
  });
  const heading = h("p", { class: "faint" }, tn(notes.length, "{n} note on this task", "{n} notes on this task"));
  return h("section", {}, heading, h("ol", { class: "memories", "aria-label": t("Notes on this task") }, ...rows));
}

/** Each part with its weight, so that the sum can be followed (docs/memory.md). */
function explained({ score, parts }: RecalledMemory): HTMLElement {
  const rows: [name: string, value: number, about: string][] = [
    [t("Similarity"), parts.similarity, t("to the task; the other parts weight it")],
    [t("Confidence"), parts.confidence, t("counts 0.25")],
    [t("Importance"), parts.importance, t("counts 0.15")],
    [t("Recency"), parts.recency, t("counts 0.1; halves in 30 days")],
  ];
  if (parts.standing !== 1) rows.push([t("Standing"), parts.standing, t("replaced by a newer memory")]);
  const items = rows.map(([name, value, about]) =>
    h(
      "div",
      { class: "score-row" },
      h("dt", {}, name),
      h("dd", {}, h("span", { class: "number" }, number(value, 2)), h("span", { class: "bar", vars: { "--share": String(Math.min(1, value)) } }), h("span", { class: "faint" }, about)),
    ),
  );
  return h("details", { class: "further" }, h("summary", {}, t("Score {score}: why", { score: number(score, 2) })), h("dl", { class: "scores" }, ...items));
}

function relationNotice(context: ViewContext, { via, depth, superseded_by, contradicted_by }: RecalledMemory): HTMLElement | null {
  const address = (id: string): string => (id.endsWith(".md") ? noteAddress(context, id) : memoryAddress(context, id));
  const link = (id: string): HTMLElement => h("a", { href: address(id) }, id);
  const list = (ids: readonly string[]): (Node | string)[] => ids.flatMap((id, n) => (n ? [", ", link(id)] : [link(id)]));
  const notices: (Node | string)[] = [];
  if (via) notices.push(...tparts<Node | string>("{steps} from {memory}", { steps: count(depth, "step", "steps"), memory: link(via) }), " ");
  if (superseded_by.length) notices.push(`${t("Replaced by")} `, ...list(superseded_by), " ");
  if (contradicted_by.length) notices.push(`${t("Contradicted by")} `, ...list(contradicted_by));
  return notices.length ? h("p", { class: "warning" }, ...notices) : null;
}

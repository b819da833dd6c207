/** Memories in lists: all, those that a task recalls with the parts of each score, and what a check finds. */

import type { Ailing, MemoryHealthReply, MemoryView, RecalledMemory, RecalledNote, RecallReply } from "../../../../src/contract";
import { count } from "../../../../src/format";
import { number, t, tn, tparts } from "../../../../src/texts";
import type { ViewContext } from "../../../app/viewContext";
import { type Child, h } from "../../../lib/dom";
import { ago, nameOf } from "../../../lib/format";
import { noteAddress } from "../../../parts/resultRow";
import { facts, nothing, table } from "../panel";

/** "file context" */
const typeNames = (): Readonly<Record<string, string>> => ({
  preference: t("preference"),
  decision: t("decision"),
  pattern: t("pattern"),
  session: t("session"),
  file_context: t("file context"),
  fact: t("fact"),
  golden_rule: t("golden rule"),
});

export function typeLabel(type: string): string {
  return typeNames()[type] ?? type.replaceAll("_", " ");
}

export function memoryAddress(context: ViewContext, id: string): string {
  return context.to("manage", { ...context.address.query, id }, "memory");
}

export function memoryRow(context: ViewContext, memory: MemoryView, ...more: Child[]): HTMLElement {
  const { id, title, content, warnings } = memory;
  const repeatsTitle = content.trim().replace(/\.$/, "") === title.trim().replace(/\.$/, "");
  return h(
    "li",
    { class: "result memory-row" },
    h("h3", {}, h("a", { href: memoryAddress(context, id), "data-result": id, dir: "auto" }, title)),
    h("p", { class: "meta" }, ...marks(memory)),
    repeatsTitle ? null : h("p", { class: "snippet", dir: "auto" }, content),
    h("div", { class: "meters" }, meter(t("Confidence"), memory.confidence), meter(t("Importance"), memory.importance)),
    ...warnings.map((text) => h("p", { class: "warning" }, text)),
    ...more,
  );
}

export function marks({ golden, type, namespace, created }: MemoryView): Child[] {
  return [
    golden ? h("span", { class: "golden" }, t("golden rule")) : h("span", {}, typeLabel(type)),
    h("span", { dir: "auto" }, namespace),
    created && h("time", { datetime: created }, ago(created)),
  ];
}

/** A share as a bar and in numbers. */
export function meter(name: string, value: number): HTMLElement {
  return h(
    "p",
    { class: "meter" },
    h("span", {}, `${name} `, h("span", { class: "number" }, number(value, 2))),
    h("span", { class: "bar", vars: { "--share": String(Math.min(1, Math.max(0, value))) } }),
  );
}

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

export function healthReport(context: ViewContext, found: MemoryHealthReply): (Node | null)[] {
  const lists: [title: string, all: readonly Ailing[]][] = [
    [t("Not used for long"), found.stale],
    [t("Missing relation or source"), found.orphaned],
    [t("Duplicates"), found.doubles],
    [t("Unreadable properties"), found.unreadable],
  ];
  const isHealthy = found.contradictions.length === 0 && lists.every(([, all]) => all.length === 0);
  return [
    facts(figures(found)),
    isHealthy ? h("p", { role: "status" }, t("No problems found.")) : null,
    contradictions(context, found),
    ...lists.map(([title, all]) => problemList(context, title, all)),
  ];
}

function figures({ total, golden, by_type, average_confidence }: MemoryHealthReply): [string, string][] {
  const types = Object.entries(by_type).map(([type, n]) => `${typeLabel(type)} ${n}`);
  return [
    [t("Memories"), count(total, "memory", "memories")],
    [t("Golden rules"), String(golden)],
    [t("Types"), types.join(", ") || t("none")],
    [t("Confidence"), average_confidence === null ? "–" : t("{confidence} on average", { confidence: number(average_confidence, 2) })],
  ];
}

function contradictions(context: ViewContext, { contradictions: all }: MemoryHealthReply): HTMLElement | null {
  if (all.length === 0) return null;
  const link = (id: string): HTMLElement => h("a", { href: memoryAddress(context, id) }, id);
  const rows = all.map(({ one, other, stated, reason }) => [link(one), link(other), stated ? t("stated by a relation") : t("suspected: {reason}", { reason })]);
  return h("section", {}, h("h3", {}, t("Contradictions")), table(t("Contradictions"), [t("One"), t("Other"), t("Why")], rows));
}

function problemList(context: ViewContext, title: string, all: readonly Ailing[]): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.map(({ id, path, reason }) => [h("a", { href: memoryAddress(context, id) }, nameOf(path)), reason]);
  return h("section", {}, h("h3", {}, title), table(title, [t("Memory"), t("Why")], rows));
}

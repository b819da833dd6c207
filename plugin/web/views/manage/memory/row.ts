/** A memory in a list: its title, content, confidence and importance. */

import type { MemoryView } from "../../../../src/contract";
import type { ViewContext } from "../../../app/viewContext";
import { h, type Child } from "../../../lib/dom";
import { ago } from "../../../lib/format";
import { number, t } from "../../../../src/texts";

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

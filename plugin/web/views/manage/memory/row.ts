/** A memory in a list: its title, content, confidence and importance. */

import type { MemoryView } from "../../../../src/contract";
import type { ViewContext } from "../../../app/viewContext";
import { h, type Child } from "../../../lib/dom";
import { ago } from "../../../lib/format";

/** "file context" */
export function typeLabel(type: string): string {
  return type.replaceAll("_", " ");
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
    h("h2", {}, h("a", { href: memoryAddress(context, id), "data-result": id, dir: "auto" }, title)),
    h("p", { class: "meta" }, ...marks(memory)),
    repeatsTitle ? null : h("p", { class: "snippet", dir: "auto" }, content),
    h("div", { class: "meters" }, meter("Confidence", memory.confidence), meter("Importance", memory.importance)),
    ...warnings.map((text) => h("p", { class: "warning" }, text)),
    ...more,
  );
}

export function marks({ golden, type, namespace, created }: MemoryView): Child[] {
  return [
    golden ? h("span", { class: "golden" }, "golden rule") : h("span", {}, typeLabel(type)),
    h("span", { dir: "auto" }, namespace),
    created && h("time", { datetime: created }, ago(created)),
  ];
}

/** A share as a bar and in numbers. */
export function meter(name: string, value: number): HTMLElement {
  return h(
    "p",
    { class: "meter" },
    h("span", {}, `${name} `, h("span", { class: "number" }, value.toFixed(2))),
    h("span", { class: "bar", vars: { "--share": String(Math.min(1, Math.max(0, value))) } }),
  );
}

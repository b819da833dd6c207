/** The health check of memories: contradictions, and unused, orphaned, duplicate and unreadable ones. */

import type { Ailing, MemoryHealthReply } from "../../../../src/contract";
import type { ViewContext } from "../../../app/viewContext";
import { h } from "../../../lib/dom";
import { count } from "../../../../src/format";
import { nameOf } from "../../../lib/format";
import { facts, table } from "../panel";
import { memoryAddress, typeLabel } from "./row";

export function healthReport(context: ViewContext, found: MemoryHealthReply): (Node | null)[] {
  const lists: [title: string, all: readonly Ailing[]][] = [
    ["Not used for long", found.stale],
    ["Missing relation or source", found.orphaned],
    ["Duplicates", found.doubles],
    ["Unreadable properties", found.unreadable],
  ];
  const isHealthy = found.contradictions.length === 0 && lists.every(([, all]) => all.length === 0);
  return [
    facts(figures(found)),
    isHealthy ? h("p", { role: "status" }, "No problems found.") : null,
    contradictions(context, found),
    ...lists.map(([title, all]) => problemList(context, title, all)),
  ];
}

function figures({ total, golden, by_type, average_confidence }: MemoryHealthReply): [string, string][] {
  const types = Object.entries(by_type).map(([type, n]) => `${typeLabel(type)} ${n}`);
  return [
    ["Memories", count(total, "memory", "memories")],
    ["Golden rules", String(golden)],
    ["Types", types.join(", ") || "none"],
    ["Confidence", average_confidence === null ? "–" : `${average_confidence.toFixed(2)} on average`],
  ];
}

function contradictions(context: ViewContext, { contradictions: all }: MemoryHealthReply): HTMLElement | null {
  if (all.length === 0) return null;
  const link = (id: string): HTMLElement => h("a", { href: memoryAddress(context, id) }, id);
  const rows = all.map(({ one, other, stated, reason }) => [link(one), link(other), stated ? "stated by a relation" : `suspected: ${reason}`]);
  return h("section", {}, h("h2", {}, "Contradictions"), table("Contradictions", ["One", "Other", "Why"], rows));
}

function problemList(context: ViewContext, title: string, all: readonly Ailing[]): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.map(({ id, path, reason }) => [h("a", { href: memoryAddress(context, id) }, nameOf(path)), reason]);
  return h("section", {}, h("h2", {}, title), table(title, ["Memory", "Why"], rows));
}

/** The health check of memories: contradictions, and unused, orphaned, duplicate and unreadable ones. */

import type { Ailing, MemoryHealthReply } from "../../../../src/contract";
import type { ViewContext } from "../../../app/viewContext";
import { h } from "../../../lib/dom";
import { count } from "../../../../src/format";
import { nameOf } from "../../../lib/format";
import { facts, table } from "../panel";
import { memoryAddress, typeLabel } from "./row";
import { number, t } from "../../../../src/texts";

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

/** One memory: its content, details, relations and history, and actions on it. */

import { asServerError } from "../../../../src/client";
import type { MemoryInspectReply, MemoryView, RelationView, ValidationView } from "../../../../src/contract";
import type { ViewContext } from "../../../app/viewContext";
import { button, fill, h } from "../../../lib/dom";
import { icon } from "../../../lib/icons";
import { ago, day, nameOf } from "../../../lib/format";
import { noteAddress } from "../../../parts/resultRow";
import { facts, table, runAction } from "../panel";
import { marks, memoryAddress, meter } from "./row";
import { refusalOf } from "../../../parts/refusals";

const KINDS: Readonly<Record<ValidationView["kind"], string>> = {
  stored: "stored",
  granted: "made a golden rule",
  applied: "used",
  helped: "helped",
  failed: "did not help",
  other: "changed",
};

/** `again` is called after a change, to draw the memory again. */
export function inspected(context: ViewContext, { memory, related_from, history }: MemoryInspectReply, again: () => void): (Node | null)[] {
  return [
    h("h2", { class: "memory-title", dir: "auto" }, memory.title),
    h("p", { class: "meta" }, ...marks(memory)),
    h("p", { class: "tools" }, h("a", { href: noteAddress(context, memory.path) }, icon("open"), "Read the note")),
    h("div", { class: "prose memory-content", dir: "auto" }, memory.content),
    h("div", { class: "meters" }, meter("Confidence", memory.confidence), meter("Importance", memory.importance)),
    ...memory.warnings.map((text) => h("p", { class: "warning" }, text)),
    context.mayWrite ? actions(context, memory, again) : null,
    facts(details(memory)),
    relations("Relations", memory.relations, context),
    relations("Related from", related_from, context),
    historyTable(history),
  ];
}

function details(memory: MemoryView): (readonly [string, string])[] {
  const rows: (readonly [string, string | null])[] = [
    ["Id", memory.id],
    ["Path", memory.path],
    ["Source", memory.provenance],
    ["Stored", memory.created && day(memory.created)],
    ["Used", memory.access_count ? `${memory.access_count} ×, last ${ago(memory.accessed)}` : "not yet"],
  ];
  return rows.filter((row): row is readonly [string, string] => !!row[1]);
}

function actions(context: ViewContext, memory: MemoryView, again: () => void): HTMLElement {
  const comment = h("input", { "aria-label": "Reason, for the history", placeholder: "Reason (optional)", maxlength: 1000 });
  const reportOutcome = (helped: boolean) => (): void => {
    const done = helped ? "Confidence raised" : "Confidence lowered";
    void runAction(context, done, () => context.vaultClient.memoryOutcome(memory.id, helped, comment.value.trim())).then((isDone) => isDone && again());
  };
  return h(
    "div",
    { class: "buttons", role: "group", "aria-label": "Report the outcome" },
    comment,
    button("It helped", reportOutcome(true), { class: "quiet" }),
    button("It did not help", reportOutcome(false), { class: "quiet" }),
    forgetButton(context, memory),
  );
}

/** Deletes the memory's note, so the button has to be pressed twice; it can be undone. */
function forgetButton(context: ViewContext, { id, golden }: MemoryView): HTMLElement {
  const confirmText = golden ? "This is a golden rule. Really delete it?" : "Really delete it?";
  const forget = button("Delete", () => {
    if (forget.textContent !== confirmText) fill(forget, confirmText);
    else void forgetIt();
  }, { class: "quiet danger" });
  return forget;

  async function forgetIt(): Promise<void> {
    const holder = forget.closest(".panel-body");
    try {
      const number = await context.vaultClient.forgetMemory(id, golden);
      if (holder) fill(holder, forgotten(context, number));
    } catch (error) {
      context.showNotice(refusalOf(asServerError(error)));
    }
  }
}

function forgotten(context: ViewContext, number: number | null): HTMLElement {
  const back = async (): Promise<void> => {
    if (await runAction(context, "Memory restored", () => context.vaultClient.undo(number ?? undefined))) context.change({ id: null });
  };
  return h(
    "div",
    { class: "empty", role: "status" },
    h("h2", {}, "Deleted"),
    h("p", {}, "The memory’s note was deleted."),
    h("p", { class: "buttons" }, number === null ? null : button("Undo", () => void back(), { class: "quiet" }), h("a", { href: context.to("manage", { ...context.address.query, id: null }, "memory") }, "All memories")),
  );
}

function relations(title: string, all: readonly RelationView[], context: ViewContext): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.map(({ kind, target, path, weight }) => [
    kind.replaceAll("_", " "),
    path ? h("a", { href: target.startsWith("mem-") ? memoryAddress(context, target) : noteAddress(context, path) }, nameOf(path)) : h("span", { class: "nowhere" }, target),
    weight.toFixed(2),
  ]);
  return h("section", {}, h("h3", {}, title), table(title, ["Relation", "Note", "Weight"], rows));
}

function historyTable(history: readonly ValidationView[]): HTMLElement | null {
  if (history.length === 0) return null;
  const rows = history.map(({ at, kind, before, after, comment }) => [
    h("time", { datetime: at, title: day(at) }, ago(at)),
    KINDS[kind],
    before === null || after === null ? "" : `${before.toFixed(2)} → ${after.toFixed(2)}`,
    comment,
  ]);
  return h("section", {}, h("h3", {}, "History"), table("History", ["When", "What", "Confidence", "Why"], rows));
}

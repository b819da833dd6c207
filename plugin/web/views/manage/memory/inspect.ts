/** One memory: its content, details, relations and history, and actions on it. */

import { asServerError } from "../../../../src/client";
import type { MemoryInspectReply, MemoryView, RelationView, ValidationView } from "../../../../src/contract";
import { managing } from "../../../app/manageClient";
import type { ViewContext } from "../../../app/viewContext";
import { button, fill, h } from "../../../lib/dom";
import { icon } from "../../../lib/icons";
import { ago, day, nameOf } from "../../../lib/format";
import { noteAddress } from "../../../parts/resultRow";
import { facts, table, runAction } from "../panel";
import { marks, memoryAddress, meter } from "./lists";
import { refusalOf } from "../../../parts/refusals";
import { number, t } from "../../../../src/texts";

const kinds = (): Readonly<Record<ValidationView["kind"], string>> => ({
  stored: t("stored"),
  granted: t("made a golden rule"),
  applied: t("used"),
  helped: t("helped"),
  failed: t("did not help"),
  other: t("changed"),
});

/** `again` is called after a change, to draw the memory again. */
export function inspected(context: ViewContext, { memory, related_from, history }: MemoryInspectReply, again: () => void): (Node | null)[] {
  return [
    h("h1", { class: "memory-title", dir: "auto" }, memory.title),
    h("p", { class: "meta" }, ...marks(memory)),
    h("p", { class: "tools" }, h("a", { href: noteAddress(context, memory.path) }, icon("open"), t("Read the note"))),
    h("div", { class: "prose memory-content", dir: "auto" }, memory.content),
    h("div", { class: "meters" }, meter(t("Confidence"), memory.confidence), meter(t("Importance"), memory.importance)),
    ...memory.warnings.map((text) => h("p", { class: "warning" }, text)),
    context.mayWrite ? actions(context, memory, again) : null,
    facts(details(memory)),
    relations(t("Relations"), memory.relations, context),
    relations(t("Related from"), related_from, context),
    historyTable(history),
  ];
}

function details(memory: MemoryView): (readonly [string, string])[] {
  const rows: (readonly [string, string | null])[] = [
    ["Id", memory.id],
    [t("Path"), memory.path],
    [t("Source"), memory.provenance],
    [t("Stored"), memory.created && day(memory.created)],
    [t("Used"), memory.access_count ? t("{n} ×, last {time}", { n: memory.access_count, time: ago(memory.accessed) }) : t("not yet")],
  ];
  return rows.filter((row): row is readonly [string, string] => !!row[1]);
}

function actions(context: ViewContext, memory: MemoryView, again: () => void): HTMLElement {
  const comment = h("input", { "aria-label": t("Reason, for the history"), placeholder: t("Reason (optional)"), maxlength: 1000 });
  const reportOutcome = (helped: boolean) => (): void => {
    const done = helped ? t("Confidence raised") : t("Confidence lowered");
    void runAction(context, done, () => managing(context).memoryOutcome(memory.id, helped, comment.value.trim())).then((isDone) => isDone && again());
  };
  return h(
    "div",
    { class: "buttons", role: "group", "aria-label": t("Report the outcome") },
    comment,
    button(t("It helped"), reportOutcome(true), { class: "quiet" }),
    button(t("It did not help"), reportOutcome(false), { class: "quiet" }),
    forgetButton(context, memory),
  );
}

/** Deletes the memory's note, so the button has to be pressed twice; it can be undone. */
function forgetButton(context: ViewContext, { id, golden }: MemoryView): HTMLElement {
  const confirmText = golden ? t("This is a golden rule. Really delete it?") : t("Really delete it?");
  const forget = button(t("Delete"), () => {
    if (forget.textContent !== confirmText) fill(forget, confirmText);
    else void forgetIt();
  }, { class: "quiet danger" });
  return forget;

  async function forgetIt(): Promise<void> {
    const holder = forget.closest(".panel-body");
    try {
      const write = await managing(context).forgetMemory(id, golden);
      if (holder) fill(holder, forgotten(context, write));
    } catch (error) {
      context.showNotice(refusalOf(asServerError(error)));
    }
  }
}

function forgotten(context: ViewContext, write: number | null): HTMLElement {
  const back = async (): Promise<void> => {
    if (await runAction(context, t("Memory restored"), () => context.vaultClient.undo(write ?? undefined))) context.change({ id: null });
  };
  return h(
    "div",
    { class: "empty", role: "status" },
    h("h1", {}, t("Deleted")),
    h("p", {}, t("The memory’s note was deleted.")),
    h("p", { class: "buttons" }, write === null ? null : button(t("Undo"), () => void back(), { class: "quiet" }), h("a", { href: context.to("manage", { ...context.address.query, id: null }, "memory") }, t("All memories"))),
  );
}

function relations(title: string, all: readonly RelationView[], context: ViewContext): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.map(({ kind, target, path, weight }) => [
    kind.replaceAll("_", " "),
    path ? h("a", { href: target.startsWith("mem-") ? memoryAddress(context, target) : noteAddress(context, path) }, nameOf(path)) : h("span", { class: "nowhere" }, target),
    number(weight, 2),
  ]);
  return h("section", {}, h("h2", {}, title), table(title, [t("Relation"), t("Note"), t("Weight")], rows));
}

function historyTable(history: readonly ValidationView[]): HTMLElement | null {
  if (history.length === 0) return null;
  const rows = history.map(({ at, kind, before, after, comment }) => [
    h("time", { datetime: at, title: day(at) }, ago(at)),
    kinds()[kind],
    before === null || after === null ? "" : `${number(before, 2)} → ${number(after, 2)}`,
    comment,
  ]);
  return h("section", {}, h("h2", {}, t("History")), table(t("History"), [t("When"), t("What"), t("Confidence"), t("Why")], rows));
}

/** Makes notes of saved links: tells first what would be made, then asks. */

import type { ExtractReply } from "../../../../src/contract";
import { managing } from "../../../app/manageClient";
import type { ViewContext } from "../../../app/viewContext";
import { button, fill, h } from "../../../lib/dom";
import { Loader, runAction } from "../panel";
import { count } from "../../../../src/format";
import { t, tn } from "../../../../src/texts";

/** A button, and below it what it would do and did; `changed` is called after notes were made or taken back. */
export function extractBox(context: ViewContext, changed: () => void): HTMLElement {
  const said = h("div", { role: "status" });
  const loader = new Loader(said);
  const ask = (dryRun: boolean, draw: (found: ExtractReply) => (Node | null)[]): Promise<void> =>
    loader.load(() => managing(context).extractGleanings(dryRun), draw);
  const make = async (): Promise<void> => {
    await ask(false, made);
    changed();
  };
  const start = button(t("Make notes of saved links…"), () => void ask(true, planned), { class: "quiet" });
  return h("section", { class: "extract", "aria-label": t("Notes of saved links") }, h("div", { class: "buttons" }, start), said);

  function planned(found: ExtractReply): (Node | null)[] {
    const n = found.ids.length;
    const drop = (): void => {
      fill(said);
      start.focus();
    };
    if (n === 0) return [h("p", {}, t("Every saved link has a note already.")), problems(found)];
    return [
      h("p", {}, `${tn(n, "{n} note would be made, of links in {files} that changed.", "{n} notes would be made, of links in {files} that changed.", { files: count(found.files, "daily note") })} ${t("Nothing is written yet.")}`),
      problems(found),
      h("p", { class: "buttons" }, button(tn(n, "Make {n} note", "Make {n} notes"), () => void make(), { class: "primary" }), button(t("Not now"), drop, { class: "quiet" })),
    ];
  }

  function made(found: ExtractReply): (Node | null)[] {
    const { undo, created } = found;
    const back = async (): Promise<void> => {
      if (!(await runAction(context, t("The notes are taken back"), () => context.vaultClient.undo(undo ?? undefined)))) return;
      fill(said);
      changed();
    };
    return [
      h("p", {}, created ? tn(created, "{n} note was made.", "{n} notes were made.") : t("No note was made.")),
      problems(found),
      undo === null || created === 0 ? null : h("p", { class: "buttons" }, button(t("Undo"), () => void back(), { class: "quiet" })),
    ];
  }

  function problems({ errors }: ExtractReply): HTMLElement | null {
    if (errors === 0) return null;
    const link = context.has("runs") ? h("a", { href: context.to("manage", {}, "runs") }, t("Runs tell which.")) : null;
    return h("p", { class: "warning" }, tn(errors, "{n} entry cannot be read.", "{n} entries cannot be read."), " ", link);
  }
}

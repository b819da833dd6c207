/** What was rejected, and the way back: each can come again with a later plan. */

import type { GardenClient } from "../../../../src/garden/client";
import type { RejectionsReply, RejectionView } from "../../../../src/contract";
import { checkName } from "../../../../src/garden/words";
import { t } from "../../../../src/texts";
import type { ViewContext } from "../../../app/viewContext";
import { button, fill, h } from "../../../lib/dom";
import { day } from "../../../lib/format";
import { noteAddress } from "../../../parts/resultRow";
import { Loader, runAction } from "../panel";

/** The list; it is asked for when `details` is opened. */
export function rejectionList(context: ViewContext, client: GardenClient, details: HTMLDetailsElement): HTMLElement {
  const el = h("div", { class: "tend-rejections" });
  const loader = new Loader(el);
  details.addEventListener("toggle", () => {
    if (details.open) void loader.load(() => client.rejections(), draw);
  });
  return el;

  function draw({ rejections, total }: RejectionsReply): Node[] {
    if (total === 0) return [h("p", { class: "faint" }, t("Nothing was rejected."))];
    const about = total > rejections.length ? t("The newest {shown} of {total}. They do not come again.", { shown: rejections.length, total }) : t("These suggestions do not come again.");
    return [h("p", { class: "faint" }, about), h("ul", {}, ...rejections.map(row))];
  }

  function row({ id, check, path, title, at }: RejectionView): HTMLElement {
    const again = async (): Promise<void> => {
      const ask = async (): Promise<void> => fill(el, ...draw(await client.forget([id])));
      await runAction(context, t("It can come again"), ask);
    };
    return h(
      "li",
      {},
      h("span", { dir: "auto" }, title),
      h("span", { class: "faint" }, `${checkName(check)}, ${day(at)}, `, h("a", { href: noteAddress(context, path), dir: "auto" }, path)),
      context.mayWrite ? button(t("Let it come again"), () => void again(), { class: "quiet", "aria-label": t("Let it come again: {title}", { title }) }) : null,
    );
  }
}

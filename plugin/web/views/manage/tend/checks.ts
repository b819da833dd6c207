/** What the gardener looks for, in plain words; an administrator switches each on and off. */

import type { CheckView, SettingView } from "../../../../src/contract";
import { asServerError } from "../../../../src/client";
import { checkHelp, checkName } from "../../../../src/garden/words";
import { t } from "../../../../src/texts";
import { managing } from "../../../app/manageClient";
import type { ViewContext } from "../../../app/viewContext";
import { h } from "../../../lib/dom";
import { runAction } from "../panel";

const KEY = "garden.checks";

export function checkList(context: ViewContext, checks: readonly CheckView[]): HTMLElement {
  const boxes = new Map<string, HTMLInputElement>();
  const rows = checks.map(({ name, finds, usual }) => {
    const box = h("input", { type: "checkbox", checked: usual, disabled: true });
    boxes.set(name, box);
    return h("li", {}, h("label", { class: "tend-check" }, box, h("span", {}, h("strong", {}, checkName(name)), h("span", { class: "faint" }, checkHelp(name, finds)))));
  });
  const said = h("p", { class: "faint" }, t("Only an administrator changes this."));
  const chosen = (): string[] => [...boxes].filter(([, box]) => box.checked).map(([name]) => name);
  const save = async (box: HTMLInputElement): Promise<void> => {
    const names = chosen();
    if (names.length === 0) {
      box.checked = true; // an empty list would mean the usual ones
      context.showNotice(t("At least one has to be looked for"));
      return;
    }
    const isSaved = await runAction(context, t("Saved; the next plan looks for this"), () => managing(context).configure({ [KEY]: names }));
    if (!isSaved) box.checked = !box.checked;
  };
  for (const box of boxes.values()) box.addEventListener("change", () => void save(box));
  if (context.mayAdminister) void unlock(context, [...boxes.values()], said);
  return h("div", { class: "tend-checks" }, said, h("ul", {}, ...rows));
}

/** The boxes can be used where the setting can be changed here. */
async function unlock(context: ViewContext, boxes: readonly HTMLInputElement[], said: HTMLElement): Promise<void> {
  const setting = await settingOf(context);
  if (setting?.writable) {
    for (const box of boxes) box.disabled = false;
    said.textContent = t("What is not ticked was not right often enough on public vaults, or you switched it off.");
  } else said.textContent = setting?.reason ?? t("This is set on the server’s computer.");
}

async function settingOf(context: ViewContext): Promise<SettingView | undefined> {
  try {
    return (await managing(context).config()).settings.find(({ key }) => key === KEY);
  } catch (error) {
    asServerError(error); // then the boxes stay locked, and show what holds
    return undefined;
  }
}

/** A plan with the language model: says what would be sent, and where, before anything is. */

import type { GardenModelReply } from "../../../../src/contract";
import type { GardenClient } from "../../../../src/garden/client";
import { asServerError } from "../../../../src/client";
import { modelText } from "../../../../src/garden/words";
import { t } from "../../../../src/texts";
import { button, fill, h } from "../../../lib/dom";
import { refusalOf } from "../../../parts/refusals";

/** The button, and what it tells; `make` gets the host that the person agreed to. */
export function modelMaker(client: GardenClient, make: (host: string) => Promise<void>): readonly [button: HTMLElement, told: HTMLElement] {
  const told = h("div", { class: "tend-model", role: "status" });
  const offer = (would: GardenModelReply): void => {
    if (would.notes === 0) {
      fill(told, h("p", { class: "faint" }, t("The language model has seen every note that it may see now.")));
      return;
    }
    const send = button(t("Send and make a plan"), () => {
      fill(told);
      void make(would.host);
    });
    const text = h("p", {}, `${modelText(would)} ${t("Sent are {what}.", { what: would.sent })}`);
    fill(told, text, h("div", { class: "buttons" }, send, button(t("Cancel"), () => fill(told))));
  };
  const ask = async (): Promise<void> => {
    start.disabled = true;
    try {
      offer(await client.model());
    } catch (error) {
      fill(told, refusalOf(asServerError(error)));
    } finally {
      start.disabled = false;
    }
  };
  const start = button(t("Ask the language model too"), () => void ask());
  return [start, told];
}

/** The notes that could not be indexed, each with its reason. */

import { Modal, Setting, type App } from "obsidian";
import type { Session } from "../connection";
import type { LedgerRow } from "../contract";
import { withNotice } from "./dialogs";
import { count } from "./format";
import { openPlace } from "./open";

export async function showFailures(app: App, { client }: Session): Promise<void> {
  const { entries } = await client.ledger({ state: "failed" });
  const modal = new Modal(app).setTitle("Notes that could not be indexed");
  for (const row of entries) drawRow(modal, row);
  if (entries.length === 0) modal.setContent("There are none.");
  else {
    new Setting(modal.contentEl).addButton((button) => {
      button.setButtonText("Retry all").setCta();
      button.onClick(() => {
        modal.close();
        void withNotice(client.queue("retry"), "They are tried once more.");
      });
    });
  }
  modal.open();
}

function drawRow(modal: Modal, { path, reason, attempts }: LedgerRow): void {
  new Setting(modal.contentEl)
    .setName(path)
    .setDesc(`${reason ?? ""} (${count(attempts, "try", "tries")})`)
    .addExtraButton((button) => {
      button.setIcon("file").setTooltip("Open note");
      button.onClick(() => {
        modal.close();
        void openPlace(modal.app, { path, passage: null }, false);
      });
    });
}

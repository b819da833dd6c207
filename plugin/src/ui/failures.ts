/** The notes that could not be indexed, each with its reason. */

import { Modal, Setting, type App } from "obsidian";
import type { Session } from "../connection";
import { offers, type LedgerRow } from "../contract";
import { told } from "./dialogs";
import { count } from "./format";
import { openPlace } from "./open";

export class FailuresModal extends Modal {
  readonly #session: Session;

  constructor(app: App, session: Session) {
    super(app);
    this.#session = session;
    this.setTitle("Notes that could not be indexed");
  }

  override onOpen(): void {
    void told(this.#fill());
  }

  async #fill(): Promise<void> {
    const { entries } = await this.#session.client.ledger({ state: "failed" });
    if (entries.length === 0) this.setContent("There are none.");
    for (const row of entries) this.#drawRow(row);
    if (entries.length === 0) return;
    new Setting(this.contentEl).addButton((button) => {
      button.setButtonText("Retry all").setCta();
      button.onClick(() => void this.#retry(entries));
    });
  }

  #drawRow(row: LedgerRow): void {
    new Setting(this.contentEl)
      .setName(row.path)
      .setDesc(`${row.reason ?? "No reason was given."} (${count(row.attempts, "try", "tries")})`)
      .addExtraButton((button) => {
        button.setIcon("file").setTooltip("Open note");
        button.onClick(() => {
          this.close();
          void openPlace(this.app, { path: row.path, passage: null }, false);
        });
      });
  }

  async #retry(entries: readonly LedgerRow[]): Promise<void> {
    const { client, features } = this.#session;
    const again = offers(features, "queue")
      ? client.queue("retry")
      : client.reindex({ paths: entries.map((row) => row.path) });
    await told(again, "They are tried once more.");
    this.close();
  }
}

/** Short messages in a corner. */

import type { Notice as AppNotice } from "obsidian";
import type { Part } from "./part";

const SHOWN_MS = 4_000;

/** All messages since the start, for the tests. */
export const notices: string[] = [];

/** Without `noticeEl`, which the app keeps for old plugins. */
export class Notice implements Part<AppNotice, Exclude<keyof AppNotice, "noticeEl">> {
  readonly containerEl: HTMLElement;
  readonly messageEl: HTMLElement;

  constructor(message: string | DocumentFragment, duration = SHOWN_MS) {
    this.containerEl = activeDocument.body.createDiv("notice");
    this.messageEl = this.containerEl.createDiv("notice-message");
    this.setMessage(message);
    notices.push(this.messageEl.textContent);
    this.containerEl.addEventListener("click", () => this.hide());
    if (duration > 0) window.setTimeout(() => this.hide(), duration);
  }

  setMessage(message: string | DocumentFragment): this {
    this.messageEl.empty();
    this.messageEl.append(message);
    return this;
  }

  setAutoHide(): this {
    return this;
  }

  hide(): void {
    this.containerEl.remove();
  }
}

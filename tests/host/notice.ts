/** Short messages in a corner. */

import type { Notice as AppNotice } from "obsidian";

const SHOWN_MS = 4_000;

/** All messages since the start, for the tests. */
export const notices: string[] = [];

export class Notice implements AppNotice {
  readonly containerEl: HTMLElement;
  readonly noticeEl: HTMLElement;
  readonly messageEl: HTMLElement;

  constructor(message: string | DocumentFragment, duration = SHOWN_MS) {
    this.containerEl = document.body.createDiv("notice");
    this.noticeEl = this.containerEl;
    this.messageEl = this.noticeEl.createDiv("notice-message");
    this.setMessage(message);
    notices.push(this.messageEl.textContent);
    this.noticeEl.addEventListener("click", () => this.hide());
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
    this.noticeEl.remove();
  }
}

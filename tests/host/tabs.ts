/** Leaves behind each other, one of them shown. */

import type { WorkspaceLeaf } from "./leaf";

export class TabGroup {
  readonly el: HTMLElement;
  readonly leaves: WorkspaceLeaf[] = [];
  readonly #tabsEl: HTMLElement;
  readonly #leavesEl: HTMLElement;

  constructor(parent: HTMLElement) {
    this.el = parent.createDiv("workspace-tabs");
    this.#tabsEl = this.el.createDiv("workspace-tab-header-container");
    this.#leavesEl = this.el.createDiv("workspace-tab-container");
  }

  add(leaf: WorkspaceLeaf): void {
    leaf.parent = this;
    this.leaves.push(leaf);
    this.#tabsEl.append(leaf.tabEl);
    this.#leavesEl.append(leaf.containerEl);
    this.show(leaf);
  }

  show(leaf: WorkspaceLeaf): void {
    for (const one of this.leaves) {
      one.containerEl.toggle(one === leaf);
      one.tabEl.toggleClass("is-active", one === leaf);
    }
  }

  remove(leaf: WorkspaceLeaf): void {
    this.leaves.remove(leaf);
    leaf.tabEl.remove();
    leaf.containerEl.remove();
    const next = this.leaves.at(-1);
    if (next) this.show(next);
  }
}

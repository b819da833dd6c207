/** The similar notes panel: follows the active note, or stays with what it was given. */

import { type Menu, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import { asServerError } from "../client";
import type { Session } from "../connection";
import type { Result, SearchReply } from "../contract";
import { Timer } from "../timer";
import type { Desk } from "./desk";
import { dropped } from "./drag";
import { remark, type Explanation } from "./explain";
import { count } from "./format";
import { arranged, marksOf, withMark, withoutHidden, type Mark } from "./marks";
import { addItem } from "./menu";
import type { Place } from "./open";
import { ResultsView } from "./resultsView";
import { setActive, toggle, toolbar } from "./searchHeader";
import { absence, filtered, OPEN_A_NOTE, whatIsMissing } from "./similarNotes";
import { activeTarget, isSameTarget, restoredTarget, textTarget, type Target } from "./target";

export const SIMILAR_VIEW = "recollect-similar";

const FOLLOW_AFTER_MS = 300;
const CURSOR_EVERY_MS = 1_000;

export class SimilarView extends ResultsView {
  #target: Target | null = null;
  #reply: SearchReply | null = null;
  #absence: Explanation | null = OPEN_A_NOTE;
  #question = 0;
  readonly #soon = new Timer();
  #unlinkedOnly = false;
  #isPinned = false;
  #pinEl!: HTMLElement;
  #unlinkedEl!: HTMLElement;
  #titleEl!: HTMLElement;

  constructor(leaf: WorkspaceLeaf, desk: Desk) {
    super(leaf, desk);
    this.icon = "files";
  }

  override getViewType(): string {
    return SIMILAR_VIEW;
  }

  override getDisplayText(): string {
    return "Similar notes";
  }

  override getState(): Record<string, unknown> {
    const target = this.#isPinned ? this.#target : null;
    return { ...super.getState(), target, unlinked: this.#unlinkedOnly };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const kept = (state ?? {}) as { target?: unknown; unlinked?: unknown };
    this.#unlinkedOnly = kept.unlinked === true;
    setActive(this.#unlinkedEl, this.#unlinkedOnly);
    const target = restoredTarget(kept.target);
    if (target) this.hold(target);
    else this.#follow();
  }

  protected override async onOpen(): Promise<void> {
    const { contentEl, app } = this;
    contentEl.empty();
    this.#drawHeader(contentEl);
    this.build({
      label: "Similar notes",
      badges: (result) => this.#badges(result),
      addItems: (menu, place) => this.#addItems(menu, place),
      onAbove: () => this.#pinEl.focus(),
    });
    const follow = (): void => this.#soon.set(FOLLOW_AFTER_MS, () => this.#follow());
    this.registerEvent(app.workspace.on("file-open", follow));
    this.registerDomEvent(contentEl, "dragover", (event) => event.preventDefault());
    this.registerDomEvent(contentEl, "drop", (event) => this.#drop(event));
    this.registerInterval(window.setInterval(() => this.#watchCursor(), CURSOR_EVERY_MS));
    this.register(() => this.#soon.clear());
    this.#follow();
  }

  /** Shows what is like `target`, and stays with it. */
  hold(target: Target): void {
    this.#setPinned(true);
    this.#retarget(target);
  }

  protected override generation(): number | null {
    return this.#reply?.generation ?? null;
  }

  protected override ownMessage(): Explanation | null {
    const { status } = this.desk.connection;
    return this.#absence ?? (status && remark(status));
  }

  protected override askAgain(): void {
    void this.#ask();
  }

  protected override settingsChanged(): void {
    if (this.#reply) this.#show(this.#reply, false);
  }

  #drawHeader(parent: HTMLElement): void {
    const buttons = toolbar(parent);
    this.#pinEl = toggle(buttons, "pin", "Stay with this note", (isOn) => {
      this.#isPinned = isOn;
      if (!isOn) this.#follow();
      void this.app.workspace.requestSaveLayout();
    });
    this.#unlinkedEl = toggle(buttons, "unlink", "Only notes that are not linked", (isOn) => {
      this.#unlinkedOnly = isOn;
      void this.#ask();
      void this.app.workspace.requestSaveLayout();
    });
    toggle(buttons, "list-tree", "Show all passages", (isOn) => this.list.expandAll(isOn));
    this.#titleEl = parent.createDiv({ cls: "recollect-target" });
  }

  #setPinned(isPinned: boolean): void {
    this.#isPinned = isPinned;
    setActive(this.#pinEl, isPinned);
  }

  #follow(): void {
    if (this.#isPinned) return;
    this.#retarget(activeTarget(this.app, this.desk.settings.vault.followSection));
  }

  /** The app tells nobody where the cursor goes, so it is looked up, and only while that matters. */
  #watchCursor(): void {
    if (this.desk.settings.vault.followSection && this.containerEl.isShown()) this.#follow();
  }

  #retarget(target: Target | null): void {
    if (isSameTarget(target, this.#target)) return;
    this.#target = target;
    this.#reply = null;
    this.#absence = null;
    this.failure = null;
    this.#titleEl.setText(titleOf(target));
    // Another note's neighbours must not stay while ours are looked for.
    this.list.replace([]);
    this.infoEl.empty();
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const question = ++this.#question;
    const target = this.#target;
    const { session } = this.desk.connection;
    if (!target) this.#absence = OPEN_A_NOTE;
    this.say();
    if (!target || !session) return;
    this.busy(true);
    try {
      const reply = await this.#request(session, target);
      if (question !== this.#question) return;
      const isKnown = this.#reply !== null;
      this.#reply = reply;
      this.failure = null;
      this.#show(reply, isKnown);
    } catch (error) {
      if (question === this.#question) await this.#missed(error, session, target);
    } finally {
      if (question === this.#question) this.busy(false);
    }
  }

  #request(session: Session, target: Target): Promise<SearchReply> {
    const { hidden } = marksOf(this.desk.settings.vault.marks, this.#notePath() ?? "");
    // Itself and what is hidden are taken out afterwards.
    const limit = this.desk.settings.vault.resultLimit + hidden.length + 1;
    if (target.kind !== "note") return session.client.similarText(target.text, limit);
    return session.client.similar(target.path, { limit, unlinked: this.#unlinkedOnly });
  }

  #show(reply: SearchReply, isKnown: boolean): void {
    const { marks, minScore } = this.desk.settings.vault;
    const path = this.#notePath();
    const rest = filtered(reply.results, {
      self: path,
      minScore,
      isLinked: this.#unlinkedOnly ? (other) => this.#links(other).length > 0 : null,
    });
    const shown = arranged(rest.kept, marksOf(marks, path ?? ""));
    this.#absence = shown.length > 0 ? null : absence(rest, minScore);
    if (isKnown) this.list.merge(shown);
    else this.list.replace(shown);
    this.#drawInfo(shown.length, path);
    this.say();
  }

  async #missed(error: unknown, session: Session, target: Target): Promise<void> {
    if (asServerError(error).status !== 404 || target.kind === "text") {
      this.fail(error);
      return;
    }
    this.#absence = await whatIsMissing(session, target.path);
    this.list.replace([]);
    this.say();
  }

  #drawInfo(shown: number, path: string | null): void {
    this.infoEl.empty();
    if (shown > 0) this.infoEl.createSpan({ text: count(shown, "note", "notes") });
    const { settings } = this.desk;
    const note = path ?? "";
    const { hidden } = marksOf(settings.vault.marks, note);
    if (hidden.length === 0) return;
    const text = `Show ${hidden.length} hidden`;
    this.infoEl.createEl("button", { cls: "recollect-link", text }).onclick = (): void => {
      void settings.setVault("marks", withoutHidden(settings.vault.marks, note));
    };
  }

  #notePath(): string | null {
    return this.#target && "path" in this.#target ? this.#target.path : null;
  }

  #links(other: string): readonly string[] {
    const path = this.#notePath();
    const { resolvedLinks } = this.app.metadataCache;
    if (path === null) return [];
    const badges = [];
    if (resolvedLinks[path]?.[other]) badges.push("linked");
    if (resolvedLinks[other]?.[path]) badges.push("backlink");
    return badges;
  }

  #badges(result: Result): readonly string[] {
    const { pinned } = marksOf(this.desk.settings.vault.marks, this.#notePath() ?? "");
    const links = this.#links(result.path);
    return pinned.includes(result.path) ? ["pinned", ...links] : links;
  }

  #addItems(menu: Menu, place: Place): void {
    const note = this.#notePath();
    if (note === null) return;
    const { settings } = this.desk;
    const { marks } = settings.vault;
    const isPinned = marksOf(marks, note).pinned.includes(place.path);
    const mark = (as: Mark, isSet: boolean) => (): unknown =>
      settings.setVault("marks", withMark(marks, note, place.path, as, isSet));
    addItem(menu, isPinned ? "Unpin here" : "Pin here", "pin", mark("pinned", !isPinned));
    addItem(menu, "Hide here", "eye-off", mark("hidden", true));
  }

  #drop(event: DragEvent): void {
    const what = dropped(this.app, event);
    if (!what) return;
    event.preventDefault();
    event.stopPropagation();
    this.hold("note" in what ? { kind: "note", path: what.note } : textTarget(what.text));
  }
}

function titleOf(target: Target | null): string {
  switch (target?.kind) {
    case "note":
      return target.path.replace(/^.*\//, "").replace(/\.md$/, "");
    case "section":
      return target.name;
    case "text":
      return `“${target.text.trim().slice(0, 80)}”`;
    default:
      return "";
  }
}

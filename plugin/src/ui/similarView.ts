/** The similar notes panel: follows the active note, or stays pinned to a note or text. */

import { type Menu, type ViewStateResult } from "obsidian";
import { asServerError, type Client } from "../client";
import type { Result, SearchReply } from "../contract";
import type { Marks } from "../settings";
import { Timer } from "../support";
import { link, setActive, toggle, toolbar } from "./controls";
import type { Explanation } from "./explain";
import { count } from "../format";
import { foundBy, isLocal } from "../local/reply";
import { marksOf, withMark, withoutHidden, type Mark } from "./marks";
import { addItem } from "./menu";
import { noteAt, type Place } from "./open";
import { arranged } from "./ranking";
import { ResultsView } from "./resultsView";
import { SEARCH_VIEW } from "./searchView";
import { isFirstState } from "./setup";
import { emptyMessage, filtered, openANote, explainMissingNote } from "./similarNotes";
import { activeTarget, dropped, isSameTarget, restoredTarget, titleOf, type Target } from "./target";
import { t } from "../texts";

export const SIMILAR_VIEW = "notewell-similar";

const FOLLOW_AFTER_MS = 300;
const CURSOR_EVERY_MS = 1_000;

export class SimilarView extends ResultsView<Target> {
  override icon = "files";
  #target: Target | null = null;
  #emptyMessage: Explanation | null = openANote();
  #unlinkedOnly = false;
  #hasWeak = false; // whether weak matches were asked for
  #isPinned = false;
  #pinEl!: HTMLElement;
  #unlinkedEl!: HTMLElement;
  #titleEl!: HTMLElement;

  override getViewType(): string {
    return SIMILAR_VIEW;
  }

  override getDisplayText(): string {
    return t("Similar notes");
  }

  override getState(): Record<string, unknown> {
    const target = this.#isPinned ? this.#target : null;
    return { ...super.getState(), target, unlinked: this.#unlinkedOnly };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const saved = (state ?? {}) as { target?: unknown; unlinked?: unknown };
    this.#unlinkedOnly = saved.unlinked === true;
    setActive(this.#unlinkedEl, this.#unlinkedOnly);
    const target = restoredTarget(saved.target);
    if (target) this.pinTo(target);
    else this.#follow();
  }

  protected override async onOpen(): Promise<void> {
    const { contentEl, app } = this;
    const followTimer = new Timer();
    this.#drawHeader(contentEl);
    this.build();
    this.registerEvent(
      app.workspace.on("file-open", () => followTimer.set(FOLLOW_AFTER_MS, () => this.#follow())),
    );
    this.registerEvent(app.workspace.on("layout-change", () => this.showMessage()));
    this.registerDomEvent(contentEl, "dragover", (event) => event.preventDefault());
    this.registerDomEvent(contentEl, "drop", (event) => this.#drop(event));
    // The app has no event for cursor movements, so the cursor is polled while that matters.
    const followCursor = (): void => {
      if (this.context.settings.chosen.followSection && this.containerEl.isShown()) this.#follow();
    };
    this.registerInterval(window.setInterval(followCursor, CURSOR_EVERY_MS));
    this.register(() => followTimer.clear());
    this.#follow();
  }

  /** Shows the notes similar to `target`, and stays with it. */
  pinTo(target: Target): void {
    this.#isPinned = true;
    setActive(this.#pinEl, true);
    this.#retarget(target);
  }

  override focusTop(): void {
    this.#pinEl.focus();
  }

  override badges({ path }: Result): readonly string[] {
    const links = this.#links(path);
    return this.#marks.pinned.includes(path) ? ["pinned", ...links] : links;
  }

  override addItems(menu: Menu, { path }: Place): void {
    const note = this.#notePath;
    if (!note) return;
    const { settings } = this.context;
    const add = (title: string, icon: string, mark: Mark, isSet: boolean): void =>
      addItem(menu, title, icon, () =>
        settings.set("marks", withMark(settings.chosen.marks, note, path, mark, isSet)),
      );
    const isPinned = this.#marks.pinned.includes(path);
    add(isPinned ? t("Unpin here") : t("Pin here"), "pin", "pinned", !isPinned);
    add(t("Hide here"), "eye-off", "hidden", true);
  }

  /** What the search panel tells, this one does not repeat. */
  protected override showMessage(): void {
    const { settings, connection } = this.context;
    const isDismissed = isFirstState(connection.state) && !settings.chosen.offersHelper;
    super.showMessage(isDismissed || this.app.workspace.getLeavesOfType(SEARCH_VIEW).some(({ view }) => view.containerEl.isShown()));
  }

  protected override emptyMessage(): Explanation | null {
    return this.#emptyMessage;
  }

  protected override answer(target: Target): Promise<SearchReply> | null {
    const { connection, local, settings } = this.context;
    if (connection.session) return null; // similar notes by words for a moment would only flicker
    const limit = settings.chosen.resultLimit + this.#marks.hidden.length + 1;
    return local.similar(target.kind === "note" ? target : { text: target.text }, limit, this.#unlinkedOnly);
  }

  protected override refresh(): void {
    if (this.#target) this.live.again(this.#target);
    else this.live.cancel();
  }

  protected override settingsChanged(): void {
    const { leastMatch } = this.context.settings.chosen;
    if (leastMatch === "weak" && !this.#hasWeak) this.refresh(); // they were not asked for
    else if (this.reply) this.#draw(this.reply, false);
  }

  #drawHeader(parent: HTMLElement): void {
    const buttons = toolbar(parent);
    this.#pinEl = toggle(buttons, "pin", t("Pin this note"), (isOn) => {
      this.#isPinned = isOn;
      if (!isOn) this.#follow();
      this.saveLayout();
    });
    this.#unlinkedEl = toggle(buttons, "unlink", t("Only notes that are not linked"), (isOn) => {
      this.#unlinkedOnly = isOn;
      this.refresh();
      this.saveLayout();
    });
    this.expandAllToggle(buttons);
    this.#titleEl = parent.createDiv("notewell-target");
  }

  #follow(): void {
    if (this.#isPinned) return;
    this.#retarget(activeTarget(this.app, this.context.settings.chosen.followSection));
  }

  #retarget(target: Target | null): void {
    if (isSameTarget(target, this.#target)) return;
    this.#target = target;
    this.reply = null;
    this.#emptyMessage = target ? null : openANote();
    this.failure = null;
    this.#titleEl.setText(target ? titleOf(target) : "");
    // Results of the earlier note must not stay while the request is pending.
    this.list.replace([]);
    this.infoEl.empty();
    this.showMessage();
    this.refresh();
  }

  protected override request(client: Client, target: Target): Promise<SearchReply> {
    // The note itself and hidden notes are removed from the reply.
    const { resultLimit, leastMatch } = this.context.settings.chosen;
    const limit = resultLimit + this.#marks.hidden.length + 1;
    const weak = (this.#hasWeak = leastMatch === "weak");
    if (target.kind !== "note") return client.similarText(target.text, limit, weak);
    return client.similar(target.path, { limit, unlinked: this.#unlinkedOnly, ...(weak && { weak }) });
  }

  protected override show(reply: SearchReply): void {
    const isUpdate = this.reply !== null;
    // Words shared with a whole note say little, so nothing is highlighted.
    // What two notes share is the whole reason without a server; beside a server's ranking it is only long.
    const results = reply.results.map((result) => ({ ...result, highlights: [], reasons: isLocal(reply) ? result.reasons : [] }));
    this.reply = { ...reply, results };
    this.#draw(this.reply, isUpdate);
  }

  #draw({ results }: SearchReply, isUpdate: boolean): void {
    const { leastMatch, resultLimit } = this.context.settings.chosen;
    const rest = filtered(results, {
      self: this.#notePath,
      least: leastMatch,
      isLinked: this.#unlinkedOnly ? (path) => this.#links(path).length > 0 : null,
    });
    const shown = arranged(rest.shown, this.#marks).slice(0, resultLimit);
    this.#emptyMessage = shown.length > 0 ? null : emptyMessage(rest);
    if (isUpdate) this.list.merge(shown);
    else this.list.replace(shown);
    this.#drawInfo(shown.length);
  }

  /** For a note that the server does not have, shows why instead of an error. */
  protected override fail(error: unknown): void {
    const target = this.#target;
    const { session } = this.context.connection;
    if (!session || target?.kind !== "note" || asServerError(error).status !== 404) {
      super.fail(error);
      return;
    }
    void explainMissingNote(session, target.path).then((missing) => {
      if (target !== this.#target) return;
      this.#emptyMessage = missing;
      this.list.replace([]);
      this.showMessage();
    });
  }

  #drawInfo(shown: number): void {
    this.infoEl.empty();
    if (shown > 0) this.infoEl.createSpan({ text: count(shown, "note") });
    if (shown > 0 && this.reply && isLocal(this.reply)) {
      this.infoEl.createSpan({ cls: "notewell-words-only", text: ` · ${foundBy(this.reply)}` });
    }
    for (const text of this.reply && isLocal(this.reply) ? this.reply.warnings : []) this.infoEl.createDiv({ text });
    const hidden = this.#marks.hidden.length;
    if (hidden === 0) return;
    const { settings } = this.context;
    link(this.infoEl, t("Show {hidden} hidden", { hidden }), () =>
      settings.set("marks", withoutHidden(settings.chosen.marks, this.#notePath)),
    );
  }

  /** The path of the target note; empty where the target is a text. */
  get #notePath(): string {
    return this.#target && "path" in this.#target ? this.#target.path : "";
  }

  get #marks(): Marks {
    return marksOf(this.context.settings.chosen.marks, this.#notePath);
  }

  #links(path: string): readonly string[] {
    const { resolvedLinks } = this.app.metadataCache;
    const own = this.#notePath;
    const other = noteAt(this.app, path)?.path ?? path;
    const badges = [];
    if (resolvedLinks[own]?.[other]) badges.push(t("linked"));
    if (resolvedLinks[other]?.[own]) badges.push(t("backlink"));
    return badges;
  }

  #drop(event: DragEvent): void {
    const target = dropped(this.app, event);
    if (!target) return;
    event.preventDefault();
    event.stopPropagation();
    this.pinTo(target);
  }
}

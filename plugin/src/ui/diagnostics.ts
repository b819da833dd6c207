/** Information for finding errors: shown in a view, and as text to copy. */

import { ItemView, Platform, type WorkspaceLeaf } from "obsidian";
import { asServerError, type RequestEntry } from "../client";
import { title } from "./controls";
import type { ViewContext } from "./viewContext";
import { activePath } from "./open";
import { longStatus } from "./statusText";
import { t } from "../texts";

export const DIAGNOSTICS_VIEW = "notewell-diagnostics";

export interface DiagnosticsParts {
  readonly context: ViewContext;
  readonly version: string;
  readonly requests: readonly RequestEntry[];
  readonly queue: () => readonly string[];
  readonly rejected: readonly string[];
  readonly log: readonly string[];
}

/** A report to share: it contains no token, and no names or contents of notes. */
export function diagnosticsText({ context, version, requests, rejected }: DiagnosticsParts): string {
  const { session, lastStatus, state } = context.connection;
  return [
    `Notewell ${version}, server ${session?.version}`,
    `Platform: ${JSON.stringify(Platform)}`,
    `Mode: ${context.settings.chosen.mode}, state: ${state.name}`,
    `Features: ${session?.features.join(" ")}`,
    `Generation: ${lastStatus?.generation}`,
    ...longStatus(context),
    `Rejected changes: ${rejected.length}`,
    "Requests:",
    ...requests.map(
      ({ at, route, outcome, ms }) => `${new Date(at).toISOString()} ${route} ${outcome} ${ms} ms`,
    ),
  ].join("\n");
}

export class DiagnosticsView extends ItemView {
  override icon = "activity";
  readonly #parts: DiagnosticsParts;
  #note: readonly string[] = [];

  constructor(leaf: WorkspaceLeaf, parts: DiagnosticsParts) {
    super(leaf);
    this.#parts = parts;
  }

  override getViewType(): string {
    return DIAGNOSTICS_VIEW;
  }

  override getDisplayText(): string {
    return t("Notewell diagnostics");
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.addClass("notewell-diagnostics");
    const load = (): void => void this.#loadNote();
    this.register(this.#parts.context.connection.subscribe(() => this.#draw()));
    this.registerEvent(this.app.workspace.on("file-open", load));
    load();
  }

  /** Loads the ledger row and the chunks of the active note. */
  async #loadNote(): Promise<void> {
    const { session } = this.#parts.context.connection;
    const path = activePath(this.app);
    if (session && path !== undefined) {
      const note = [path];
      try {
        const { entries } = await session.client.ledger({ path });
        note.push(...entries.map((row) => JSON.stringify(row)));
        const { chunks } = await session.client.noteChunks(path);
        for (const { heading, line, chars } of chunks ?? []) {
          note.push(`Line ${line}, ${chars} characters: ${heading ?? ""}`);
        }
      } catch (error) {
        note.push(asServerError(error).message);
      }
      this.#note = note;
    }
    this.#draw();
  }

  #draw(): void {
    const { queue, rejected, log } = this.#parts;
    const section = (name: string, lines: readonly string[]): void => {
      title(this.contentEl, name);
      this.contentEl.createEl("pre", { text: lines.join("\n") });
    };
    this.contentEl.empty();
    section("Server", [diagnosticsText(this.#parts)]);
    section("Active note", this.#note);
    section("Unsent changes", queue());
    section("Rejected changes", rejected);
    section("Log of the program", log);
  }
}

/** What to look at when something is wrong: for the eyes in a view, and as text to copy. */

import { ItemView, Platform, type WorkspaceLeaf } from "obsidian";
import { asServerError, type RequestEntry } from "../client";
import { title } from "./controls";
import type { Desk } from "./desk";
import { longStatus } from "./statusText";

export const DIAGNOSTICS_VIEW = "recollect-diagnostics";

export interface DiagnosticsParts {
  readonly desk: Desk;
  readonly version: string;
  readonly requests: readonly RequestEntry[];
  readonly queue: () => readonly string[];
  readonly rejected: readonly string[];
  readonly log: readonly string[];
}

/** Says nothing of the notes, not even their names, and no token: it is made to be shown around. */
export function diagnosticsText({ desk, version, requests, rejected }: DiagnosticsParts): string {
  const { session, status, state } = desk.connection;
  return [
    `Recollect ${version}, server ${session?.version}`,
    `Platform: ${JSON.stringify(Platform)}`,
    `Mode: ${desk.settings.chosen.mode}, state: ${state.name}`,
    `Features: ${session?.features.join(" ")}`,
    `Generation: ${status?.generation}`,
    ...longStatus(state, desk.waiting()),
    `Refused changes: ${rejected.length}`,
    "Requests:",
    ...requests.map(
      ({ at, route, outcome, ms }) => `${new Date(at).toISOString()} ${route} ${outcome} ${ms} ms`,
    ),
  ].join("\n");
}

export class DiagnosticsView extends ItemView {
  readonly #parts: DiagnosticsParts;
  #note: readonly string[] = [];

  constructor(leaf: WorkspaceLeaf, parts: DiagnosticsParts) {
    super(leaf);
    this.#parts = parts;
    this.icon = "activity";
  }

  override getViewType(): string {
    return DIAGNOSTICS_VIEW;
  }

  override getDisplayText(): string {
    return "Recollect diagnostics";
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.addClass("recollect-diagnostics");
    const look = (): void => void this.#look();
    this.register(this.#parts.desk.connection.subscribe(() => this.#draw()));
    this.registerEvent(this.app.workspace.on("file-open", look));
    look();
  }

  /** Asks for the ledger's entry of the active note and for its chunks. */
  async #look(): Promise<void> {
    const { session } = this.#parts.desk.connection;
    const path = this.app.workspace.getActiveFile()?.path;
    if (session && path !== undefined) {
      this.#note = [path];
      try {
        const { entries } = await session.client.ledger({ path });
        this.#note = entries.map((row) => JSON.stringify(row));
        const { chunks = [] } = await session.client.note(path);
        const lines = chunks.map(
          ({ heading, line, chars }) => `Line ${line}, ${chars} characters: ${heading ?? ""}`,
        );
        this.#note = [...this.#note, ...lines];
      } catch (error) {
        this.#note = [...this.#note, asServerError(error).message];
      }
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
    section("Changes not sent", queue());
    section("Changes refused", rejected);
    section("Log of the program", log);
  }
}

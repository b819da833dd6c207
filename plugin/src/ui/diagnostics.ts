/** What to look at when something is wrong: for the eyes in a view, and as text to copy. */

import { ItemView, Platform, type WorkspaceLeaf } from "obsidian";
import { asServerError, type RequestEntry } from "../client";
import type { Desk } from "./desk";
import { longStatus } from "./statusText";

export const DIAGNOSTICS_VIEW = "recollect-diagnostics";

export interface DiagnosticsParts {
  readonly desk: Desk;
  readonly version: string;
  readonly requests: () => readonly RequestEntry[];
  readonly queue: () => readonly string[];
  readonly rejected: () => readonly string[];
  readonly log: () => readonly string[];
}

/** Says nothing of the notes, not even their names, and no token: it is made to be shown around. */
export function diagnosticsText(parts: DiagnosticsParts): string {
  const { connection, settings } = parts.desk;
  const { session, status, state } = connection;
  return [
    `Recollect ${parts.version}, server ${session?.version}`,
    `Platform: ${JSON.stringify(Platform)}`,
    `Mode: ${settings.device.mode}, state: ${state.name}`,
    `Features: ${session?.features.join(" ")}`,
    `Generation: ${status?.generation}`,
    ...longStatus(state, parts.desk.waiting()),
    `Refused changes: ${parts.rejected().length}`,
    "Requests:",
    ...parts.requests().map(requestLine),
  ].join("\n");
}

export class DiagnosticsView extends ItemView {
  readonly #parts: DiagnosticsParts;
  #note = "";

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

  /** Asks for the ledger's entry of the active note and where its chunks begin. */
  async #look(): Promise<void> {
    const { session } = this.#parts.desk.connection;
    const path = this.app.workspace.getActiveFile()?.path;
    try {
      if (session && path !== undefined) {
        const { entries } = await session.client.ledger({ path });
        this.#note = JSON.stringify(entries, null, 1);
        const { chunks, headings } = await session.client.note(path);
        this.#note += JSON.stringify(chunks ?? headings, null, 1);
      }
    } catch (error) {
      this.#note += asServerError(error).message;
    }
    this.#draw();
  }

  #draw(): void {
    const { queue, rejected, log } = this.#parts;
    const section = (title: string, text: string): void => {
      this.contentEl.createDiv({ cls: "recollect-title", text: title });
      this.contentEl.createEl("pre", { text });
    };
    this.contentEl.empty();
    section("Server", diagnosticsText(this.#parts));
    section("Active note", this.#note);
    section("Changes not sent", queue().join("\n"));
    section("Changes refused", rejected().join("\n"));
    section("Log of the search program", log().join("\n"));
  }
}

function requestLine({ at, route, outcome, ms }: RequestEntry): string {
  return `${new Date(at).toISOString()} ${route} ${outcome} ${ms} ms`;
}

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
    `Recollect ${parts.version}, server ${session?.version ?? "unknown"}`,
    `Platform: ${platform()}, server mode: ${settings.device.mode}`,
    `State: ${state.name}${state.name === "offline" ? ` (${state.reason})` : ""}`,
    `Features: ${session?.features.join(" ") ?? "none"}`,
    `Generation: ${status?.generation ?? "unknown"}`,
    ...longStatus(state, parts.desk.waiting()),
    `Refused changes: ${parts.rejected().length}`,
    "Requests:",
    ...parts.requests().map(requestLine),
  ].join("\n");
}

export class DiagnosticsView extends ItemView {
  readonly #parts: DiagnosticsParts;

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
    const { connection } = this.#parts.desk;
    const isSeen = (): boolean => this.containerEl.isShown();
    this.register(connection.subscribe(() => void (isSeen() && this.#draw())));
    this.registerEvent(this.app.workspace.on("file-open", () => void this.#draw()));
    await this.#draw();
  }

  async #draw(): Promise<void> {
    const parts = this.#parts;
    const note = await this.#activeNote();
    this.contentEl.empty();
    this.#section("Server", diagnosticsText(parts));
    this.#section("Active note", note);
    this.#section("Changes not sent", parts.queue().join("\n"));
    this.#section("Changes refused", parts.rejected().join("\n"));
    this.#section("Log of the search program", parts.log().join("\n"));
  }

  #section(title: string, text: string): void {
    this.contentEl.createDiv({ cls: "recollect-title", text: title });
    this.contentEl.createEl("pre", { text: text || "Nothing." });
  }

  /** The ledger's entry of the active note, and its chunks where the server tells them. */
  async #activeNote(): Promise<string> {
    const { session } = this.#parts.desk.connection;
    const file = this.app.workspace.getActiveFile();
    if (!session || !file) return "";
    try {
      const { entries } = await session.client.ledger({ path: file.path });
      const { headings, chunks } = await session.client.note(file.path);
      const passages = chunks?.map(({ line, heading }) => `line ${line}: ${heading ?? ""}`);
      return [
        ...entries.map((entry) => JSON.stringify(entry, null, 1)),
        ...(passages ?? [`${headings.length} headings`]),
      ].join("\n");
    } catch (error) {
      return asServerError(error).message;
    }
  }
}

function requestLine({ at, route, outcome, ms }: RequestEntry): string {
  return `${new Date(at).toISOString()} ${route} ${outcome} ${ms} ms`;
}

function platform(): string {
  const names = ["isIosApp", "isAndroidApp", "isWin", "isMacOS", "isLinux"] as const;
  return names.find((name) => Platform[name])?.slice(2) ?? "unknown";
}

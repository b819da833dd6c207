/** Information for finding errors: shown in a view, and as text to copy. */

import { ItemView, Platform, type WorkspaceLeaf } from "obsidian";
import type { RequestEntry } from "../client";
import { title } from "./controls";
import type { ViewContext } from "./viewContext";
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
    this.register(this.#parts.context.connection.subscribe(() => this.#draw()));
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
    section("Unsent changes", queue());
    section("Rejected changes", rejected);
    section("Log of the program", log);
  }
}

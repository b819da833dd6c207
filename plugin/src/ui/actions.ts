/**
 * Everything a person can ask for, in one list: it becomes the commands, the status bar's menu and
 * the buttons of messages. An action shows only while it can be done.
 */

import { MarkdownView, Notice, type App, type Command, type Menu } from "obsidian";
import type { Session } from "../connection";
import type { Server } from "../server";
import type { Desk } from "./desk";
import { askAboutGone, confirm, fullReindexQuestion, startQuestion, told } from "./dialogs";
import type { ActionName } from "./explain";
import { FailuresModal } from "./failures";
import { addItem, copyText } from "./menu";
import { QuickSearch } from "./quickSearch";
import { showDiagnostics, showSearch, showSimilar } from "./reveal";
import { insertSimilarLink } from "./similarSuggest";
import { longStatus } from "./statusText";
import { textTarget } from "./target";

/** An icon makes an action an entry of the status bar's menu. */
export type Action = readonly [
  id: ActionName,
  name: string,
  run: () => unknown,
  can?: () => unknown,
  icon?: string,
];

export interface ActionParts {
  readonly desk: Desk;
  readonly server: Server;
  readonly diagnostics: () => string;
  readonly pluginId: string;
}

/** The app's settings window, which is not in its public typings. */
interface SettingsWindow {
  open(): void;
  openTabById(id: string): void;
}

const always = (): boolean => true;

export function actions(parts: ActionParts): readonly Action[] {
  return [...ofSearching(parts), ...ofTheIndex(parts), ...ofTheServer(parts)];
}

/** An action as the app's command palette takes it. */
export function commandOf([id, name, run, can = always]: Action): Command {
  return {
    id,
    name,
    checkCallback: (isChecking) => {
      const isPossible = Boolean(can());
      if (isPossible && !isChecking) void run();
      return isPossible;
    },
  };
}

/** Adds the actions that have an icon and can be done. */
export function addActions(menu: Menu, all: readonly Action[]): void {
  for (const [, name, run, can = always, icon] of all) {
    if (icon && can()) addItem(menu, name, icon, run);
  }
}

function ofSearching({ desk }: ActionParts): Action[] {
  const { app, connection } = desk;
  const view = (): MarkdownView | null => app.workspace.getActiveViewOfType(MarkdownView);
  const selection = (): string => view()?.editor.getSelection().trim() ?? "";
  const similar = (): unknown => showSimilar(app, textTarget(selection()));
  const insert = (): unknown => insertSimilarLink(desk, view());
  const isInNote = (): boolean => !!view()?.file;
  return [
    ["open-search", "Open search", () => showSearch(app), always, "search"],
    ["open-similar", "Open similar notes", () => showSimilar(app)],
    ["quick-search", "Quick search", () => new QuickSearch(desk, selection()).open()],
    ["similar-to-selection", "Find notes similar to selection", similar, selection],
    ["insert-similar-link", "Insert link to similar note", insert, () => connection.session && isInNote()],
    [
      "open-graph",
      "Open the graph around this note",
      () => openGraph(desk),
      () => connection.has("graph_view") && isInNote(),
    ],
  ];
}

function ofTheIndex({ desk }: ActionParts): Action[] {
  const { app, connection } = desk;
  const { has } = connection;
  const isPaused = (): boolean => connection.status?.queue.paused ?? false;
  const canReindex = (): boolean => has("reindex");
  /** Asks the server for something, says how that went, and shows at once what it changed. */
  const ask = async (request: (client: Session["client"]) => Promise<unknown>): Promise<void> => {
    if (!connection.session) return;
    await told(request(connection.session.client));
    await connection.check();
  };
  const reindexAll = async (): Promise<void> => {
    const isAgreed = await confirm(app, fullReindexQuestion(noteCount(app)));
    if (isAgreed) await ask((client) => client.reindex({ full: true }));
  };
  const decide = (): void => {
    const guard = connection.status?.guard;
    if (guard) askAboutGone(app, guard, (remove) => ask((client) => client.guard(remove)));
  };
  const reindex = (): unknown => ask((client) => client.reindex({}));
  const pause = (): unknown => ask((client) => client.queue("pause"));
  const resume = (): unknown => ask((client) => client.queue("resume"));
  const status = (): unknown =>
    new Notice(longStatus(connection.state, desk.waiting()).join("\n"), 10_000);
  const errors = (): unknown =>
    connection.session && new FailuresModal(app, connection.session).open();
  return [
    ["status", "Show index status", status, always, "info"],
    ["reindex", "Reindex changed notes", reindex, canReindex, "refresh-cw"],
    ["reindex-all", "Reindex the vault from scratch", reindexAll, canReindex],
    ["pause", "Pause indexing", pause, () => has("queue") && !isPaused(), "pause"],
    ["resume", "Resume indexing", resume, () => has("queue") && isPaused(), "play"],
    ["errors", "Show notes with errors", errors, () => has("ledger"), "alert-triangle"],
    ["missing", "Decide about missing notes", decide, () => connection.status?.guard, "file-x"],
  ];
}

function ofTheServer({ desk, server, diagnostics, pluginId }: ActionParts): Action[] {
  const { app, connection, settings } = desk;
  const isOffline = (): boolean => !connection.session;
  const canStop = (): boolean => !isOffline() && settings.device.mode === "local";
  const stop = (): unknown => {
    server.stop();
    return connection.reset();
  };
  const copy = (): unknown => copyText(diagnostics(), "Copied. It holds no names and no text.");
  const openSettings = (): void => {
    const { setting } = app as App & { setting?: SettingsWindow };
    setting?.open();
    setting?.openTabById(pluginId);
  };
  return [
    ["start", "Start the search program", () => start(desk, server), isOffline, "power"],
    ["stop", "Stop the search program", stop, canStop, "power-off"],
    ["connect", "Try to connect", () => connection.reset(), isOffline, "plug"],
    ["copy-diagnostics", "Copy diagnostics", copy],
    ["open-diagnostics", "Open diagnostics", () => showDiagnostics(app), () => settings.vault.diagnostics],
    ["settings", "Open settings", openSettings, always, "settings"],
  ];
}

/** Starting for the first time is asked about, once for each vault on each computer. */
async function start(desk: Desk, server: Server): Promise<void> {
  const { app, connection, settings, act } = desk;
  if (!server.isPossibleHere) {
    act("settings"); // as on phones, where only an address will do
    return;
  }
  const program = await server.program();
  const mayStart =
    program === null ||
    settings.device.startAgreed ||
    (await confirm(app, startQuestion(program, noteCount(app))));
  if (!mayStart) return;
  server.start(program !== null);
  await connection.reset();
}

/** The web page signs in by its address, as it does from a terminal. */
function openGraph({ app, connection }: Desk): void {
  const { session } = connection;
  const path = app.workspace.getActiveFile()?.path ?? "";
  if (!session) return;
  const { url, token } = session.client.endpoint;
  const query = new URLSearchParams({ token, vault: session.vault.id });
  window.open(`${url}/?${query}#graph=${encodeURIComponent(path)}`);
}

function noteCount(app: App): number {
  return app.vault.getMarkdownFiles().length;
}

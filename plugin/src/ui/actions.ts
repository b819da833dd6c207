/**
 * Everything a person can ask for, in one list: it becomes the commands, the status bar's menu and
 * the buttons of messages. An action shows only while it can be done.
 */

import { MarkdownView, Notice, type App, type Command } from "obsidian";
import type { Session } from "../connection";
import type { Server } from "../server";
import type { Desk } from "./desk";
import { askAboutGone, confirm, fullReindexQuestion, startQuestion, told } from "./dialogs";
import type { ActionName } from "./explain";
import { FailuresModal } from "./failures";
import { copyText } from "./menu";
import { QuickSearch } from "./quickSearch";
import { showDiagnostics, showSearch, showSimilar } from "./reveal";
import { insertSimilarLink } from "./similarSuggest";
import { longStatus } from "./statusText";
import { textTarget } from "./target";

export interface Action {
  readonly id: ActionName;
  readonly name: string;
  /** An icon makes it an entry of the status bar's menu. */
  readonly icon?: string;
  readonly can: () => boolean;
  readonly run: () => unknown;
}

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

/** An action as the app's command palette takes it. */
export function commandOf({ id, name, can, run }: Action): Command {
  return {
    id,
    name,
    checkCallback: (isChecking) => {
      const isPossible = can();
      if (isPossible && !isChecking) void run();
      return isPossible;
    },
  };
}

export function actions(parts: ActionParts): readonly Action[] {
  return [
    ...ofSearching(parts),
    ...ofTheIndex(parts),
    ...ofTheQueue(parts),
    ...ofTheServer(parts),
  ];
}

function ofSearching({ desk }: ActionParts): Action[] {
  const { app, connection } = desk;
  const note = (): MarkdownView | null => app.workspace.getActiveViewOfType(MarkdownView);
  const selection = (): string => note()?.editor.getSelection().trim() ?? "";
  return [
    { id: "open-search", name: "Open search", icon: "search", can: always, run: () => showSearch(app) },
    { id: "open-similar", name: "Open similar notes", can: always, run: () => showSimilar(app) },
    {
      id: "quick-search",
      name: "Quick search",
      can: always,
      run: () => new QuickSearch(desk, selection()).open(),
    },
    {
      id: "similar-to-selection",
      name: "Find notes similar to selection",
      can: () => selection() !== "",
      run: () => showSimilar(app, textTarget(selection())),
    },
    {
      id: "insert-similar-link",
      name: "Insert link to similar note",
      can: () => connection.session !== null && !!note()?.file,
      run: () => {
        const view = note();
        return view?.file && insertSimilarLink(desk, view.editor, view.file);
      },
    },
    {
      id: "open-graph",
      name: "Open the graph around this note",
      can: () => connection.has("graph") && !!note()?.file,
      run: () => openGraph(desk),
    },
  ];
}

function ofTheIndex({ desk }: ActionParts): Action[] {
  const { app, connection } = desk;
  const ask = asking(desk);
  return [
    {
      id: "status",
      name: "Show index status",
      icon: "info",
      can: always,
      run: () => new Notice(longStatus(connection.state, desk.waiting()).join("\n"), 10_000),
    },
    {
      id: "reindex",
      name: "Reindex changed notes",
      icon: "refresh-cw",
      can: () => connection.has("reindex"),
      run: () => ask(({ client }) => client.reindex({}), "Looking for changed notes."),
    },
    {
      id: "reindex-all",
      name: "Reindex the vault from scratch",
      can: () => connection.has("reindex"),
      run: async () => {
        const question = fullReindexQuestion(noteCount(app));
        if (await confirm(app, question)) await ask(({ client }) => client.reindex({ full: true }));
      },
    },
  ];
}

function ofTheQueue({ desk }: ActionParts): Action[] {
  const { app, connection } = desk;
  const ask = asking(desk);
  const isPaused = (): boolean => connection.status?.queue.paused ?? false;
  return [
    {
      id: "pause",
      name: "Pause indexing",
      icon: "pause",
      can: () => connection.has("queue") && !isPaused(),
      run: () => ask(({ client }) => client.queue("pause")),
    },
    {
      id: "resume",
      name: "Resume indexing",
      icon: "play",
      can: () => connection.has("queue") && isPaused(),
      run: () => ask(({ client }) => client.queue("resume")),
    },
    {
      id: "errors",
      name: "Show notes that could not be indexed",
      icon: "alert-triangle",
      can: () => connection.has("ledger"),
      run: () => connection.session && new FailuresModal(app, connection.session).open(),
    },
    {
      id: "missing",
      name: "Decide about missing notes",
      can: () => connection.has("guard") && !!connection.status?.guard,
      run: () => {
        const guard = connection.status?.guard;
        const answer = (remove: boolean): unknown => ask(({ client }) => client.guard(remove));
        if (guard) askAboutGone(app, guard, answer);
      },
    },
  ];
}

function ofTheServer({ desk, server, diagnostics, pluginId }: ActionParts): Action[] {
  const { app, connection, settings } = desk;
  return [
    {
      id: "start",
      name: "Start the search program",
      icon: "power",
      can: () => connection.session === null && server.isPossibleHere,
      run: () => start(desk, server),
    },
    {
      id: "stop",
      name: "Stop the search program",
      icon: "power-off",
      can: () => connection.session !== null && settings.device.mode === "local",
      run: () => {
        server.stop();
        return connection.reset();
      },
    },
    {
      id: "connect",
      name: "Try to connect",
      icon: "plug",
      can: () => connection.session === null,
      run: () => connection.reset(),
    },
    {
      id: "copy-diagnostics",
      name: "Copy diagnostics",
      can: always,
      run: () => copyText(diagnostics(), "Diagnostics copied. They hold no names and no text."),
    },
    {
      id: "open-diagnostics",
      name: "Open diagnostics",
      can: () => settings.vault.diagnostics,
      run: () => showDiagnostics(app),
    },
    {
      id: "settings",
      name: "Open settings",
      icon: "settings",
      can: always,
      run: () => openSettings(app, pluginId),
    },
  ];
}

/** Asks the server for something, says how that went, and shows at once what it changed. */
function asking({ connection }: Desk) {
  return async (request: (session: Session) => Promise<unknown>, done?: string): Promise<void> => {
    if (!connection.session) return;
    await told(request(connection.session), done);
    await connection.check();
  };
}

/** Starting for the first time is asked about, once for each vault on each computer. */
async function start({ app, connection, settings }: Desk, server: Server): Promise<void> {
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
  const path = app.workspace.getActiveFile()?.path;
  if (!session || path === undefined) return;
  const { url, token } = session.client.endpoint;
  const query = new URLSearchParams({ token, vault: session.vault.id });
  window.open(`${url}/?${query.toString()}#graph=${encodeURIComponent(path)}`);
}

function openSettings(app: App, pluginId: string): void {
  const { setting } = app as App & { setting?: SettingsWindow };
  setting?.open();
  setting?.openTabById(pluginId);
}

function noteCount(app: App): number {
  return app.vault.getMarkdownFiles().length;
}

/**
 * Everything a user can start, in one list: it becomes the commands, the status bar's menu and the
 * buttons of messages. An action is shown only while it can be done.
 */

import { MarkdownView, Menu, Notice, setTooltip, type App, type Command, type Side, type View } from "obsidian";
import type { Session } from "../connection";
import type { Server } from "../server";
import { ask, ASK_VIEW, AskView } from "./askView";
import { DIAGNOSTICS_VIEW } from "./diagnostics";
import type { ViewContext } from "./viewContext";
import {
  askAboutMissing,
  confirm,
  fullReindexQuestion,
  reindexAllText,
  showFailures,
  startQuestion,
  withNotice,
} from "./dialogs";
import { settingsButton, type ActionName } from "./explain";
import { addItem, copyText } from "./menu";
import { QuickSearch } from "./quickSearch";
import { SEARCH_VIEW, SearchView } from "./searchView";
import { insertSimilarLink } from "./similarNotes";
import { SIMILAR_VIEW, SimilarView } from "./similarView";
import { activePath, openPage } from "./open";
import { openSettingsTab } from "../obsidianApp";
import { ICON } from "./icon";
import { longStatus, shortStatus } from "./statusText";
import { textTarget, type Target } from "./target";
import { t } from "../texts";

/** Actions that have an icon are shown in the status bar's menu; a phone's toolbar shows it as well. */
export type Action = readonly [
  id: ActionName,
  name: string,
  run: () => unknown,
  can: () => unknown,
  icon?: string,
];

export interface ActionParts {
  readonly context: ViewContext;
  readonly server: Server;
  readonly report: () => string;
  readonly pluginId: string;
}

/** The app's command for an action, available only while it can be done. */
export function commandOf([id, name, run, can, icon = ICON]: Action): Command {
  const checkCallback = (isChecking: boolean): boolean => {
    const isPossible = Boolean(can());
    if (isPossible && !isChecking) void run();
    return isPossible;
  };
  return { id, name, icon, checkCallback };
}

const always = (): boolean => true;

export function actions(parts: ActionParts): readonly Action[] {
  return [...searchActions(parts), ...indexActions(parts), ...serverActions(parts)];
}

function searchActions({ context }: ActionParts): Action[] {
  const { app, connection } = context;
  const view = (): MarkdownView | null => app.workspace.getActiveViewOfType(MarkdownView);
  const selection = (): string => view()?.editor.getSelection().trim() ?? "";
  const similar = (): unknown => showSimilar(app, textTarget(selection()));
  const insert = (): unknown => insertSimilarLink(context, view());
  const isInNote = (): boolean => !!view()?.file;
  const hasGraph = (): boolean => connection.has("graph_view") && isInNote();
  const graph = (): unknown => openPage(connection.session, "graph", { path: activePath(app) ?? "" });
  return [
    ["open-search", t("Open search"), () => showSearch(app), always, ICON],
    ["open-similar", t("Open similar notes"), () => showSimilar(app), always, "files"],
    ["ask", ask(), () => showAsk(app), always, "bot"],
    ["tend", t("Tend the vault"), () => openPage(connection.session, "manage/care"), () => connection.has("garden_plans")],
    ["quick-search", t("Quick search"), () => new QuickSearch(context, selection()).open(), always, "zap"],
    ["similar-to-selection", t("Find notes similar to selection"), similar, selection],
    ["insert-similar-link", t("Insert link to similar note"), insert, () => connection.session && isInNote()],
    ["open-graph", t("Open the graph around this note"), graph, hasGraph],
  ];
}

function indexActions({ context }: ActionParts): Action[] {
  const { app, connection, settings } = context;
  const isConnected = (): unknown => connection.session;
  const queue = (isPaused: boolean): boolean => connection.lastStatus?.queue.paused === isPaused;
  const guard = (): unknown => connection.lastStatus?.guard;
  /** Sends a request, shows a notice if it fails, and refreshes the status. */
  const send = async (request: (client: Session["client"]) => Promise<unknown>): Promise<boolean> => {
    if (!connection.session) return false;
    const isDone = await withNotice(request(connection.session.client));
    await connection.check();
    return isDone;
  };
  const reindexAll = async (): Promise<void> => {
    const isAgreed = await confirm(app, fullReindexQuestion(noteCount(app)));
    if (isAgreed) await send((client) => client.reindex({ full: true }));
  };
  const decideAboutMissing = async (): Promise<void> => {
    const missing = connection.lastStatus?.guard;
    const remove = missing ? await askAboutMissing(app, missing) : null;
    if (!missing || remove === null) return;
    const isDone = await send((client) => client.guard(remove));
    if (isDone) await settings.set("guardDecided", missing.since);
  };
  const reindex = (): unknown => send((client) => client.reindex({}));
  const pause = (): unknown => send((client) => client.queue("pause"));
  const resume = (): unknown => send((client) => client.queue("resume"));
  const status = (): unknown =>
    new Notice(longStatus(context).join("\n"), 10_000);
  const errors = (): unknown => connection.session && withNotice(showFailures(app, connection.session));
  return [
    ["status", t("Show index status"), status, always, "info"],
    ["reindex", t("Reindex changed notes"), reindex, isConnected, "refresh-cw"],
    ["reindex-all", reindexAllText(), reindexAll, isConnected],
    ["pause", t("Pause indexing"), pause, () => queue(false), "pause"],
    ["resume", t("Resume indexing"), resume, () => queue(true), "play"],
    ["errors", t("Show notes with errors"), errors, isConnected, "alert-triangle"],
    ["missing", t("Decide about missing notes"), decideAboutMissing, guard, "file-x"],
  ];
}

function serverActions({ context, server, report, pluginId }: ActionParts): Action[] {
  const { app, connection, settings } = context;
  const isOffline = (): boolean => !connection.session;
  // A server at an address is not exchanged for one on this computer by a button beside “Offline”.
  const canStart = (): boolean => isOffline() && server.isPossibleHere && settings.chosen.mode !== "remote";
  const canStop = (): boolean => (!isOffline() || connection.state.name === "starting") && settings.chosen.mode === "local";
  const connect = (): unknown => connection.reset();
  const stop = (): unknown => {
    server.stop();
    return connect();
  };
  const copy = (): unknown => copyText(report(), t("Copied. It contains no names and no text of notes."));
  const openDiagnostics = (): unknown => showDiagnostics(app);
  const openSettings = (): void => openSettingsTab(app, pluginId);
  return [
    ["set-up", t("Set up the helper"), () => showSetup(context), isOffline],
    ["start", t("Start the search program"), () => start(context, server), canStart, "power"],
    ["stop", t("Stop the search program"), stop, canStop, "power-off"],
    ["connect", t("Try to connect"), connect, isOffline, "plug"],
    ["copy-diagnostics", t("Copy diagnostics"), copy, always],
    ["open-diagnostics", t("Open diagnostics"), openDiagnostics, always],
    [...settingsButton(), openSettings, always, "settings"],
  ];
}

/** Starts the server. The first start asks for consent, once for each vault on each computer. */
async function start({ app, connection, settings }: ViewContext, server: Server): Promise<void> {
  const program = await server.program();
  const mayStart =
    program === null ||
    settings.chosen.startAgreed ||
    (await confirm(app, startQuestion(program, noteCount(app))));
  if (!mayStart) return;
  server.start(program !== null);
  await connection.reset();
}

function noteCount(app: App): number {
  return app.vault.getMarkdownFiles().length;
}

export async function showSearch(app: App): Promise<void> {
  (await revealPanel(app, SEARCH_VIEW, "left", SearchView))?.focusTop();
}

/** The first screen is where the search panel's field is empty. */
async function showSetup({ app, settings }: ViewContext): Promise<void> {
  await settings.set("offersHelper", true);
  (await revealPanel(app, SEARCH_VIEW, "left", SearchView))?.search("");
}

/** Reveals the panel and, if `target` is given, pins it to that target. */
export async function showSimilar(app: App, target?: Target): Promise<void> {
  const view = await revealPanel(app, SIMILAR_VIEW, "right", SimilarView);
  if (target) view?.pinTo(target);
}

export async function showAsk(app: App): Promise<void> {
  (await revealPanel(app, ASK_VIEW, "right", AskView))?.focusPage();
}

export async function showDiagnostics(app: App): Promise<void> {
  const leaf = app.workspace.getLeavesOfType(DIAGNOSTICS_VIEW)[0] ?? app.workspace.getLeaf("tab");
  await leaf.setViewState({ type: DIAGNOSTICS_VIEW, active: true });
  await app.workspace.revealLeaf(leaf);
}

/** Reveals the panel of a view type in a sidebar, creating it where it is not open. */
async function revealPanel<V extends View>(
  { workspace }: App,
  type: string,
  side: Side,
  viewClass: new (...parameters: never[]) => V,
): Promise<V | null> {
  const { view } = await workspace.ensureSideLeaf(type, side);
  return view instanceof viewClass ? view : null;
}

/** Fills the status bar item: the state of the index, and a menu of actions. Returns a function that updates it. */
export function statusBar(
  el: HTMLElement,
  context: ViewContext,
  actions: readonly Action[],
): () => void {
  el.addClass("mod-clickable");
  el.setAttrs({ role: "button", tabindex: 0 });
  el.onclick = (): void => {
    const { left: x, top: y } = el.getBoundingClientRect();
    const menu = new Menu();
    for (const [, name, run, can, icon] of actions) if (icon && can()) addItem(menu, name, icon, run);
    menu.showAtPosition({ x, y }, el.doc);
  };
  el.onkeydown = ({ key }): void => {
    if (key === "Enter") el.click();
  };
  const update = (): void => {
    el.setText(`Notewell: ${shortStatus(context)}`);
    setTooltip(el, longStatus(context).join("\n"), { placement: "top" });
  };
  update();
  return update;
}

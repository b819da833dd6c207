/** The messages for each state of the connection and the index, with the actions that help. */

import type { ConnectionState, OfflineReason } from "../connection";
import type { StatusReply } from "../contract";
import { progressText } from "../progress";
import { t, tn } from "../texts";

/** The actions by their command ids; actions.ts says what they do. */
export type ActionName =
  | "ask"
  | "connect"
  | "copy-diagnostics"
  | "errors"
  | "insert-similar-link"
  | "missing"
  | "open-diagnostics"
  | "open-graph"
  | "open-search"
  | "open-similar"
  | "pause"
  | "quick-search"
  | "reindex"
  | "reindex-all"
  | "resume"
  | "set-up"
  | "settings"
  | "similar-to-selection"
  | "start"
  | "status"
  | "stop"
  | "tend";

type Button = readonly [name: ActionName, label: string];

export interface Explanation {
  readonly title: string;
  readonly text: string;
  /** Only those that can be done at the moment are shown. */
  readonly actions: readonly Button[];
  /** Commands to copy into a terminal, because the plugin must not run them itself. */
  readonly commands: readonly string[];
}

/** Installs from the source folder: there is no release, and the package name in an index may be another project's. */
export const BUILD = ["make web", "uv tool install ."];
export const INSTALL = ["uv tool install .", "pipx install ."];
export const UPGRADE = ["uv tool install --reinstall .", "pipx install --force ."];
export const howToUpgrade = (): string => t("Get its new source code and run one of these there.");
export const tokenHint = (): string => t("The command “notewell token show” prints it on the server's computer.");
export const missingNotesKept = (): string => t("The index keeps them until you decide.");

const byWords = (): string => t("Notes are found by words meanwhile.");

const retry = (): Button => ["connect", t("Try again")];
const start = (): Button => ["start", t("Start")];
const setUp = (): Button => ["set-up", t("Set up")];
export const settingsButton = (): Button => ["settings", t("Open settings")];

export function message(
  title: string,
  text: string,
  actions: readonly Button[] = [],
  commands: readonly string[] = [],
): Explanation {
  return { title, text, actions, commands };
}

const CONDITIONS = /["“„:[/]|(?:^|\s)-\S/;

/** What a search says that finds nothing; `isLocal`: no server answered. */
export function nothingFound(query: string, isLocal: boolean): Explanation {
  if (CONDITIONS.test(query)) return message(t("No notes found"), t("Quoted phrases, exclusions and filters must match exactly."));
  return message(t("No notes found"), isLocal ? t("The helper adds meaning.") : "", isLocal ? [setUp()] : []);
}

/** The message for a state without a usable index, else null. `waiting` counts changes not sent yet. */
export function explain(state: ConnectionState, waiting: number): Explanation | null {
  if ("status" in state) return null;
  if (state.name === "mismatch") {
    return state.older === "server"
      ? message(t("The server is too old"), t("It is {version}. {how}", { version: state.version, how: howToUpgrade() }), [retry()], UPGRADE)
      : message(t("This plugin is too old"), t("Update it: the server is {version}.", { version: state.version }), [retry()]);
  }
  const { why, detail }: Reason = state.name === "offline" ? state : { why: state.name };
  const known = message(...messages()[why]);
  const queued = waiting > 0 ? tn(waiting, "{n} change is waiting to be sent.", "{n} changes are waiting to be sent.") : "";
  const reason = detail && (detail.startsWith("net::") ? `(${detail})` : detail);
  return { ...known, text: [known.text, reason, queued].filter(Boolean).join(" ") };
}

interface Reason {
  readonly why: OfflineReason | "starting" | "needs-token";
  readonly detail?: string | undefined;
}

const messages = (): Readonly<Record<Reason["why"], Parameters<typeof message>>> => ({
  starting: [t("Starting…"), `${t("The helper opens the index.")} ${byWords()}`, [["stop", t("Stop")]]],
  "needs-token": [t("The server requires a token"), `${t("It refused the one in the settings, or there is none.")} ${tokenHint()}`, [settingsButton(), retry()]],
  "not-set-up": [t("Not set up yet"), `${byWords()} ${t("The helper adds meaning.")}`, [setUp()]],
  "needs-consent": [t("Ready to start"), `${t("The helper was not started for this vault yet.")} ${byWords()}`, [start(), setUp()]],
  "not-installed": [t("The helper is not installed"), byWords(), [setUp(), ["start", t("Try again")], settingsButton()]],
  "wrong-program": [
    t("No usable helper"),
    `${byWords()} ${t("Nothing about your vault was sent to the program that was found. Enter the right one's path in the " + "settings, or install Notewell in a terminal, in the folder of its source code. Found:")}`,
    [["start", t("Try again")], settingsButton()],
    INSTALL,
  ],
  stopped: [t("Stopped"), `${t("The helper is off.")} ${byWords()}`, [start()]],
  crashed: [t("The helper ended"), byWords(), [start(), settingsButton()]],
  "in-use": [
    t("In use by another program"),
    t("Close the other window or program and try again."),
    [retry()],
  ],
  unreachable: [t("Offline"), `${t("The server does not answer.")} ${byWords()}`, [start(), retry(), settingsButton()]],
  "not-notewell": [t("Not a Notewell server"), `${t("Another program answers at that address.")} ${byWords()}`, [settingsButton(), retry()]],
  "no-vault": [t("Vault not found"), "", [settingsButton(), retry()]],
  refused: [t("The server reported an error"), "", [retry(), settingsButton()]],
});

/**
 * The message for an index that answers but is not complete or has a problem, else null.
 * `decided` is the `guard.since` of missing notes that the user has already decided about.
 */
export function indexNotice(status: StatusReply | null, decided = ""): Explanation | null {
  if (!status) return null;
  const { guard, problem, progress } = status;
  if (guard && guard.since !== decided) {
    const title = t("{gone} of {total} notes are missing", { gone: guard.gone, total: guard.total });
    return message(title, missingNotesKept(), [["missing", t("Decide")]]);
  }
  if (problem) return message(t("The index is not updated"), problem);
  const how = progressText(status);
  if (progress.phase === "paused") return message(t("Indexing is paused"), `${how}.`, [["resume", t("Resume")]]);
  if (progress.phase === "stuck") return message(t("Indexing has stopped"), `${how}.`, [["reindex", t("Check for changes")]]);
  if (how) return message(t("Indexing"), t("{how}. Results are not complete yet.", { how }), [["pause", t("Pause")]]);
  if (status.semantic !== "unavailable") return null;
  return message(t("Keywords only"), status.semantic_reason ?? t("No model is installed."));
}

/** The messages for each state of the connection and the index, with the actions that help. */

import type { ConnectionState, OfflineReason } from "../connection";
import type { StatusReply } from "../contract";
import { count } from "../format";
import { progressText } from "../progress";

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
  | "stop";

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
export const INSTALL = ["uv tool install .", "pipx install ."];
export const UPGRADE = ["uv tool install --reinstall .", "pipx install --force ."];
export const HOW_TO_UPGRADE = "Get its new source code, and run one of these in its folder.";
export const TOKEN_HINT = "The command “notewell token show” prints it on the server's computer.";
export const MISSING_NOTES_KEPT = "The index keeps them until you decide.";

const BY_WORDS = "Notes are found by words meanwhile.";

const RETRY: Button = ["connect", "Try again"];
const START: Button = ["start", "Start"];
const SET_UP: Button = ["set-up", "Set up"];
export const SETTINGS: Button = ["settings", "Open settings"];

export function message(
  title: string,
  text: string,
  actions: readonly Button[] = [],
  commands: readonly string[] = [],
): Explanation {
  return { title, text, actions, commands };
}

/** The message for a state without a usable index, else null. `waiting` counts changes not sent yet. */
export function explain(state: ConnectionState, waiting: number): Explanation | null {
  if ("status" in state) return null;
  if (state.name === "mismatch") {
    return state.older === "server"
      ? message("The server is too old", `It is ${state.version}. ${HOW_TO_UPGRADE}`, [RETRY], UPGRADE)
      : message("This plugin is too old", `Update it: the server is ${state.version}.`, [RETRY]);
  }
  const { why, detail }: Reason = state.name === "offline" ? state : { why: state.name };
  const known = message(...MESSAGES[why]);
  const queued = waiting > 0 ? `${count(waiting, "change is", "changes are")} waiting to be sent.` : "";
  const reason = detail && (detail.startsWith("net::") ? `(${detail})` : detail);
  return { ...known, text: [known.text, reason, queued].filter(Boolean).join(" ") };
}

interface Reason {
  readonly why: OfflineReason | "starting" | "needs-token";
  readonly detail?: string | undefined;
}

const MESSAGES: Readonly<Record<Reason["why"], Parameters<typeof message>>> = {
  starting: ["Starting…", `The helper opens the index. ${BY_WORDS}`],
  "needs-token": ["The server requires a token", `It refused the one in the settings, or there is none. ${TOKEN_HINT}`, [SETTINGS, RETRY]],
  "not-set-up": ["Not set up yet", `${BY_WORDS} The helper adds meaning.`, [SET_UP]],
  "needs-consent": ["Ready to start", `The helper was not started for this vault yet. ${BY_WORDS}`, [START, SET_UP]],
  "not-installed": ["The helper is not installed", BY_WORDS, [SET_UP, ["start", "Try again"], SETTINGS]],
  "wrong-program": [
    "No usable helper",
    `${BY_WORDS} Nothing about your vault was sent to the program that was found. Enter the right one's path in the ` +
      "settings, or install Notewell in a terminal, in the folder of its source code. Found:",
    [["start", "Try again"], SETTINGS],
    INSTALL,
  ],
  stopped: ["Stopped", `The helper is off. ${BY_WORDS}`, [START]],
  crashed: ["The helper ended", BY_WORDS, [START, SETTINGS]],
  "in-use": [
    "In use by another program",
    "Close the other window or program, then try again.",
    [RETRY],
  ],
  unreachable: ["Offline", `The server does not answer. ${BY_WORDS}`, [START, RETRY, SETTINGS]],
  "not-notewell": ["Not a Notewell server", `Another program answers at that address. ${BY_WORDS}`, [SETTINGS, RETRY]],
  "no-vault": ["Vault not found", "", [SETTINGS, RETRY]],
  refused: ["The server reported an error", "", [RETRY, SETTINGS]],
};

/**
 * The message for an index that answers but is not complete or has a problem, else null.
 * `decided` is the `guard.since` of missing notes that the user has already decided about.
 */
export function indexNotice(status: StatusReply | null, decided = ""): Explanation | null {
  if (!status) return null;
  const { guard, problem, progress } = status;
  if (guard && guard.since !== decided) {
    const title = `${guard.gone} of ${guard.total} notes are missing`;
    return message(title, MISSING_NOTES_KEPT, [["missing", "Decide"]]);
  }
  if (problem) return message("The index is not updated", problem);
  const how = progressText(status);
  if (progress.phase === "paused") return message("Indexing is paused", `${how}.`, [["resume", "Resume"]]);
  if (progress.phase === "stuck") return message("Indexing has stopped", `${how}.`, [["reindex", "Check for changes"]]);
  if (how) return message("Indexing", `${how}. Results are not complete yet.`);
  if (status.semantic !== "unavailable") return null;
  return message("Keywords only", status.semantic_reason ?? "No model is installed.");
}

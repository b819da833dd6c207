/**
 * What to tell a person where there is nothing to show: one text and its actions for each state.
 */

import type { ConnectionState, OfflineReason } from "../connection";
import type { Status } from "../contract";
import { count, duration } from "./format";

/** The actions by their command ids; actions.ts says what they do. */
export type ActionName =
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
  | "settings"
  | "similar-to-selection"
  | "start"
  | "status"
  | "stop";

export interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly actions: readonly { readonly name: ActionName; readonly label: string }[];
  /** Commands to copy into a terminal, for what the plugin must not do itself. */
  readonly commands?: readonly string[];
}

export const INSTALL = ["uv tool install recollect", "pipx install recollect"];
const UPGRADE = ["uv tool upgrade recollect", "pipx upgrade recollect"];

const CHECK = { name: "connect", label: "Try again" } as const;
const SETTINGS = { name: "settings", label: "Open settings" } as const;
const START = { name: "start", label: "Start" } as const;

/** Null where there is a server to ask. `waiting` counts changes it does not know of yet. */
export function explain(state: ConnectionState, waiting: number): Explanation | null {
  switch (state.name) {
    case "ready":
    case "indexing":
      return null;
    case "starting":
      return { title: "Starting…", text: "The index is being opened.", actions: [] };
    case "needs-token":
      return {
        title: "The server wants a token",
        text: "Enter the one that “recollect token show” prints on the server's machine.",
        actions: [SETTINGS, CHECK],
      };
    case "mismatch":
      return explainMismatch(state.older, state.version);
    case "offline":
      return withWaiting(explainOffline(state.reason, state.detail), waiting);
  }
}

function explainMismatch(older: "server" | "plugin", version: string): Explanation {
  if (older === "server") {
    return {
      title: "The server is too old",
      text: `It has version ${version}. Upgrade it, then start it again.`,
      commands: UPGRADE,
      actions: [CHECK],
    };
  }
  return {
    title: "The server is newer than this plugin",
    text: `It has version ${version}. Update Recollect under “Community plugins”.`,
    actions: [CHECK],
  };
}

function explainOffline(reason: OfflineReason, detail: string): Explanation {
  switch (reason) {
    case "not-set-up":
      return {
        title: "Not set up yet",
        text:
          "Recollect searches with a program of its own, on this computer or on one that you " +
          "reach over the network.",
        actions: [{ ...START, label: "Use this computer" }, { ...SETTINGS, label: "Enter an address" }],
      };
    case "needs-consent":
      return {
        title: "Ready to start",
        text: "The search program is installed. It has not been started for this vault yet.",
        actions: [START],
      };
    case "not-installed":
      return {
        title: "The search program is not installed",
        text: "Run one of these in a terminal, then try again.",
        commands: INSTALL,
        actions: [{ ...START, label: "Try again" }, SETTINGS],
      };
    case "stopped":
      return { title: "Stopped", text: "The search program does not run.", actions: [START] };
    case "crashed":
      return { title: "The search program ended", text: detail, actions: [START, SETTINGS] };
    case "unreachable":
      return { title: "Offline", text: `The server does not answer. ${detail}`, actions: [CHECK, SETTINGS] };
    case "not-recollect":
      return {
        title: "That is not Recollect",
        text: `Something else answers at the server's address. ${detail}`,
        actions: [CHECK, SETTINGS],
      };
    case "no-vault":
      return { title: "Vault not found", text: detail, actions: [SETTINGS, CHECK] };
    case "refused":
      return { title: "The server refuses", text: detail, actions: [CHECK, SETTINGS] };
  }
}

function withWaiting(explanation: Explanation, waiting: number): Explanation {
  if (waiting === 0) return explanation;
  const queued = `${count(waiting, "change is", "changes are")} kept until it is back.`;
  return { ...explanation, text: `${explanation.text} ${queued}` };
}

/** What a person should know of an index that answers, but not with everything; else null. */
export function remark(status: Status): Explanation | null {
  const { queue, guard } = status;
  if (guard) {
    return {
      title: `${guard.gone} of ${guard.total} notes are missing`,
      text: "They are kept in the index until you say that they were meant to go.",
      actions: [{ name: "missing", label: "Decide" }],
    };
  }
  if (queue.paused) {
    return {
      title: "Indexing is paused",
      text: `${count(queue.pending, "note waits", "notes wait")}.`,
      actions: [{ name: "resume", label: "Resume" }],
    };
  }
  if (status.state === "indexing" && queue.pending > 0) {
    const left = queue.eta_s === null ? "" : `, about ${duration(queue.eta_s)} left`;
    return {
      title: "Indexing",
      text: `${count(queue.pending, "note", "notes")} to go${left}. Results are not complete yet.`,
      actions: [],
    };
  }
  if (status.semantic === "unavailable") {
    return {
      title: "Keywords only",
      text: status.semantic_reason ?? "There is no model to search by meaning.",
      actions: [],
    };
  }
  return null;
}

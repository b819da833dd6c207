/** What to tell a person where there is nothing to show: a text for each state, and what to do. */

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

type Button = readonly [name: ActionName, label: string];

export interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly actions: readonly Button[];
  /** To copy into a terminal, for what the plugin must not do itself. */
  readonly commands: readonly string[];
}

export const INSTALL = ["uv tool install recollect", "pipx install recollect"];
const UPGRADE = ["uv tool upgrade recollect", "pipx upgrade recollect"];

const RETRY: Button = ["connect", "Try again"];
const START: Button = ["start", "Start"];
export const SETTINGS: Button = ["settings", "Open settings"];

export function message(
  title: string,
  text: string,
  actions: readonly Button[] = [],
  commands: readonly string[] = [],
): Explanation {
  return { title, text, actions, commands };
}

/** Null where there is a server to ask. `waiting` counts changes it does not know of yet. */
export function explain(state: ConnectionState, waiting: number): Explanation | null {
  switch (state.name) {
    case "ready":
    case "indexing":
      return null;
    case "starting":
      return message("Starting…", "The index is being opened.");
    case "needs-token":
      return message(
        "The server wants a token",
        "Enter what “recollect token show” prints on its machine.",
        [SETTINGS, RETRY],
      );
    case "mismatch":
      return state.older === "server"
        ? message("The server is too old", `Upgrade it from ${state.version}.`, [RETRY], UPGRADE)
        : message("This plugin is too old", `Update it: the server is ${state.version}.`, [RETRY]);
    case "offline": {
      const absence = explainOffline(state.reason, state.detail);
      if (waiting === 0) return absence;
      const kept = count(waiting, "change is", "changes are");
      return { ...absence, text: `${absence.text} ${kept} kept until then.` };
    }
  }
}

function explainOffline(reason: OfflineReason, detail: string): Explanation {
  switch (reason) {
    case "not-set-up":
      return message(
        "Not set up yet",
        "A program of its own does the searching, on this computer or on one in your network.",
        [
          ["start", "Use this computer"],
          ["settings", "Enter an address"],
        ],
      );
    case "needs-consent":
      return message("Ready to start", "It was not started for this vault yet.", [START]);
    case "not-installed":
      return message(
        "The search program is not installed",
        "Run one of these in a terminal.",
        [["start", "Try again"], SETTINGS],
        INSTALL,
      );
    case "stopped":
      return message("Stopped", "The search program does not run.", [START]);
    case "crashed":
      return message("The search program ended", detail, [START, SETTINGS]);
    case "unreachable":
      return message("Offline", `The server does not answer. ${detail}`, [RETRY, SETTINGS]);
    case "not-recollect":
      return message("That is not Recollect", `Something else answers. ${detail}`, [RETRY, SETTINGS]);
    case "no-vault":
      return message("Vault not found", detail, [SETTINGS, RETRY]);
    case "refused":
      return message("The server refuses", detail, [RETRY, SETTINGS]);
  }
}

/** What a person should know of an index that answers, but not with everything; else null. */
export function remark(status: Status): Explanation | null {
  const { queue, guard } = status;
  if (guard) {
    const title = `${guard.gone} of ${guard.total} notes are missing`;
    return message(title, "The index keeps them until you decide.", [["missing", "Decide"]]);
  }
  if (status.problem) return message("The index does not follow the vault", status.problem);
  const pending = count(queue.pending, "note", "notes");
  if (queue.paused) {
    return message("Indexing is paused", `${pending} to go.`, [["resume", "Resume"]]);
  }
  if (status.state === "indexing" && queue.pending > 0) {
    const left = queue.eta_s === null ? "" : `, about ${duration(queue.eta_s)} left`;
    return message("Indexing", `${pending} to go${left}. Results are not complete yet.`);
  }
  if (status.semantic !== "unavailable") return null;
  return message("Keywords only", status.semantic_reason ?? "There is no model to search with.");
}

/** What every view is given: the app, the connection, the settings and the actions. */

import type { App } from "obsidian";
import type { Connection } from "../connection";
import type { LocalIndex } from "../local/localIndex";
import type { Found } from "../server";
import type { Settings } from "../settings";
import type { ActionName } from "./explain";

export interface ViewContext {
  readonly app: App;
  readonly connection: Connection;
  readonly settings: Settings;
  /** Answers by words where no server does. */
  readonly local: LocalIndex;
  /** Connects to the server of a pairing link, after a question. */
  readonly pair: (link: string) => Promise<void>;
  /** Looks for the helper on this computer. */
  readonly look: () => Promise<Found>;
  /** The page of the project's releases; null where it has none. */
  readonly releases: string | null;
  /** Changes that the server has not acknowledged. */
  readonly waiting: () => number;
  readonly act: (action: ActionName) => unknown;
  /** Whether an action can be done at the moment. */
  readonly can: (action: ActionName) => boolean;
}

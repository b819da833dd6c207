/** What every view is given: the app, the connection, the settings and the actions. */

import type { App } from "obsidian";
import type { Connection } from "../connection";
import type { Settings } from "../settings";
import type { ActionName } from "./explain";

export interface ViewContext {
  readonly app: App;
  readonly connection: Connection;
  readonly settings: Settings;
  /** Changes that the server has not acknowledged. */
  readonly waiting: () => number;
  readonly act: (action: ActionName) => unknown;
  /** Whether an action can be done at the moment. */
  readonly can: (action: ActionName) => boolean;
}

/** Notes that a person pinned, and those left out of lists that nobody asked for. Both stay in this browser. */

import { TextsByVault } from "./searchHistory";

export const pinned = new TextsByVault("pinned", 20);
export const leftOut = new TextsByVault("left-out", 500);

/** The paths of notes that were read lately in this browser, the latest first. They never leave it. */

import { TextsByVault } from "./searchHistory";

export const lately = new TextsByVault("lately", 60);

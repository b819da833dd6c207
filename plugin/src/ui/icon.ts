/** The plugin's own icon: three lines of a note, of which one was found. */

import { addIcon } from "obsidian";

export const ICON = "notewell";

export function addOwnIcon(): void {
  addIcon(ICON, '<path d="M20 22h60M20 78h38" fill="none" stroke="currentColor" stroke-width="7"/><path d="M20 50h50" stroke="currentColor" stroke-width="15"/>');
}

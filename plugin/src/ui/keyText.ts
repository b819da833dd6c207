/** Keys as they are shown in hints. */

import { Platform } from "obsidian";

const KEY_LABELS: Readonly<Record<string, string>> = { Enter: "↵", ArrowUp: "↑↓" };

/** "ctrl alt ↵", or with a Mac's sign for its own key. */
export function keyText(keys: readonly string[]): string {
  const mod = Platform.isMacOS ? "⌘" : "ctrl";
  return keys.map((key) => (key === "Mod" ? mod : (KEY_LABELS[key] ?? key.toLowerCase()))).join(" ");
}

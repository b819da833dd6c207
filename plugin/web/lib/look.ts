/** Light or dark: as the system is, or as was chosen in this browser. */

import { preference, setPreference } from "./preferences";

export type Look = "" | "light" | "dark";

const SETTING = "look";
/** When the colours of each apply, by what was chosen; there is no medium "none". */
const DARK: Readonly<Record<Look, string>> = { "": "(prefers-color-scheme: dark)", light: "none", dark: "all" };
const LIGHT: Readonly<Record<Look, string>> = { "": "(prefers-color-scheme: light)", light: "all", dark: "none" };

export function chosenLook(): Look {
  const kept = preference(SETTING);
  return kept === "light" || kept === "dark" ? kept : "";
}

/** Keeps the choice and shows it at once. */
export function chooseLook(look: Look): void {
  setPreference(SETTING, look);
  applyLook(look);
}

export function applyLook(look = chosenLook()): void {
  document.documentElement.style.colorScheme = look; // fields and scroll bars of the browser
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"][media]')) link.media = DARK[look];
  const [light, dark] = document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]');
  light?.setAttribute("media", LIGHT[look]);
  dark?.setAttribute("media", DARK[look]);
}

/** The styles that only the other views use: the first page does without them. */

import { styleSheet } from "./styleSheets";

/** Set by the build: where the styles lie. */
declare const VIEWS_STYLES: string;
declare const NOTE_STYLES: string;
declare const PALETTE_STYLES: string;

/** Resolves once the styles of the other views apply; rejects with TypeError where the server does not answer. */
export function viewStyles(): Promise<void> {
  return styleSheet(VIEWS_STYLES);
}

/** The same for what notes hold: callouts, footnotes, code, diagrams. */
export function noteStyles(): Promise<void> {
  return styleSheet(NOTE_STYLES);
}

/** The same for the palette, and for the passage that it shows beside its list. */
export function paletteStyles(): Promise<void> {
  return styleSheet(PALETTE_STYLES);
}

/** The `obsidian://` links that the plugin follows: those that pair, and those that open a note at a line. */

import { Notice, type App, type ObsidianProtocolData, type Plugin } from "obsidian";
import type { Client, Endpoint } from "../client";
import type { Settings } from "../settings";
import { openPlace } from "./open";
import { takePairingLinks } from "./pair";
import { t } from "../texts";

const LARGEST_LINE = 10_000_000;

/** Registers both. Returns what follows a pairing link that is pasted instead of opened. */
export function takeLinks(plugin: Plugin, settings: Settings, open: (endpoint: Endpoint) => Client): (link: string) => Promise<void> {
  plugin.registerObsidianProtocolHandler("notewell-open", (given) => void openAtLine(plugin.app, given));
  return takePairingLinks(plugin, settings, open);
}

/** Follows `obsidian://notewell-open?vault=…&file=…&line=…` of the web interface. Anybody can write one: it only shows a note that exists. */
export async function openAtLine(app: App, { file: path, line: given }: ObsidianProtocolData): Promise<void> {
  const line = Number(given ?? 1);
  if (!path || !Number.isInteger(line) || line < 1 || line > LARGEST_LINE) new Notice(t("This link names no line of a note."));
  else await openPlace(app, { path: path.normalize(), passage: { line } }, false);
}

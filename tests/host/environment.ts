/** What the test says of the machine before the app starts. */

import type { PluginManifest, Side, ViewState } from "obsidian";

export interface StoredPanel {
  readonly side: Side;
  readonly kept: ViewState;
}

export interface Environment {
  readonly kind: "desktop" | "phone";
  readonly isDark: boolean;
  /** What the app is set to, such as "en". */
  readonly language: string;
  readonly vaultName: string;
  /** The vault's folder on this computer. */
  readonly folder: string;
  readonly home: string;
  readonly variables: Record<string, string>;
  readonly plugin: { readonly manifest: PluginManifest; readonly code: string; readonly css: string };
  /** What the plugin keeps: with the vault, on this device, and in the app's secrets. */
  readonly data: unknown;
  readonly device: Record<string, unknown>;
  readonly secrets: Record<string, string>;
  /** A person has just switched the plugin on; else the app starts with it. */
  readonly isEnabledByUser: boolean;
  /** The folders and patterns in the app's “Excluded files”. */
  readonly excluded: readonly string[];
  /** Notes that were open when the app was closed. */
  readonly open: readonly string[];
  /** Panels that were open then; the last one of a side is in front. */
  readonly panels: readonly StoredPanel[];
}

declare global {
  interface Window {
    environment: Environment;
  }
}

export const environment = window.environment;

/** What the test says of the machine before the app starts. */

import type { PluginManifest } from "obsidian";

export interface Environment {
  readonly kind: "desktop" | "phone";
  readonly isDark: boolean;
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
  /** Panels and notes that were open when the app was closed. */
  readonly open: readonly string[];
}

declare global {
  interface Window {
    environment: Environment;
  }
}

export const environment = window.environment;

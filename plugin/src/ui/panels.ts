/** Makes the plugin's views known to the app. */

import type { Plugin } from "obsidian";
import { ASK_VIEW, AskView } from "./askView";
import { DIAGNOSTICS_VIEW, DiagnosticsView } from "./diagnostics";
import { SEARCH_VIEW, SearchView } from "./searchView";
import { SIMILAR_VIEW, SimilarView } from "./similarView";
import type { ViewContext } from "./viewContext";

export function registerViews(plugin: Plugin, context: ViewContext, diagnostics: ConstructorParameters<typeof DiagnosticsView>[1]): void {
  plugin.registerView(SEARCH_VIEW, (leaf) => new SearchView(leaf, context));
  plugin.registerView(SIMILAR_VIEW, (leaf) => new SimilarView(leaf, context));
  plugin.registerView(ASK_VIEW, (leaf) => new AskView(leaf, context));
  plugin.registerView(DIAGNOSTICS_VIEW, (leaf) => new DiagnosticsView(leaf, diagnostics));
  const { name: display } = plugin.manifest;
  for (const view of [SEARCH_VIEW, SIMILAR_VIEW]) plugin.registerHoverLinkSource(view, { display, defaultMod: true });
}

/** Brings the plugin's panels to front, making them where they are not open. */

import type { App } from "obsidian";
import { DIAGNOSTICS_VIEW } from "./diagnostics";
import { SEARCH_VIEW, SearchView } from "./searchView";
import { SIMILAR_VIEW, SimilarView } from "./similarView";
import type { Target } from "./target";

export async function showSearch(app: App): Promise<void> {
  const { view } = await app.workspace.ensureSideLeaf(SEARCH_VIEW, "left");
  if (view instanceof SearchView) view.goAbove();
}

/** `target`: what the panel should stay with; without one it goes on as it was. */
export async function showSimilar(app: App, target?: Target): Promise<void> {
  const { view } = await app.workspace.ensureSideLeaf(SIMILAR_VIEW, "right");
  if (target && view instanceof SimilarView) view.hold(target);
}

export async function showDiagnostics(app: App): Promise<void> {
  const leaf = app.workspace.getLeavesOfType(DIAGNOSTICS_VIEW)[0] ?? app.workspace.getLeaf("tab");
  await leaf.setViewState({ type: DIAGNOSTICS_VIEW, active: true });
  await app.workspace.revealLeaf(leaf);
}

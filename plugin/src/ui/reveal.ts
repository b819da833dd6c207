/** Brings the plugin's panels to front, making them where they are not open. */

import type { App, Side, View } from "obsidian";
import { ASK_VIEW, AskView } from "./askView";
import { DIAGNOSTICS_VIEW } from "./diagnostics";
import { SEARCH_VIEW, SearchView } from "./searchView";
import { SIMILAR_VIEW, SimilarView } from "./similarView";
import type { Target } from "./target";

export async function showSearch(app: App): Promise<void> {
  (await shown(app, SEARCH_VIEW, "left", SearchView))?.goAbove();
}

/** `target`: what the panel should stay with; without one it goes on as it was. */
export async function showSimilar(app: App, target?: Target): Promise<void> {
  const view = await shown(app, SIMILAR_VIEW, "right", SimilarView);
  if (target) view?.stayWith(target);
}

export async function showAsk(app: App): Promise<void> {
  (await shown(app, ASK_VIEW, "right", AskView))?.goAbove();
}

export async function showDiagnostics(app: App): Promise<void> {
  const leaf = app.workspace.getLeavesOfType(DIAGNOSTICS_VIEW)[0] ?? app.workspace.getLeaf("tab");
  await leaf.setViewState({ type: DIAGNOSTICS_VIEW, active: true });
  await app.workspace.revealLeaf(leaf);
}

/** The panel of a type, in front. */
async function shown<V extends View>(
  { workspace }: App,
  type: string,
  side: Side,
  made: new (...given: never[]) => V,
): Promise<V | null> {
  const { view } = await workspace.ensureSideLeaf(type, side);
  return view instanceof made ? view : null;
}

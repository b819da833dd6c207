/** The owner of a list of results within a note or a base, which has no field above it and no actions of its own. */

import type { ViewContext } from "./viewContext";
import type { ListOwner } from "./resultList";
import { SEARCH_VIEW } from "./searchView";

export function plainOwner(context: ViewContext, name: () => string, badges: ListOwner["badges"] = () => []): ListOwner {
  const { app } = context;
  const { workspace } = app;
  const nothing = (): void => undefined;
  return {
    hoverPopover: null,
    app,
    context,
    get leaf() {
      return workspace.getMostRecentLeaf() ?? workspace.getLeaf(false);
    },
    getViewType: () => SEARCH_VIEW, // which is known to the app as a source of previews
    getDisplayText: name,
    badges,
    addItems: nothing,
    onChosen: nothing,
    focusEditor() {
      workspace.setActiveLeaf(this.leaf, { focus: true });
    },
    focusTop: nothing,
    pointerLeft: nothing,
  };
}

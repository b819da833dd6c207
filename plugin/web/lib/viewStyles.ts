/** Loads the styles that only the other views use: the first page does without them. */

import { h } from "./dom";

/** Set by the build: where the styles lie. */
declare const VIEW_STYLES: string;

let loaded: Promise<void> | null = null;

/** Resolves once the styles apply; rejects with TypeError where the server does not answer. */
export function viewStyles(): Promise<void> {
  loaded ??= new Promise((resolve, reject) => {
    const failed = (): void => {
      loaded = null; // tried again with the next view
      reject(new TypeError("The styles of this view could not be loaded."));
    };
    document.head.append(h("link", { rel: "stylesheet", href: VIEW_STYLES, on: { load: () => resolve(), error: failed } }));
  });
  return loaded;
}

/** Loads styles that the first page does without, each once. */

import { h } from "./dom";
import { t } from "../../src/texts";

const loaded = new Map<string, Promise<void>>();

/** Resolves once the styles apply; rejects with TypeError where the server does not answer. */
export function styleSheet(address: string): Promise<void> {
  const known = loaded.get(address);
  if (known) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const failed = (): void => {
      loaded.delete(address); // tried again with the next view
      reject(new TypeError(t("The styles of this view could not be loaded.")));
    };
    document.head.append(h("link", { rel: "stylesheet", href: address, on: { load: () => resolve(), error: failed } }));
  });
  loaded.set(address, loading);
  return loading;
}

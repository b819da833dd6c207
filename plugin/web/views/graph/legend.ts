/** What the colours of a graph mean; a group can be hidden. */

import { h } from "../../lib/dom";
import { count } from "../../../src/format";
import type { Grouping } from "./grouping";
import { t } from "../../../src/texts";

/** Checkboxes for the groups; `changed` is given the numbers of those that are hidden. */
export function legend({ groups }: Grouping, changed: (hidden: ReadonlySet<number>) => void): HTMLElement {
  const hidden = new Set<number>();
  const rows = groups.map((group, n) => {
    const box = h("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(n);
      else hidden.add(n);
      changed(new Set(hidden));
    });
    const swatch = h("span", { class: "swatch", "aria-hidden": "true", vars: { "--swatch": `var(${group.colour})` } });
    const label = h("span", { class: "legend-name", dir: "auto" }, group.label);
    return h("label", { title: `${group.label}: ${count(group.count, "note", "notes")}` }, box, swatch, label, h("span", { class: "faint" }, String(group.count)));
  });
  return h("div", { class: "graph-legend", role: "group", "aria-label": t("Colours"), hidden: groups.length === 0 }, ...rows);
}

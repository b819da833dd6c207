/** A note's properties as a table, whatever their types. */

import { h } from "../lib/dom";
import { locale, t } from "../../src/texts";

export function properties(values: Readonly<Record<string, unknown>>): HTMLElement | null {
  const rows = Object.entries(values).filter(([name]) => !["title", "tags"].includes(name));
  if (rows.length === 0) return null;
  const body = rows.map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, formatValue(value))),
  );
  return h("details", { class: "properties" }, h("summary", {}, t("Properties")), h("dl", {}, ...body));
}

/** Formats a value of any type as text. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${formatValue(inner)}`)
      .join("; ");
  }
  if (typeof value === "number") return value.toLocaleString(locale(), { maximumFractionDigits: 4 });
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  return typeof value === "string" ? value : "";
}

/** Formats names, times and sizes for the views. */

import { locale, number, t } from "../../src/texts";

/** A note's file name without folder and suffix. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "");
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "3 weeks ago"; empty where the time is not known. */
export function ago(time: string | null, now = Date.now()): string {
  const at = time === null ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return "";
  const seconds = (at - now) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return new Intl.RelativeTimeFormat(locale() ?? "en", { numeric: "auto" }).format(Math.round(seconds / length), unit);
  }
  return t("just now");
}

/** "2 March 2026" in the locale of this browser. */
export function day(time: string | null): string {
  const at = time === null ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return "";
  return new Date(at).toLocaleDateString(locale(), { year: "numeric", month: "short", day: "numeric" });
}

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = n / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${number(value, value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function ms(value: number): string {
  return value < 10 ? `${number(value, 1)} ms` : `${number(Math.round(value))} ms`;
}

/** Positions and tick marks of days on a time axis. */

import { locale } from "../../src/texts";

const DAY_MS = 86_400_000;

export interface Axis {
  readonly start: number;
  readonly end: number;
}

/** From the first bucket's beginning to the last one's end; at least a week. */
export function axisOf(spans: readonly { start: string; end: string }[]): Axis {
  const starts = spans.map(({ start }) => dayNumber(start));
  const ends = spans.map(({ end }) => dayNumber(end) + 1);
  const start = Math.min(...starts);
  return { start, end: Math.max(...ends, start + 7) };
}

/** Days since 1970 of a date without a time. */
export function dayNumber(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}

/** 0..1 along the axis. */
export function at(axis: Axis, day: number): number {
  return (day - axis.start) / (axis.end - axis.start);
}

/** The date at a share of the axis, 0..1. */
export function dateAt(axis: Axis, share: number): string {
  const day = Math.min(axis.end - 1, Math.floor(axis.start + share * (axis.end - axis.start)));
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** A few dates to write beneath the axis: years, else months, else days. */
export function ticks(axis: Axis, most: number): readonly { day: number; label: string }[] {
  for (const months of [1, 3, 6, 12, 24, 60, 120]) {
    const found = monthsOf(axis, months);
    if (found.length <= most && found.length > 0) return found;
  }
  return [axis.start, axis.end - 1].map((day) => ({ day, label: new Date(day * DAY_MS).toISOString().slice(0, 10) }));
}

function monthsOf(axis: Axis, step: number): { day: number; label: string }[] {
  const first = new Date(axis.start * DAY_MS);
  const found = [];
  const month = first.getUTCFullYear() * 12 + first.getUTCMonth();
  for (let n = Math.ceil(month / step) * step; ; n += step) {
    const day = Date.UTC(Math.floor(n / 12), n % 12, 1) / DAY_MS;
    if (day >= axis.end) return found;
    const year = Math.floor(n / 12);
    if (day >= axis.start) found.push({ day, label: n % 12 === 0 ? String(year) : monthName(day) });
  }
}

function monthName(day: number): string {
  return new Date(day * DAY_MS).toLocaleDateString(locale(), { month: "short", timeZone: "UTC" });
}

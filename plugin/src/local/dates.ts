/** Parses dates and periods in a query, `2026-01..2026-03`, `>2026-01-01`, `7d`, as the sidecar does. */

/** A period [start, end) in POSIX seconds; for a point in time, start equals end. */
export interface Period {
  readonly start: number;
  readonly end: number;
}
/** [start, end) in POSIX seconds; null is open. */
export type Bounds = readonly [start: number | null, end: number | null];

const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?.*)?)?)?$/s;
const AGO = /^(\d{1,5})([hdwmy])$/;
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 24 * 7, m: 24 * 30, y: 24 * 365 };
const COMPARED = /^(>=|<=|>|<)\s*(.+)$/s;

/** The period of `text` in local time: a date, `today`, `yesterday`, or a relative time as `7d`; else null. */
export function period(text: string, now: number): Period | null {
  const word = text.trim().toLowerCase();
  const ago = AGO.exec(word);
  if (ago) {
    const moment = now - Number(ago[1]) * (HOURS[ago[2] ?? ""] ?? 0) * 3600;
    return { start: moment, end: moment };
  }
  if (word === "today" || word === "yesterday") {
    const day = new Date(now * 1000);
    const back = word === "yesterday" ? 1 : 0;
    return { start: local(day.getFullYear(), day.getMonth() + 1, day.getDate() - back), end: local(day.getFullYear(), day.getMonth() + 1, day.getDate() - back + 1) };
  }
  return calendar(text);
}

/** The year, month, day, minute or second that `text` names in ISO order, in local time; else null. */
export function calendar(text: string): Period | null {
  const found = DATE.exec(text.trim());
  if (!found) return null;
  const [year = 0, month = 0, day = 0, ...time] = found.slice(1).map((part) => Number(part ?? 0));
  if (year === 0 || month > 12) return null;
  if (month === 0) return { start: local(year, 1, 1), end: local(year + 1, 1, 1) };
  if (day === 0) return { start: local(year, month, 1), end: local(year, month + 1, 1) };
  if (day > new Date(year, month, 0).getDate()) return null;
  const [start, hasTime, hasSecond] = [local(year, month, day), found[4] !== undefined, found[6] !== undefined];
  return hasTime ? clock(start, time, hasSecond) : { start, end: local(year, month, day + 1) };
}

/** The minute or second of a day; null where no clock shows it. */
function clock(midnight: number, [hour = 0, minute = 0, second = 0]: readonly number[], hasSecond: boolean): Period | null {
  if (hour > 23 || minute > 59 || second > 59) return null;
  const start = new Date(midnight * 1000).setHours(hour, minute, second) / 1000;
  return { start, end: start + (hasSecond ? 1 : 60) };
}

/** The bounds of a `created:` or `modified:` value; null where it is not valid. */
export function bounds(text: string, now: number): Bounds | null {
  const compared = COMPARED.exec(text.trim());
  if (compared) {
    const point = period(compared[2] ?? "", now);
    return point && compare(compared[1] ?? "", point);
  }
  if (text.includes("..")) return between(text, now);
  const point = period(text, now);
  return point && [point.start, point.start === point.end ? null : point.end];
}

/** The bounds of `a..b`, of which one end may be missing. */
function between(text: string, now: number): Bounds | null {
  const at = text.indexOf("..");
  const written = [text.slice(0, at), text.slice(at + 2)].map((end) => end.trim());
  const ends = written.map((end) => period(end, now));
  const isUnreadable = ends.every((end) => !end) || ends.some((end, side) => written[side] && !end);
  return isUnreadable ? null : [ends[0]?.start ?? null, ends[1]?.end ?? null];
}

function compare(sign: string, { start, end }: Period): Bounds {
  if (sign === ">") return [end, null];
  if (sign === ">=") return [start, null];
  return sign === "<" ? [null, start] : [null, end];
}

/** The midnight that begins a day, local time, in POSIX seconds. */
function local(year: number, month: number, day: number): number {
  const date = new Date(2000, month - 1, day);
  date.setFullYear(year, month - 1, day); // the constructor takes years below 100 for 19xx
  return date.getTime() / 1000;
}

/**
 * Checks that a parsed JSON value has a shape, and says where it has not.
 *
 * A check returns the value it was given, now typed: nothing is copied, fields that the contract
 * does not name yet are left alone, and a missing or wrong field throws a `ShapeError`.
 */

export class ShapeError extends Error {
  constructor(
    readonly at: string,
    readonly expected: string,
  ) {
    super(`${at || "the answer"} should be ${expected}`);
    this.name = "ShapeError";
  }
}

export type Check<T> = (value: unknown, at?: string) => T;
export type Shape<C> = C extends Check<infer T> ? T : never;

function basic<T>(expected: string, holds: (value: unknown) => boolean): Check<T> {
  return (value, at = "") => {
    if (!holds(value)) throw new ShapeError(at, expected);
    return value as T;
  };
}

export const text = basic<string>("text", (value) => typeof value === "string");
export const number = basic<number>("a number", (value) => Number.isFinite(value));
export const flag = basic<boolean>("true or false", (value) => typeof value === "boolean");
export const anything: Check<unknown> = (value) => value;

export function oneOf<const T extends string>(...words: T[]): Check<T> {
  const known: readonly unknown[] = words;
  return basic<T>(`one of ${words.join(", ")}`, (value) => known.includes(value));
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, at) => (value === null ? null : check(value, at));
}

/** A field that a server may leave out. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, at) => (value === undefined ? undefined : check(value, at));
}

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value, at = "") => {
    if (!Array.isArray(value)) throw new ShapeError(at, "a list");
    value.forEach((item: unknown, index) => check(item, `${at}[${index}]`));
    return value as T[];
  };
}

/** A list of exactly two numbers. */
export const range: Check<readonly [number, number]> = (value, at = "") => {
  const numbers = list(number)(value, at);
  if (numbers.length !== 2) throw new ShapeError(at, "a pair of numbers");
  return numbers as unknown as [number, number];
};

type Fields = Record<string, Check<unknown>>;
type Named<F extends Fields> = { readonly [K in keyof F]: Shape<F[K]> };

export function object<F extends Fields>(fields: F): Check<Named<F>> {
  const checks = Object.entries(fields);
  return (value, at = "") => {
    const found = asRecord(value, at);
    for (const [name, check] of checks) check(found[name], at ? `${at}.${name}` : name);
    return value as Named<F>;
  };
}

/** An object used as a map from free keys. */
export function mapping<T>(check: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value, at = "") => {
    const found = asRecord(value, at);
    for (const name of Object.keys(found)) check(found[name], `${at}.${name}`);
    return found as Record<string, T>;
  };
}

function asRecord(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ShapeError(at, "an object");
  }
  return value as Record<string, unknown>;
}

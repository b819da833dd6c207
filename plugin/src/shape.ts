/**
 * Checks that a parsed JSON value has the expected shape, and reports where it differs.
 *
 * A check returns the value it was given, now typed: nothing is copied, fields that the contract
 * does not name yet are left alone, and a missing or wrong field throws a `ShapeError`.
 */

export class ShapeError extends Error {
  constructor(at: string, expected: string) {
    super(`${at || "the reply"} should be ${expected}`);
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
  return basic<T>(`one of ${words.join(", ")}`, (value) => words.includes(value as T));
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, at) => (value === null ? null : check(value, at));
}

/** A field that may be null or missing. */
export function maybe<T>(check: Check<T>): Check<T | null | undefined> {
  return (value, at) => (value == null ? null : check(value, at));
}

/** A field that a server may leave out. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, at) => (value === undefined ? undefined : check(value, at));
}

const someList = basic<readonly unknown[]>("a list", Array.isArray);
const someObject = basic<Readonly<Record<string, unknown>>>(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value, at = "") => {
    someList(value, at).forEach((item, index) => check(item, `${at}[${index}]`));
    return value as T[];
  };
}

/** A list of exactly two numbers. */
export const range = basic<readonly [number, number]>(
  "a pair of numbers",
  (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite),
);

type Fields = Record<string, Check<unknown>>;
type Named<F extends Fields> = { readonly [K in keyof F]: Shape<F[K]> };

export function object<F extends Fields>(fields: F): Check<Named<F>> {
  return (value, at = "") => {
    const found = someObject(value, at);
    for (const name in fields) fields[name]?.(found[name], at ? `${at}.${name}` : name);
    return value as Named<F>;
  };
}

/** An object used as a map from free keys. */
export function mapping<T>(check: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value, at = "") => {
    const found = someObject(value, at);
    for (const name in found) check(found[name], `${at}.${name}`);
    return found as Record<string, T>;
  };
}

/**
 * Checks some fields of a reply, and types what passes as the whole reply. Where the reply lacks a
 * field, or a check would refuse what the contract allows, the compiler asks for one more argument
 * with that field's name.
 */
export function partOf<Reply>() {
  return <F extends object>(fields: F, ..._wrong: [Refused<Reply, F>] extends [never] ? [] : [field: Refused<Reply, F>]): Check<Reply> =>
    object(fields as unknown as Fields) as Check<unknown> as Check<Reply>;
}

/** The names of the fields whose check does not take every value of `Reply`. */
type Refused<Reply, F> = {
  [K in keyof F]: K extends keyof Reply ? (Reply[K] extends Shape<F[K]> ? never : K) : K;
}[keyof F];

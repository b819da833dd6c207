// The styles as they are built: the sizes, distances and weights that the pages are drawn with are few, and named in one file.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const STYLES = join(ROOT, "plugin/web/styles");
const ENTRIES = ["index", "views", "note"];

interface Rule {
  readonly selector: string;
  readonly property: string;
  /** With the tokens' values in the place of their names. */
  readonly value: string;
}
let rules: Rule[];

beforeAll(() => {
  // By its command: in the context of a test esbuild itself refuses to run.
  const built = ENTRIES.map((name) => execFileSync(join(ROOT, "node_modules/.bin/esbuild"), ["--bundle", join(STYLES, `${name}.css`)], { encoding: "utf8" }));
  const text = built.join("\n").replace(/\/\*[\s\S]*?\*\//g, "");
  const tokens = new Map([...text.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]));
  const resolve = (value: string): string => value.replace(/var\((--[\w-]+)(?:, *[^()]*)?\)/g, (whole, name: string) => tokens.get(name) ?? whole);
  rules = [...text.matchAll(/([^{};]+)\{([^{}]*)\}/g)].flatMap(([, selector, body]) =>
    (body ?? "").split(";").flatMap((line) => {
      const [property, ...rest] = line.trim().split(/:\s*/);
      if (!property || property.startsWith("--")) return [];
      return [{ selector: (selector ?? "").trim(), property, value: resolve(resolve(rest.join(":"))) }];
    }));
});

const pixels = (value: string): number[] =>
  [...value.matchAll(/(?<![\w.-])(\d*\.?\d+)(rem|em|px)\b/g)].map(([, number, unit]) => Number(number) * (unit === "px" ? 1 : 16));

/** All values of a property, each once. */
function distinct<T>(property: RegExp, read: (rule: Rule) => readonly T[]): T[] {
  return [...new Set(rules.filter((rule) => property.test(rule.property)).flatMap(read))].sort((a, b) => Number(a) - Number(b));
}

describe("the visual system", () => {
  it("has six sizes of text", () => {
    expect(distinct(/^font(-size)?$/, ({ value }) => pixels(value.split("/")[0] ?? ""))).toEqual([12, 13, 15, 17, 21, 28]);
    expect(rules.filter(({ property, value }) => /^font(-size)?$/.test(property) && /\dem\b/.test(value)), "sizes of their surroundings").toEqual([]);
  });

  it("sets distances in steps of 4 px, few of them", () => {
    const distances = distinct(/^(padding|margin|gap|row-gap|column-gap)/, ({ value }) => pixels(value));
    expect(distances.filter((one) => one % 4 !== 0)).toEqual([]);
    expect(distances.length).toBeLessThanOrEqual(8);
  });

  it("has two weights", () => {
    expect(distinct(/^font(-weight)?$/, ({ value }) => value.match(/\b[1-9]00\b|\bbold(er)?\b/g) ?? [])).toEqual(["400", "600"]);
  });

  it("keeps the serif to the reader", () => {
    const serif = rules.filter(({ value }) => value.includes("Georgia"));
    expect(serif.map(({ selector }) => selector).filter((one) => !one.startsWith(".reader"))).toEqual([]);
    expect(serif.length).toBeGreaterThan(0);
  });

  it("draws icons at 16 px, wherever they are", () => {
    const drawn = rules.filter(({ selector, property }) => /\.icon$/.test(selector) && /^(width|height)$/.test(property));
    expect(new Set(drawn.map(({ value }) => value))).toEqual(new Set(["1rem"]));
  });

  it("fades in 120 ms, and not at all where somebody wants no motion", () => {
    const times = distinct(/^transition/, ({ property, value }) => (value === "none !important" ? [] : [`${property} ${/\d+m?s/.exec(value)?.[0]}`]));
    expect(times).toEqual(["transition 120ms"]);
    expect(rules.some(({ property, value }) => property === "transition" && value === "none !important")).toBe(true);
  });

  it("names colours in tokens.css, groups.css and dark.css alone", () => {
    const literal = /(?<![\w-])#[\da-f]{3,8}\b/gi;
    const others = ["base", "frame", "list", "reader", "why", "manage", "charts", "ask", "memory", "tend", "note"];
    const named = others.flatMap((name) => (readFileSync(join(STYLES, `${name}.css`), "utf8").match(literal) ?? []).map((colour) => `${name}: ${colour}`));
    expect(named).toEqual([]);
  });

  it("takes the app's own sizes and weights in Obsidian, so that every theme fits", () => {
    const plugin = readFileSync(join(ROOT, "plugin/styles.css"), "utf8");
    const own = [...plugin.matchAll(/(font-size|font-weight|gap|color|border-radius):\s*([^;]+);/g)].filter(([, , value]) => !/^(var\(|inherit|0)|^(rgba|color-mix)\((in srgb, )?var/.test(value ?? ""));
    expect(own.map(([whole]) => whole)).toEqual([]);
  });
});

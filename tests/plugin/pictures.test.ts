/** The pictures of README and docs show the styles and views as they are. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hashOfSources, IMAGES, PICTURES } from "../e2e/support/pictureSources.mjs";

const taken = JSON.parse(readFileSync(join(IMAGES, "sources.json"), "utf8")) as Record<string, string>;

it.each(PICTURES)("$name is as new as what it shows; else run `npm run pictures`", ({ name, shows }) => {
  expect(hashOfSources(shows)).toBe(taken[name]);
});

it("the moving picture is small", () => {
  expect(readFileSync(join(IMAGES, "plugin-link.png")).length).toBeLessThan(1_000_000);
});

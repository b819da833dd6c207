// The rules of axe-core, held to a page.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What breaks a rule, or one of `rules`, within an element of the page as it is now. What is loading is pale for a moment, so a finding must last. */
export async function violations(page, within = "html", rules = null) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  let found = [];
  for (let tries = 0; tries < 4; tries += 1) {
    if (tries) await page.waitForTimeout(400);
    ({ violations: found } = await page.evaluate(
      ([selector, runOnly]) => window.axe.run({ include: [selector] }, { resultTypes: ["violations"], ...(runOnly && { runOnly }) }),
      [within, rules],
    ));
    if (!found.length) break;
  }
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

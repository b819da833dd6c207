// Takes the pictures of README and docs anew: `npm run pictures`, after `npm run build` and `npm run build:web`.
// `docs/images/sources.json` then says of which sources they are; tests/plugin/pictures.test.ts compares.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IMAGES, PICTURES, hashOfSources } from "./support/pictureSources.mjs";

const taken = mkdtempSync(join(tmpdir(), "notewell-pictures-"));
try {
  const files = [...new Set(PICTURES.map(({ test }) => test))];
  const env = { ...process.env, NOTEWELL_TEST_PICTURES: taken, NOTEWELL_TEST_SCREENS: taken };
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "run.mjs"), ...files], { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
  for (const { name, from } of PICTURES) copyFileSync(join(taken, `${from}.png`), join(IMAGES, `${name}.png`));
  const sources = Object.fromEntries(PICTURES.map(({ name, shows }) => [name, hashOfSources(shows)]));
  writeFileSync(join(IMAGES, "sources.json"), `${JSON.stringify(sources, null, 2)}\n`);
} finally {
  rmSync(taken, { recursive: true, force: true });
}

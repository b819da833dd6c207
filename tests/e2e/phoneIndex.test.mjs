// Meaning without a server: what the file in the vault knows, and that a file which does not fit is refused.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, readFile, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { COMMAND, ROOT } from "./support/command.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useWorkspace();
const ENOUGH = 5; // results among which the note is

/** Written before any was asked. */
const PARAPHRASES = [
  ["animals that eat young plants at night", "Garden/Slugs.md"],
  ["how do I keep my bread dough culture alive while on holiday", "Kitchen/Starter that sleeps in the cold.md"],
  ["why do we forget what we learned", "Mind/Ebbinghaus and the leaky bucket.md"],
  ["remember a list by walking through the rooms of a house", "Mind/Method of loci.md"],
  ["straighten a bent rim", "Bicycles/True a wheel.md"],
  ["chain skips after replacing it", "Bicycles/New links on old teeth.md"],
  ["what to do with a glut of ripe fruit from the greenhouse", "Kitchen/🍅 Too many tomatoes.md"],
  ["two programs writing to one file at once fail", "Code/SQLite database is locked.md"],
  ["quizzing yourself instead of studying again", "Mind/Testing beats rereading.md"],
  ["strange characters when opening a document", "Code/Text files that are not UTF-8.md"],
];

let written = null;

/** Opens the phone over the vault whose file the server's program has written, once. */
async function withPhone(use) {
  await (written ??= write());
  await held.withSharedApp({ kind: "phone", device: { loadPhone: true } }, use);
}

async function write() {
  const run = promisify(execFile);
  const { variables: env, vault } = await held.sharedWorkspace();
  await run(join(dirname(COMMAND), "python"), [join(ROOT, "tests/e2e/support/query_table.py"), vault], { env });
  await run(COMMAND, ["phone-index", "on", "--yes", "--vault", vault], { env });
}

/** Asks the plugin's own index, and returns the paths of the list and what is said beneath it. */
async function ask(app, query) {
  await app.command("open-search");
  await app.search.getByRole("searchbox").fill(query);
  const info = app.search.locator(".notewell-words-only").first();
  await app.search.locator('.notewell-results[aria-busy="false"]').waitFor({ state: "attached" });
  await info.waitFor();
  const rows = app.search.locator(".notewell-result");
  return { titles: await rows.locator(".tree-item-inner > span").allTextContents(), said: await info.textContent() };
}

test("ten paraphrases are asked without any server, and nine at least find their note", () =>
  withPhone(async (app) => {
    await until("the file is read", async () => /by meaning, approximately, from/.test((await ask(app, "forgetting curve")).said));
    const places = [];
    for (const [query, path] of PARAPHRASES) {
      const { titles, said } = await ask(app, query);
      assert.match(said, /by words and by meaning, approximately, from the phone index of/, query);
      places.push(titles.indexOf(path.replace(/^.*\/|\.md$/g, "")) + 1);
    }
    const found = places.filter((place) => place > 0 && place <= ENOUGH);
    assert.ok(found.length >= 9, `places of the ten notes: ${places.join(", ")}`);
    assert.deepEqual([app.network.requests.length, app.programs.started.length], [0, 0], "nobody was asked");
  }));

test("a note that has changed since is found by its words alone", async () => {
  const path = "Garden/Slugs.md";
  await withPhone(async (app) => {
    const file = join(app.folder.root, path);
    const text = await readFile(file);
    await writeFile(file, "Nothing of the kind any more.\n");
    try {
      await until("the file is read", async () => /by meaning/.test((await ask(app, "forgetting curve")).said));
      assert.ok(!(await ask(app, "animals that eat young plants at night")).titles.includes("Slugs"));
    } finally {
      await writeFile(file, text);
    }
  });
});

for (const [what, change, told] of [
  ["truncated", (file) => truncate(file, 100_000), /is not used: it is not whole/],
  ["damaged", (file, bytes) => writeFile(file, bytes.with(5_000, bytes[5_000] ^ 1)), /is not used: it is damaged/],
  ["foreign", (file) => copyFile(join(ROOT, "tests/features/phone/sample.bin"), file), /is not used: most of its notes are not in this vault/],
]) {
  test(`a ${what} file is refused, which the list says`, () =>
    withPhone(async (app) => {
      const file = join(app.folder.root, "notewell-phone-index.bin");
      const bytes = await readFile(file);
      await change(file, new Uint8Array(bytes));
      try {
        const { said } = await ask(app, "forgetting curve");
        assert.match(said, /words only/);
        await app.search.getByText(told).waitFor();
      } finally {
        await writeFile(file, bytes);
      }
    }));
}

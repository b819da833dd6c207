/** What the test page that replaces Obsidian knows of notes, on made-up notes and on those of real vaults. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { expect, it } from "vitest";
import { parseNote, propertiesOf } from "../host/parseNote";

const DATA = env["NOTEWELL_TEST_DATA"] ?? join(import.meta.dirname, "../../../shared/data");
const VAULTS = ["vault-kepano", "vault-obsidian-help-en", "vault-obsidian-help-i18n", "vault-excalidraw-wiki", "vault-obsidian-hub"];

const NOTE = `---
aliases: [One, "Two: three"]
up: "[[Parent|its parent]]"
tags: garden
tags: kitchen
---
# A \`code\` heading #später

Text with [[Other#Part|a name]] and ![[image.png]], [a link](Some%20note.md), https://example.org/#no.
\`#not [[this]]\` but #项目/子

~~~
# No heading [[no link]]
~~~
`;

it("reads properties, headings, tags of every script, links and embeds, and nothing from code", () => {
  const cache = parseNote(NOTE);
  expect(cache.frontmatter).toEqual({ aliases: ["One", "Two: three"], up: "[[Parent|its parent]]", tags: "kitchen" });
  expect(cache.frontmatterLinks).toEqual([{ key: "up", link: "Parent", original: "[[Parent|its parent]]", displayText: "its parent" }]);
  expect(cache.headings?.map(({ heading, level, position }) => [heading, level, position.start.line])).toEqual([["A `code` heading #später", 1, 6]]);
  expect(cache.tags?.map(({ tag }) => tag)).toEqual(["#später", "#项目/子"]);
  expect(cache.links?.map(({ link }) => link)).toEqual(["Other#Part", "Some note.md"]);
  expect(cache.embeds?.map(({ link }) => link)).toEqual(["image.png"]);
  for (const { original, position } of cache.links ?? []) expect(NOTE.slice(position.start.offset, position.end.offset)).toBe(original);
});

it.each(["---\ntitle: \"open\n---\nText", "---\n- a list\n---\n", "---\n[\n---\n# Heading"])(
  "takes a note without its properties where they are no table: %j",
  (text) => {
    expect(propertiesOf(text)).toBeNull();
    expect(parseNote(text).frontmatter).toBeUndefined();
  },
);

it.skipIf(!existsSync(DATA))("reads the properties of every note of the shared vaults", () => {
  const folder = mkdtempSync(join(tmpdir(), "notewell-vaults-"));
  try {
    for (const name of VAULTS) execFileSync("tar", ["-C", folder, "-xzf", join(DATA, `${name}.tar.gz`)]);
    const notes = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
    const texts = notes.map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
    const withBlock = texts.filter(({ text }) => /^---[ \t]*\r?\n[^]*?\n---[ \t]*(\r?\n|$)/.test(text));
    expect(withBlock.length).toBeGreaterThan(7_000);
    // `- @name`, for example: PyYAML reads none of these 15 either.
    expect(withBlock.filter(({ text }) => propertiesOf(text) === null)).toHaveLength(15);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

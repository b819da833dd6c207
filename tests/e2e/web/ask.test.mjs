// Asking a language model and looking after memories, on a desktop and on a phone. The model is a
// script on loopback, the server and the browser are real.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { useModel } from "./model.mjs";
import { DESKTOP, PHONE, usePages } from "./pages.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));
const OFF = readFileSync(resolve(import.meta.dirname, "../../contract/ask-models-off.json"), "utf8");
const QUESTION = "How long does the country loaf rise?";
const LOOKS = [
  ["desktop", DESKTOP],
  ["phone", { ...PHONE, colorScheme: "dark" }],
];

const memory = (id, type, content, more = "") =>
  `---\nid: ${id}\ntype: ${type}\nnamespace: garden\nimportance: 0.8\nconfidence: 0.5\n${more}---\n${content}\n`;
const MEMORIES = {
  ".notewell.toml": '[memory]\nfolder = "Memory"\n',
  "Memory/Swarms leave in May.md": memory("mem-11111111", "fact", "Swarms leave in May, before noon."),
  "Memory/Swarms leave in June.md": memory("mem-22222222", "fact", "Swarms leave in June.", 'contradicts:\n  - "[[Memory/Swarms leave in May]]"\n'),
  "Memory/Ask before buying hives.md": memory("mem-33333333", "preference", "Ask before buying hives."),
};

const model = useModel();
const held = usePages({}, {
  sample: MEMORIES,
  settings: () => `[ask]\nprovider = "openai"\nbase_url = "${model.url}/v1"\nmodel = "test-model"\nweb = true\n`,
});
const { visit } = held;

async function ask(page, question) {
  await page.getByRole("textbox", { name: "Question" }).fill(question);
  await page.keyboard.press("Enter");
}

async function picture(page, name) {
  await mkdir(OUT, { recursive: true });
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(OUT, `${name}.png`) });
}

async function isWithoutViolation(page, what) {
  await page.waitForFunction(() => !document.querySelector(".panel [aria-busy]")); // what is loading is pale
  assert.deepEqual(await violations(page), [], what);
}

test("a page whose address the model put together is read only after a click", () =>
  visit({ ...DESKTOP, hash: "#/ask?vault=Sample" }, async (page) => {
    const address = "https://words-of-notes.elsewhere.invalid/?d=loaf";
    model.turns = [{ calls: [["read_web_page", { url: address }]] }, { text: "Four hours [1]." }];
    await ask(page, QUESTION);
    await page.getByText("The model asks to read a page of words-of-notes.elsewhere.invalid").waitFor();
    await page.locator(".ask-permission code", { hasText: address }).waitFor();
    await isWithoutViolation(page, "a question about an address");
    await picture(page, "web-ask-permission");
    await page.getByRole("button", { name: "Do not read it" }).click();
    await page.getByRole("button", { name: /^Source 1:/ }).waitFor();
    assert.match(JSON.stringify(model.asked.at(-1)), /the person did not allow it/);
  }));

for (const [device, look] of LOOKS) {
  test(`${device}: a question is answered in steps, with sources that open their note`, () =>
    visit({ ...look, hash: "#/ask?vault=Sample" }, async (page) => {
      await page.getByText("on the server’s own computer").waitFor();
      await isWithoutViolation(page, "before a question");
      await picture(page, `web-ask-start-${device}`);
      let goOn;
      const wait = new Promise((done) => (goOn = done));
      const text = "It rises **four hours** [1]. Then [9]:\n\n1. shape it [2]\n2. let it rest <img src=x onerror=alert(1)>";
      model.turns = [{ calls: [["search", { query: "country loaf proof" }]] }, { text, wait }];
      await ask(page, QUESTION);
      await page.locator(".ask-notice", { hasText: "your question" }).waitFor();
      await page.locator(".ask-found a").first().waitFor();
      await page.locator(".ask-answer strong", { hasText: "four hours" }).waitFor();
      assert.equal(await page.locator(".ask-answer").getAttribute("aria-busy"), "true");
      await page.locator(".ask-steps li", { hasText: "country loaf proof" }).waitFor();
      await isWithoutViolation(page, "while the model answers");
      await picture(page, `web-ask-thinking-${device}`);
      goOn();
      await page.getByRole("button", { name: /^Source 1:/ }).waitFor();
      assert.equal(await page.locator(".ask-answer img").count(), 0);
      assert.equal(await page.locator(".cite").count(), 2, "a citation of nothing is taken out");
      assert.match(page.url(), /#\/ask\?.*q=How\+long/);
      await page.waitForFunction(() => document.querySelector('.ask-sources a[href*="line="]'));
      await isWithoutViolation(page, "with an answer");
      await picture(page, `web-ask-${device}`);
      await page.getByRole("button", { name: /^Source 1:/ }).click();
      const source = page.locator("[data-source='1']");
      assert.ok(await source.evaluate((el) => el === document.activeElement));
      const title = await source.textContent();
      await page.keyboard.press("Enter");
      await page.locator(".reader h1", { hasText: title }).waitFor();
      await page.goBack();
      await page.locator(".ask-answer strong").waitFor();
    }));

  test(`${device}: a conversation goes on, and becomes a note`, () =>
    visit({ ...look, hash: `#/ask?q=${encodeURIComponent(QUESTION)}&vault=Sample` }, async (page, watched) => {
      await page.getByText("on the server’s own computer").waitFor();
      model.asked = [];
      assert.equal(model.asked.length, 0, "an address sends nothing by itself");
      model.turns = [{ text: "Four hours [1]." }, { text: "How hot is the oven for the country loaf?" }, { text: "Very hot [1]." }];
      await page.getByRole("combobox", { name: "Model" }).selectOption("other-model");
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByRole("button", { name: /^Source/ }).waitFor();
      assert.equal(model.asked[0].model, "other-model");
      await ask(page, "And the oven?");
      await page.getByText("Very hot").waitFor();
      await page.locator(".turn").nth(1).getByRole("button", { name: /^Source/ }).waitFor();
      assert.equal(model.asked.length, 3);
      await page.getByText("2 steps").click();
      await page.getByText("as: How hot is the oven").waitFor();

      await page.reload();
      await page.locator(".turn").nth(1).getByRole("button", { name: /^Source/ }).waitFor();
      assert.deepEqual(await page.locator(".turn h2").allTextContents(), [QUESTION, "And the oven?"]);
      await page.getByText("on the server’s own computer").waitFor();
      assert.equal(await page.getByRole("textbox", { name: "Question" }).inputValue(), "");
      assert.equal(model.asked.length, 3, "loading a page anew sends nothing");
      await isWithoutViolation(page, "loaded anew");
      model.turns = [{ text: "How long is the oven hot?" }, { text: "Four hours", wait: new Promise(() => undefined) }];
      await ask(page, "How long?");
      await page.locator(".ask-answer").last().getByText("Four").waitFor();
      await page.reload();
      await page.locator(".turn").nth(2).getByText(/^Stopped/).waitFor();
      model.turns = [{ text: "How long is the oven hot?" }, { text: "Four hours [1]." }];
      await page.getByRole("button", { name: "Ask again" }).click();
      await page.locator(".turn").nth(2).getByRole("button", { name: /^Source/ }).waitFor();

      await page.getByRole("button", { name: "Save as note" }).click();
      const path = `Answers/Loaf on ${device}.md`;
      await page.getByLabel("Save this conversation as a note").fill(path);
      await isWithoutViolation(page, "saving");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved as").waitFor();
      const note = join(held.root, "Sample", path);
      assert.match(await readFile(note, "utf8"), /And the oven\?[\s\S]*Very hot[\s\S]*How long\?[\s\S]*Four hours/);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "New conversation" }).waitFor();
      assert.ok(!existsSync(note));
      const kept = await page.evaluate(() => Object.keys(sessionStorage).find((key) => key.startsWith("notewell:conversation:")));
      await page.getByRole("button", { name: "New conversation" }).click();
      const earlier = page.getByRole("navigation", { name: "Earlier conversations" }).getByRole("button", { name: QUESTION }).first();
      await earlier.waitFor();
      assert.equal(await page.locator(".turn").count(), 0);
      await isWithoutViolation(page, "with earlier conversations");
      await picture(page, `web-ask-earlier-${device}`);
      await earlier.click();
      await page.locator(".turn").nth(2).waitFor();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Really delete?" }).click();
      await page.getByText("Conversation deleted").waitFor();
      assert.equal(await page.locator(".turn").count(), 0);
      await page.evaluate((name) => {
        sessionStorage.setItem(name, "0123456789abcdef");
      }, kept);
      await page.reload();
      await page.getByText("The earlier conversation is no longer stored.").waitFor();
      assert.equal(await page.locator(".turn").count(), 0);
      watched.problems.length = 0; // the browser tells of the status 404
    }));

  test(`${device}: what has no answer says so`, () =>
    visit({ ...look, hash: "#/ask?vault=Sample" }, async (page, watched) => {
      await page.getByText("on the server’s own computer").waitFor();
      model.turns = [{ text: "NOT_IN_NOTES" }];
      await ask(page, "What is the capital of the moon?");
      await page.locator(".ask-answer.is-missing", { hasText: "not in your notes" }).waitFor();

      model.turns = [{ status: 429, headers: { "Retry-After": "600" } }];
      await ask(page, QUESTION);
      await page.getByRole("heading", { name: "Too many questions" }).waitFor();
      model.turns = [{ text: QUESTION }, { text: "It rises for a while [1], and", drop: true }];
      await page.getByRole("button", { name: "Ask again" }).click();
      await page.locator(".ask-badge", { hasText: "Incomplete" }).waitFor();

      model.turns = [{ text: QUESTION }, { text: "It rises for", wait: new Promise(() => undefined) }];
      await ask(page, QUESTION);
      await page.locator(".ask-answer").last().getByText("It rises").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped. This answer is incomplete.").waitFor();
      await isWithoutViolation(page, "with failures");
      await picture(page, `web-ask-trouble-${device}`);

      await page.route("**/api/ask/models*", (route) => route.fulfill({ status: 400, contentType: "application/problem+json", body: OFF }));
      await page.reload();
      await page.getByRole("heading", { name: "No language model is set up" }).waitFor();
      await page.getByText("ollama pull").waitFor();
      await ask(page, "How long does the country loaf rise?");
      const quotes = page.locator(".ask-quoted blockquote");
      await quotes.first().waitFor();
      assert.ok((await quotes.first().textContent()).length > 20);
      const source = page.locator(".ask-quoted li a").first();
      assert.match(await source.getAttribute("href"), /note=/);
      assert.equal(await page.getByRole("textbox", { name: "Question" }).inputValue(), "");
      await isWithoutViolation(page, "not set up");
      await picture(page, `web-ask-off-${device}`);
      watched.problems.length = 0; // the browser tells of the refusal that is looked at
    }));

  test(`${device}: memories are listed, recalled, judged, forgotten and looked after`, () =>
    visit({ ...look, hash: "#/manage/memory?vault=Sample" }, async (page) => {
      const rows = page.locator(".memory-row");
      await rows.nth(2).waitFor();
      await isWithoutViolation(page, "the list");
      await picture(page, `web-memory-${device}`);
      await page.getByRole("link", { name: "preference", exact: true }).click();
      await page.waitForFunction(() => document.querySelectorAll(".memory-row").length === 1);
      await page.getByRole("link", { name: "All", exact: true }).click();
      await rows.nth(2).waitFor();

      await page.getByLabel("Recall memories for a task").fill("when do swarms leave");
      await page.keyboard.press("Enter");
      await page.locator("ol[aria-label='Recalled memories']").waitFor();
      await page.getByText(/^Score .*why$/).first().click();
      await page.getByText("counts 0.25").first().waitFor();
      await isWithoutViolation(page, "recall");
      await picture(page, `web-memory-recall-${device}`);

      await page.getByRole("link", { name: "Swarms leave in June" }).click();
      await page.getByRole("heading", { name: "Relations" }).waitFor();
      await page.getByLabel("Reason, for the history").fill("they left in May");
      await page.getByRole("button", { name: "It did not help" }).click();
      await page.getByRole("cell", { name: "they left in May" }).first().waitFor();
      await page.getByRole("cell", { name: /→/ }).first().waitFor();
      await isWithoutViolation(page, "one memory");
      await picture(page, `web-memory-one-${device}`);

      const note = join(held.root, "Sample/Memory/Swarms leave in June.md");
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      assert.ok(existsSync(note), "it has to be confirmed");
      await page.getByRole("button", { name: "Really delete it?" }).click();
      await page.getByRole("heading", { name: "Deleted" }).waitFor();
      assert.ok(!existsSync(note));
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("link", { name: "Swarms leave in June" }).waitFor();
      await page.getByRole("link", { name: "Swarms leave in June" }).click();
      await page.getByLabel("Reason, for the history").waitFor();
      await page.getByRole("button", { name: "It helped" }).click(); // as it was for the next device
      await page.getByText("Confidence raised").waitFor();

      await page.goto(`${held.url}/#/manage/memory?see=health&vault=Sample`);
      await page.getByRole("heading", { name: "Contradictions" }).waitFor();
      await isWithoutViolation(page, "the check-up");
      await picture(page, `web-memory-health-${device}`);
      await page.goto(`${held.url}/#/manage/memory?vault=Other`);
      await page.getByRole("heading", { name: "No folder for memories is chosen" }).waitFor();
      await isWithoutViolation(page, "no folder");
    }));
}

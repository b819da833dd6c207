// Every other view, on a desktop and on a phone: it shows what it should, and does what it says.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, usePages } from "./pages.mjs";
import { READY_MS, until } from "../support/wait.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));

const HOSTILE = [
  "# Hostile",
  "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>",
  "[x](javascript:document.title='owned') ![x](http://evil.example/p.png) [[<svg onload=alert(1)>]]",
  "> [!<img src=x onerror=alert(1)>] <iframe src=//evil.example></iframe>",
].join("\n\n");
const RICH = [
  "# Rich",
  "Euler: $e^{i\\pi} + 1 = 0$, broken: $\\frac{1$ and $\\href{javascript:alert(1)}{x}$, bounded: $\\def\\a{\\a\\a}\\a$.",
  "```python\ndef loaf(hours=4):  # rises\n    return hours\n```",
  "```mermaid\ngraph TD\n  A[Mix] --> B[Bake]\n```",
  "```mermaid\ngantt\n  title x\n```",
].join("\n\n");
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const WIDE = (cell) => `|${`${cell}|`.repeat(20_000)}`;
const SAVED = "# A day\n\n## Gleanings\n\n- [Bees at night](https://bees.example/night?a=1)\n  How they sleep.\n- https://bare.example/page\n";
const held = usePages({
  "Hostile <img src=x onerror=alert(1)>.md": HOSTILE,
  "Outer.md": "# Outer\n\n![[dot.png]] ![d](dot.png)\n\nPress ![[dot.png#icon]] to go on.\n\n![[Inner]]\n\n> [!warning]- Mind\n> hot\n\nA fact[^1].\n\n[^1]: Its source.\n",
  "Inner.md": "# Inner\n\ninner text ![[Outer]]\n",
  "dot.png": PIXEL,
  "Rich.md": RICH,
  "Spelt.md": "# Spelt\n\nSee [[Inners]]. An old #Grain\n",
  "Rye.md": "# Rye\n\nSee [[Spelts]] too.\n\n#grain\n",
  "Oats.md": "# Oats\n\n#grain\n",
  "Wide.md": `# Wide\n\n${WIDE("a")}\n${WIDE("-")}\n${WIDE("1")}\n\nafter it\n`,
}, { sample: { "Daily/2026-03-02.md": SAVED }, settings: () => "[server]\nallow_vaults = true\n" });
const { visit } = held;

for (const [device, look] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  const onPhone = look === PHONE;
  const motion = onPhone ? { reducedMotion: "reduce" } : {}; // then a graph lies still at once

  test(`${device}: a drawer says in words why a result was found, and in numbers behind Details`, () =>
    visit({ ...look, hash: "#/search?q=weather+daily+book&vault=Sample" }, async (page) => {
      await page.locator("[data-result]").nth(1).waitFor();
      const title = await page.locator("[data-result]").nth(1).textContent();
      if (onPhone) await page.locator(".result").nth(1).getByRole("button", { name: "Actions" }).tap();
      else await page.locator(".result").nth(1).hover();
      await page.locator(".result").nth(1).getByRole("link", { name: "Why this result?" }).click();
      const drawer = page.getByRole("complementary", { name: "Why this result?" });
      await drawer.getByRole("heading", { name: title }).waitFor();
      assert.match(await drawer.locator(".reasons li").first().textContent(), /words|word|meaning/);
      await drawer.getByText(/^Number 2 of /).waitFor();
      assert.equal(await drawer.locator(".score-row").first().isVisible(), false, "numbers are behind Details");
      await drawer.getByText("Details", { exact: true }).click();
      await drawer.locator(".score-row").first().waitFor();

      await drawer.getByText("Try other weights").click();
      const places = () => drawer.locator(".reranked a").allTextContents();
      await page.waitForFunction(() => !document.querySelector(".column [aria-busy]"));
      const served = await places();
      await drawer.getByRole("slider", { name: /Matching tag/ }).fill("3");
      await drawer.locator(".moved").first().waitFor();
      assert.notDeepEqual(await places(), served, "a matching tag raises notes");
      await drawer.getByRole("button", { name: "Reset" }).click();
      await page.waitForFunction(() => !document.querySelector(".reranked .moved"));
      assert.deepEqual(await places(), served);

      await drawer.getByRole("combobox", { name: "Mode" }).selectOption("keyword");
      await drawer.locator(".control.is-changed", { hasText: "Mode" }).waitFor();
      assert.doesNotMatch(page.url(), /mode=/, "not applied yet");
      await drawer.getByRole("button", { name: "Apply 1 change" }).click();
      await drawer.getByRole("button", { name: "No changes" }).waitFor();
      assert.match(page.url(), /mode=keyword/, "the list is that of the same search");

      await drawer.getByText("Every stage of this search").click();
      await drawer.locator(".stage").nth(2).waitFor();
      const names = await drawer.locator(".stage h3").allTextContents();
      for (const name of ["parse", "retrieve", "fusion"]) assert.ok(names.includes(name), name);
      assert.ok((await drawer.locator(".tops li").count()) > 0);

      await drawer.getByRole("button", { name: "Close the explanation" }).click();
      await drawer.waitFor({ state: "hidden" });
      await page.locator("[data-result]").first().waitFor();
    }));

  test(`${device}: the same results are a list, a timeline and a graph, each by its address`, () =>
    visit({ ...look, ...motion, hash: "#/search?q=bread&vault=Sample" }, async (page) => {
      const ways = page.getByRole("navigation", { name: "How results are shown" });
      await page.locator("[data-result]").first().waitFor();
      const listed = Number.parseInt(await page.locator(".facts").textContent(), 10);
      await ways.getByRole("link", { name: "Timeline" }).click();
      await page.waitForURL(/view=timeline/);
      await page.locator(".column-bar").first().waitFor();
      assert.equal(await page.locator("[data-result]").first().isVisible(), false);
      await ways.getByRole("link", { name: "Graph" }).click();
      await page.waitForURL(/view=graph/);
      await page.getByRole("heading", { name: "Results and their links" }).waitFor();
      await page.locator(".graph-drawn[data-at-rest]").waitFor();
      assert.ok((await page.locator(".graph-notes button").count()) <= listed, "no other notes than the results");
      assert.equal(await ways.getByRole("link", { name: "Graph" }).getAttribute("aria-current"), "true");
      await page.goBack();
      await page.locator(".column-bar").first().waitFor();
      await ways.getByRole("link", { name: "List" }).click();
      await page.locator("[data-result]").first().waitFor();
      // Addresses of before lead to what is there now.
      for (const [before, now] of [["past?q=bread", /search\?q=bread&view=timeline/], ["explore?q=bread", /search\?q=bread&why=yes/]]) {
        await page.goto(`${held.url}/#/${before}`);
        await page.waitForURL(now);
      }
    }));

  test(`${device}: the past of a topic is a chart, and a bar tells its notes`, () =>
    visit({ ...look, hash: "#/past?q=garden&vault=Sample" }, async (page) => {
      const bars = page.locator(".column-bar");
      await bars.first().waitFor();
      const all = await page.locator(".dated > li").count();
      await bars.first().click();
      await page.waitForFunction((n) => document.querySelectorAll(".dated > li").length < n, all);
      await page.getByRole("button", { name: "Whole period" }).click();
      await page.waitForFunction((n) => document.querySelectorAll(".dated > li").length === n, all);
      const { x, y, width } = await page.locator(".chart").boundingBox();
      await page.mouse.move(x + 2, y + 20);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.6, y + 20, { steps: 4 });
      await page.mouse.up();
      await page.waitForFunction((n) => document.querySelectorAll(".dated > li").length < n, all);
      assert.match(await page.getByLabel("From").inputValue(), /^\d{4}-\d\d-\d\d$/);
      for (const [name, ending, text] of [["Save as CSV", ".csv", /^date,dated_by,path/], ["Save as a note", ".md", /^# Timeline: garden\n/]]) {
        const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
        assert.equal(saved.suggestedFilename(), `Timeline garden${ending}`);
        assert.match(await readFile(await saved.path(), "utf8"), text);
      }
      const [from, few] = [await page.getByLabel("From").inputValue(), await page.locator(".dated > li").count()];
      const before = await page.locator(".chart").elementHandle();
      await page.getByRole("combobox", { name: "Grouped by" }).selectOption("month");
      await page.waitForURL(/by=month/);
      // Only then is it drawn anew: a click on the list before would be lost with it.
      await page.waitForFunction((chart) => !chart.isConnected && document.querySelector(".dated > li"), before);
      assert.equal(await page.getByLabel("From").inputValue(), from, "another grouping keeps the period");
      assert.equal(await page.locator(".dated > li").count(), few);
      await page.locator(".dated a").first().click();
      await page.locator(".reader h1").waitFor();
    }));

  test(`${device}: the graph draws a note's surroundings, and leads on`, () =>
    visit({ ...look, ...motion, hash: "#/graph?path=Home.md&vault=Sample" }, async (page) => {
      await page.getByRole("heading", { name: "Around Home" }).waitFor();
      await page.waitForFunction(isDrawn);
      await page.locator(".graph-drawn[data-at-rest]").waitFor();
      const rows = page.locator(".graph-notes button");
      assert.ok((await rows.count()) > 20, "the same as a list");
      await page.getByText("Display", { exact: true }).click();
      await page.getByLabel("Links", { exact: true }).uncheck();
      await page.getByLabel("Similarity", { exact: true }).uncheck();
      await rows.filter({ hasText: "Country loaf" }).first().click();
      const card = page.locator(".graph-card");
      await card.getByRole("heading", { name: "Country loaf" }).waitFor();
      await page.waitForTimeout(500); // the picture moves to the note
      await page.locator(".graph-drawn").focus();
      await page.keyboard.press("Escape");
      await card.waitFor({ state: "hidden" });
      const { width, height } = await page.locator(".graph-drawn").boundingBox();
      await page.locator(".graph-drawn").click({ position: { x: width / 2, y: height / 2 } });
      await card.getByRole("heading", { name: "Country loaf" }).waitFor();
      await page.getByRole("link", { name: "Center here" }).click();
      await page.getByRole("heading", { name: "Around Country loaf" }).waitFor();
    }));

  test(`${device}: the graph is coloured, narrowed, and tells the path between two notes`, () =>
    visit({ ...look, ...motion, hash: "#/graph?vault=Sample" }, async (page) => {
      const legend = page.getByRole("group", { name: "Colours" });
      await legend.getByText("Kitchen").waitFor();
      await page.getByText("Display", { exact: true }).click();
      for (const [colour, group] of [["Tag", "#book"], ["Community", /^Around /], ["Last change", "Without a date"], ["Type", "Notes"]]) {
        await page.getByRole("combobox", { name: "Colour by" }).selectOption({ label: colour });
        await legend.getByText(group).first().waitFor();
      }
      await page.locator(".graph-drawn[data-at-rest]").waitFor();
      const rows = page.locator(".graph-notes button");
      const field = page.getByRole("searchbox", { name: "Find in this graph" });
      await field.fill("loaf");
      await page.waitForFunction(() => document.querySelectorAll(".graph-notes button").length < 10);
      await page.waitForFunction(() => document.querySelector(".graph-drawn").dataset.found > 0); // the others are dimmed
      await page.getByLabel("Draw only these").check();
      await field.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Path from here" }).click();
      await field.fill("Method of loci");
      await rows.first().click();
      await page.getByRole("button", { name: /^Path from “/ }).click();
      await page.locator(".graph-path li").nth(1).waitFor();
      await page.locator(".graph-card").getByRole("button", { name: "Close" }).click();
    }));
}

const PAGES = [
  ["search?vault=Sample", ".start h1"],
  ["search?q=bread&vault=Sample", "[data-result]"],
  ["search?q=bread&vault=Sample&note=Kitchen/Country+loaf.md", ".reader h1"],
  ["search?q=euler&vault=Other&note=Rich.md", ".diagram img"],
  ["search?q=%22no+such+words+here%22&vault=Sample", ".empty"],
  ["search?vault=Nowhere", ".empty"],
  ["ask?vault=Sample", ".ask"],
  ["search?q=bread&vault=Sample&note=Kitchen/Country+loaf.md&why=yes", ".reasons li"],
  ["search?q=garden&vault=Sample&view=timeline", ".column-bar"],
  ["search?q=garden&vault=Sample&view=graph", ".graph-stage canvas"],
  ["graph?path=Home.md&vault=Sample", ".graph-stage canvas"],
  ["manage?vault=Sample", ".buttons button"],
  ["manage/ledger?vault=Sample", ".panel tbody tr"],
  ["manage/vaults?vault=Sample", ".panel tbody tr"],
  ["manage/stats?vault=Sample", ".shares"],
  ["manage/log?vault=Sample", ".is-named .panel-body > *"],
  ["manage/care?vault=Sample", ".tend h3"],
  ["manage/gleanings?vault=Sample", ".gleaning"],
  ["manage/runs?vault=Sample", ".panel tbody tr"],
  ["manage/engine?vault=Sample", ".panel tbody tr"],
  ["manage/answers?vault=Sample", ".service-form"],
  ["manage/people?vault=Sample", ".panel section p"],
  ["manage/audit?vault=Sample", ".panel tbody tr, .empty"],
  ["manage/config?vault=Sample", ".settings"],
];

/** Whether labels are drawn, which comes after the dots. */
function isDrawn() {
  const canvas = document.querySelector(".graph-stage canvas.sigma-labels");
  const pixels = canvas?.width ? canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data : [];
  return pixels.some((value, n) => n % 4 === 3 && value > 0);
}

test("the queue can be paused, resumed and retried", () =>
  visit({ hash: "#/manage?vault=Sample" }, async (page) => {
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: "Check for changes" }).click();
    await page.getByText("Checking the vault").waitFor();
    await page.getByRole("button", { name: "Reindex everything" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).click(); // what is drawn anew keeps the first press
    await page.getByRole("button", { name: "Really reindex everything?" }).click();
    await page.getByText("Reindexing everything").waitFor();
    await page.getByText(/: (all are )?found by their words/).waitFor({ timeout: READY_MS });
  }));

test("the ledger lists files by state, and says which rule excludes a path", () =>
  visit({ hash: "#/manage/ledger?vault=Sample" }, async (page) => {
    await page.getByRole("link", { name: /^left out/ }).click();
    await page.waitForURL(/state=excluded/);
    await page.locator(".chip[aria-current=true]", { hasText: /^left out/ }).waitFor();
    const path = await page.locator(".panel tbody td").first().textContent();
    await page.getByLabel("The note, by its name or path").fill(path);
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByText(/^It is left out: /).waitFor();
    await page.getByLabel("The note, by its name or path").fill("Nosuch note");
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByText(/^The vault has no such file, and no note of that name/).waitFor();
    await page.getByLabel("The note, by its name or path").fill("Country loaf");
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByText(/^Kitchen\/Country loaf\.md: .*No rule leaves it out\./).waitFor();
    await page.getByLabel("The note, by its name or path").fill("Kitchen/Country loaf.md");
    await page.getByLabel(/^What you searched for/).fill("zebra");
    await page.getByRole("button", { name: "Look" }).click();
    await page.locator(".tester [role=status] p").first().waitFor();
    await page.getByRole("link", { name: /^all/ }).click();
    await page.getByRole("searchbox", { name: "Filter files" }).fill("Kitchen/");
    await page.waitForFunction(() => [...document.querySelectorAll(".panel tbody tr")].every((row) => row.textContent.includes("Kitchen/")));
  }));

test("four pages hold all sections; old addresses lead to theirs; a setting is changed and set back", () =>
  visit({ hash: "#/manage/vaults?vault=Sample" }, async (page) => {
    const pages = page.getByRole("navigation", { name: "Pages of settings" });
    await page.getByRole("cell", { name: "Other", exact: true }).waitFor();
    assert.deepEqual(await pages.getByRole("link").allTextContents(), ["This vault", "Maintenance", "People and devices", "General"]);
    assert.equal(await pages.getByRole("link", { name: "This vault" }).getAttribute("aria-current"), "page");
    await page.getByRole("heading", { name: "Statistics" }).click();
    await page.getByRole("heading", { name: "Tags" }).waitFor();
    assert.match(page.url(), /#\/manage\/stats\?/, "a section that is unfolded is in the address");
    await page.reload();
    await page.getByRole("heading", { name: "Tags" }).waitFor();
    await page.getByRole("heading", { name: "Statistics" }).click();
    await page.waitForFunction(() => /^#\/manage\?/.test(location.hash)); // and no more once it is folded
    assert.ok(await page.getByRole("textbox", { name: "Leave out these files and folders" }).isVisible(), "what people change is open");
    await pages.getByRole("link", { name: "General" }).click();
    await page.getByRole("cell", { name: "all-MiniLM-L6-v2" }).waitFor();
    await page.goto(`${new URL(page.url()).origin}/#/manage/config?vault=Sample`);
    await page.getByRole("searchbox", { name: "Filter settings" }).fill("daily at");
    const row = page.locator(".settings > div").filter({ hasText: "Check the whole vault daily at" });
    await row.waitFor();
    assert.equal(await page.locator(".is-named .settings > div").count(), 1);
    assert.equal(await page.getByText("Some changes take effect").count(), 0, "options of the command line apply already");
    await row.getByRole("textbox").fill("04:15");
    await page.keyboard.press("Tab");
    await page.getByText("Some changes take effect at the next start").waitFor();
    await row.getByText("now 03:30").waitFor();
    await row.getByRole("button", { name: /^Reset/ }).click();
    await page.waitForFunction(() => document.querySelector(".is-named .settings input").value === "03:30");
    await page.getByRole("combobox", { name: "Search your notes" }).fill("bees"); // here a query waits for Enter
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/search/);
    await page.goto(`${new URL(page.url()).origin}/#/manage/log?vault=Sample`);
    await page.getByRole("heading", { name: "Recent searches" }).waitFor();
  }));

test("who administers the server at its computer chooses the folder of memories there, once asked", () =>
  visit({ hash: "#/manage/memory?vault=Sample" }, async (page) => {
    await page.getByRole("heading", { name: "No folder for memories is chosen" }).waitFor();
    assert.equal(await page.getByText(/\[memory\]|toml/).count(), 0);
    await page.getByLabel("Folder of memories").fill("Memory");
    await page.keyboard.press("Tab");
    await page.getByText("This decides what Notewell does on this computer.").waitFor();
    await page.getByRole("button", { name: "Yes, change it" }).click();
    await page.getByRole("heading", { name: "No memories yet" }).waitFor();
  }));

test("an administrator chooses what answers questions, agrees to its host, and ends it", () =>
  visit({ hash: "#/manage/answers?vault=Sample" }, async (page, watched) => {
    await page.getByText("Nothing: questions are not answered").waitFor();
    await page.getByLabel("Service", { exact: true }).selectOption("gemini");
    await page.getByRole("button", { name: "Use this service" }).click();
    assert.ok(await page.getByText("Nothing: questions are not answered").isVisible(), "not without consent");
    await page.getByLabel(/may be sent to generativelanguage\.googleapis\.com/).check();
    await page.getByRole("button", { name: "Use this service" }).click();
    await page.getByText("Google Gemini (generativelanguage.googleapis.com)").waitFor();
    await page.getByRole("button", { name: "Answer no questions" }).click();
    await page.getByText("Nothing: questions are not answered").waitFor();
    await page.goto(`${new URL(page.url()).origin}/#/ask?vault=Sample`);
    await page.getByRole("link", { name: "Choose a service instead" }).waitFor();
    const refused = watched.problems.splice(0); // no language model is set up
    assert.ok(refused.every((text) => text.includes("400")), refused.join("\n"));
  }));

test("an administrator adds a folder as a vault, and removes it with its notes left", () =>
  visit({ hash: "#/manage/vaults?vault=Sample" }, async (page, watched) => {
    const folder = join(held.root, "Third");
    await mkdir(folder);
    await writeFile(join(folder, "Comet.md"), "# Comet\n\nA comet was seen.\n");
    const path = page.getByLabel(/^Add a folder/);
    await path.fill("Third");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText(/no whole path/).waitFor();
    await path.fill(folder);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Remove… Third" }).waitFor();
    await page.getByRole("combobox", { name: "Vault" }).selectOption({ label: "Third" });
    await page.goto(`${held.url}/#/search?q=comet&vault=Third`);
    await page.locator('[data-result="Comet.md"]').waitFor({ timeout: READY_MS });
    await page.goto(`${held.url}/#/manage/vaults?vault=Sample`);
    await page.getByRole("button", { name: "Remove… Third" }).click();
    await page.getByRole("button", { name: "Really remove? Third" }).click();
    await page.getByRole("button", { name: /Third$/ }).waitFor({ state: "detached" });
    assert.match(await readFile(join(folder, "Comet.md"), "utf8"), /comet/);
    watched.problems.length = 0; // the browser tells of the refusal that is looked at
  }));

test("saved links are filtered, get a status, and become notes after saying which; the run is listed", () =>
  visit({ hash: "#/manage/gleanings?vault=Sample" }, async (page) => {
    const links = page.locator(".gleaning");
    await links.nth(1).waitFor();
    await page.getByRole("searchbox", { name: "Filter saved links" }).fill("sleep");
    await page.waitForFunction(() => document.querySelectorAll(".gleaning").length === 1);
    await page.getByRole("button", { name: "Mark as dead: Bees at night" }).click();
    const archived = page.getByRole("link", { name: "find it in the archive" });
    assert.equal(await archived.getAttribute("href"), "https://web.archive.org/web/*/https://bees.example/night?a=1");
    await page.getByRole("link", { name: "dead 1" }).waitFor();
    await page.getByRole("button", { name: "Make active: Bees at night" }).click();
    await page.getByRole("link", { name: "active 2" }).click();
    await page.getByRole("button", { name: "Make notes of saved links…" }).click();
    await page.getByText("2 notes would be made").waitFor();
    await page.getByRole("button", { name: "Make 2 notes" }).click();
    await page.getByText("2 notes were made").waitFor();
    await page.getByRole("link", { name: "its note" }).waitFor({ timeout: READY_MS });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForFunction(() => !document.querySelector(".gleaning .meta a + a"));
    await page.goto(`${held.url}/#/manage/runs?vault=Sample`);
    await page.getByRole("row", { name: /^Making notes of saved links .*notes made: 2.* a person/ }).waitFor();
    await page.getByRole("heading", { name: "Next" }).waitFor();
  }));

test("suggestions are reviewed, applied, taken back, rejected, and let in again; checks are switched", () =>
  visit({ hash: "#/manage/tend?vault=Other" }, async (page, watched) => {
    const note = (name) => readFile(join(held.root, "Other", name), "utf8");
    const before = await note("Rye.md");
    await page.getByText("What is looked for").click();
    await page.getByLabel("Names without a link").click();
    await page.getByText("Saved; the next plan looks for this").waitFor();
    await page.getByRole("button", { name: "Make a plan" }).click();
    await page.getByRole("heading", { name: /^Plan of/ }).waitFor();
    const planned = page.url();
    assert.equal(await page.getByRole("region", { name: "Names without a link" }).count(), 0);
    await page.getByRole("button", { name: "Accept all 2: Broken links" }).click();
    await page.getByRole("button", { name: "Reject: #Grain → #grain" }).click();
    assert.equal(await note("Rye.md"), before, "marks change nothing");
    await writeFile(join(held.root, "Other/Spelt.md"), "# Spelt\n\nChanged since.\n");
    await page.getByRole("button", { name: "Apply 2 suggestions, reject 1" }).click();
    await page.getByText("1 suggestion is applied. 1 was refused, see below. 1 is rejected.").waitFor();
    await page.getByText("Spelt.md was changed since the plan was made").waitFor();
    assert.match(await note("Rye.md"), /\[\[Spelt\]\]/);
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("1 suggestion is taken back.").waitFor();
    assert.equal(await note("Rye.md"), before);
    await page.getByRole("button", { name: "Reject the whole plan…" }).click();
    await page.getByRole("button", { name: "Really reject 2 suggestions for good?" }).click();
    await page.getByText("No plan yet").waitFor();
    await page.getByText("What you rejected").click();
    await page.getByRole("button", { name: "Let it come again: #Grain → #grain" }).click();
    await page.getByText("It can come again").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".tend-rejections li").length === 2);
    await page.goto(planned);
    await page.getByRole("alert").getByText("Not found").waitFor();
    watched.problems.length = 0; // the browser tells of the plan that is gone
  }));

test("a conflict copy is no result of its own: what it alone says is found with its note, and suggested to be settled", () =>
  visit({ hash: "#/search?q=ergot&vault=Other" }, async (page) => {
    await writeFile(join(held.root, "Other/Rye (conflicted copy 2026-01-01).md"), `${await readFile(join(held.root, "Other/Rye.md"), "utf8")}\nErgot blackens the ears in a wet June.\n`);
    const row = page.locator('[data-result="Rye.md"]');
    await until("the copy is indexed", async () => {
      await page.reload();
      await row.waitFor({ timeout: READY_MS });
      return (await page.getByText("1 conflict copy").count()) === 1;
    });
    await page.getByText("Conflict copy: Rye (conflicted copy 2026-01-01).md").waitFor();
    await page.goto(`${new URL(page.url()).origin}/#/manage/tend?vault=Other`);
    await page.getByRole("button", { name: "Make a plan" }).click();
    const kind = page.getByRole("region", { name: "Conflict copies" });
    await kind.getByText("Ergot blackens the ears").waitFor();
    assert.equal(await kind.getByRole("button", { name: /^Accept/ }).count(), 0);
    await kind.scrollIntoViewIfNeeded();
    await mkdir(OUT, { recursive: true });
    await page.screenshot({ path: join(OUT, "web-conflict-copy.png") });
    assert.deepEqual(await violations(page), []);
    await kind.getByRole("button", { name: /^Reject/ }).click();
    await page.getByRole("button", { name: "Reject 1 suggestion" }).click();
    await page.getByText("1 is rejected").or(page.getByText("the plan is deleted")).first().waitFor();
  }));

test("a note shows its pictures, embedded notes, callouts and footnotes; a table without end is text", () =>
  visit({ hash: "#/search?q=outer&vault=Other&note=Outer.md" }, async (page) => {
    const prose = page.locator(".reader .prose");
    await prose.locator("img").nth(1).waitFor();
    assert.ok(await prose.locator("img").first().evaluate((img) => img.decode().then(() => img.naturalWidth === 1)));
    assert.equal(await prose.locator("p", { hasText: "Press" }).locator("img").evaluate((img) => getComputedStyle(img).display), "inline");
    await prose.locator(".embedded").getByText("inner text").waitFor();
    assert.equal(await prose.locator(".embedded .embedded").count(), 0, "a note that embeds itself ends");
    assert.equal(await prose.getByText("hot").isVisible(), false);
    await prose.getByText("Mind").click();
    await prose.getByText("hot").waitFor();
    await prose.getByRole("button", { name: "Footnote 1" }).click();
    await page.waitForFunction(() => document.activeElement?.closest(".footnotes"));
    await page.goto(`${new URL(page.url()).origin}/#/search?q=wide&vault=Other&note=Wide.md`);
    await prose.getByText("after it").waitFor();
    assert.equal(await prose.locator("table").count(), 0);
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme}: formulas, code and diagrams are drawn with what is loaded for them alone, and stay harmless`, () =>
    visit({ hash: "#/search?q=euler&vault=Other", colorScheme }, async (page) => {
      const asked = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      const { origin } = new URL(page.url());
      const prose = page.locator(".reader .prose");
      await page.goto(`${origin}/#/search?q=alone&vault=Other&note=Alone.md`);
      await prose.getByText("bees").waitFor();
      assert.ok(!asked.some((path) => /\/(math|code|diagram|KaTeX)/.test(path)), "a plain note loads none of it");
      await page.goto(`${origin}/#/search?q=euler&vault=Other&note=Rich.md&line=5`);
      await prose.locator(".katex").first().waitFor();
      assert.equal(await prose.locator(".math.is-plain").count(), 2, "what cannot be set stays as it is written");
      assert.equal(await prose.locator(".katex a").count(), 0);
      await page.waitForFunction(() => document.fonts.check("16px KaTeX_Main")); // its fonts are ours
      const picture = prose.locator(".diagram img");
      await picture.waitFor();
      assert.equal(await picture.getAttribute("alt"), "Diagram: Mix, Bake");
      assert.ok(await picture.evaluate((img) => img.decode().then(() => img.naturalWidth > 20)));
      await prose.getByText("Diagrams of the kind “gantt”").waitFor();
      await prose.locator(".code-keyword", { hasText: "def" }).waitFor();
      assert.deepEqual(await violations(page), []);
      const edit = page.getByRole("link", { name: "Edit at line 5" });
      assert.match(await edit.getAttribute("href"), /^obsidian:\/\/notewell-open\?vault=Other&file=Rich\.md&line=5$/);
      const fonts = await page.evaluate(async () => {
        const name = performance.getEntriesByType("resource").map((entry) => entry.name).find((one) => one.endsWith(".woff2"));
        return (await fetch(name)).headers.get("cache-control");
      });
      assert.match(fonts, /immutable/);
    }));
}

test("no page is wider than its window, at six widths", () =>
  visit({ reducedMotion: "reduce" }, async (page, watched) => {
    const { origin } = new URL(page.url());
    const found = [];
    for (const [place, sign] of PAGES) {
      await page.goto(`${origin}/#/${place}`);
      await page.locator(sign).first().waitFor();
      for (const width of [360, 390, 820, 1100, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        const out = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (out > 0) found.push(`${place} at ${width}: ${out} px`);
      }
    }
    assert.deepEqual(found, []);
    const refused = watched.problems.splice(0); // no language model is set up, which the view for questions shows
    assert.ok(refused.every((text) => text.includes("400")), refused.join("\n"));
  }));

test("a note with hostile markup is shown as text, and so is its name", () =>
  visit({ hash: "#/search?q=hostile&vault=Other" }, async (page) => {
    await page.locator("[data-result]").first().click();
    await page.locator(".reader .prose .nowhere").first().waitFor();
    assert.notEqual(await page.title(), "owned");
    assert.equal(await page.locator("#app img, #app script, #app iframe").count(), 0);
    const blocked = await page.evaluate(() => {
      try {
        document.body.setHTMLUnsafe("<b>x</b>");
        return false;
      } catch {
        return true;
      }
    });
    assert.ok(blocked, "the browser refuses to turn text into HTML");
  }).catch((error) => {
    // The policy's own message about the attempt above is what should be in the console.
    if (!/TrustedHTML/.test(error.message)) throw error;
  }));

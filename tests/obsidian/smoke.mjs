// What only Obsidian can tell: that it loads the plugin, shows its views, opens notes, and lets go.

/* global before, describe, it -- mocha brings them */

import assert from "node:assert/strict";
import { resolve } from "node:path";
import { $, browser } from "@wdio/globals";

const PROGRAM = process.env.NOTEWELL_TEST_COMMAND ?? resolve(import.meta.dirname, "../../.venv/bin/notewell");
const SEARCH = '[data-type="notewell-search"]';

/** Says where the program is, as a person does in the settings, and loads the plugin anew. */
async function useThisComputer() {
  await browser.executeObsidian(async ({ app }, program) => {
    app.saveLocalStorage("notewell-device", { mode: "local", program, startAgreed: true });
    await app.plugins.disablePlugin("notewell");
    await app.plugins.enablePlugin("notewell");
  }, PROGRAM);
}

describe("Notewell in Obsidian", () => {
  before(async () => {
    await useThisComputer();
    await browser.waitUntil(async () => (await $(".status-bar").getText()).includes("Notewell: ready"), {
      timeoutMsg: "The status bar does not say that the plugin is ready.",
    });
  });

  it("finds by meaning, and opens the note at the passage", async () => {
    await browser.executeObsidianCommand("notewell:open-search");
    await $(`${SEARCH} input[type="search"]`).setValue("sourdough that is kept in the fridge");
    const passage = $(`${SEARCH} .notewell-results[aria-busy="false"] .notewell-passage`);
    await passage.waitForDisplayed();
    await passage.click();
    const opened = () => browser.executeObsidian(({ app }) => app.workspace.getActiveFile()?.basename ?? "");
    await browser.waitUntil(async () => (await opened()) === "Starter that sleeps in the cold");
    const selected = await browser.executeObsidian(({ app }) => app.workspace.activeEditor?.editor?.getSelection() ?? "");
    assert.ok(selected.length > 0, "the passage is selected");
  });

  it("shows notes similar to the one in front", async () => {
    await browser.executeObsidianCommand("notewell:open-similar");
    await $('[data-type="notewell-similar"] .notewell-result').waitForDisplayed();
  });

  it("finds what was just written", async () => {
    await browser.executeObsidian(({ app }) => app.vault.create("Quillwort.md", "The quillwort grows beside the tarn."));
    await $(`${SEARCH} input[type="search"]`).setValue("quillwort tarn");
    await $(`${SEARCH} [data-path="Quillwort.md"]`).waitForDisplayed();
  });

  it("moves into a window of its own and works there", async () => {
    await browser.executeObsidian(({ app }) => {
      const [leaf] = app.workspace.getLeavesOfType("notewell-search");
      app.workspace.moveLeafToPopout(leaf);
    });
    await browser.waitUntil(async () => (await browser.getWindowHandles()).length === 2);
    const [first, second] = await browser.getWindowHandles();
    await browser.switchToWindow(second);
    await $(`${SEARCH} input[type="search"]`).setValue("how memory fades");
    await $(`${SEARCH} .notewell-result`).waitForDisplayed();
    await browser.closeWindow();
    await browser.switchToWindow(first);
  });

  it("leaves nothing behind when it is disabled", async () => {
    const left = await browser.executeObsidian(async ({ app }) => {
      await app.plugins.disablePlugin("notewell");
      const commands = Object.keys(app.commands.commands).filter((id) => id.startsWith("notewell:"));
      return commands.length + document.querySelectorAll('[data-type^="notewell-"], .plugin-notewell').length;
    });
    assert.equal(left, 0);
  });
});

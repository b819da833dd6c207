/** The footer below open notes: where it stands, and when it goes. */

import { MarkdownView, type Component, type Plugin } from "obsidian";
import { expect, it } from "vitest";
import type { Finder } from "../../plugin/src/finder";
import { Settings } from "../../plugin/src/settings";
import { Footers } from "../../plugin/src/ui/footer";
import type { ViewContext } from "../../plugin/src/ui/viewContext";
import { aReply, aResult } from "./samples";

interface OpenNote {
  file: { path: string };
  mode: "source" | "preview";
}

/** A note that is open in the app, with the elements that its two modes draw in. */
function viewOf(note: OpenNote): MarkdownView {
  const contentEl = document.body.createDiv();
  contentEl.createDiv("cm-sizer");
  contentEl.createDiv("markdown-preview-sizer");
  const own = { contentEl: { value: contentEl }, file: { get: () => note.file }, getMode: { value: () => note.mode } };
  return Object.create(MarkdownView.prototype, own) as MarkdownView;
}

it("stands once below each open note, moves with its mode, and follows the note", async () => {
  const keep = { loadVault: () => Promise.resolve(null), saveVault: () => Promise.resolve(), loadDevice: () => null, saveDevice: () => undefined };
  const settings = new Settings(keep);
  const note: OpenNote = { file: { path: "a.md" }, mode: "source" };
  const asked: string[] = [];
  const similar = ({ path }: { path: string }): Promise<unknown> => {
    asked.push(path);
    return Promise.resolve(aReply([aResult("a.md"), aResult("b.md"), aResult("c.md")]));
  };
  const finder = { similar, subscribe: () => () => undefined } as unknown as Finder;
  const leaves = [{ view: viewOf(note) }];
  const app = { workspace: { getLeavesOfType: () => leaves } };
  const plugin = {
    addChild: (child: Component) => (child.load(), child),
    removeChild: (child: Component) => child.unload(),
  } as unknown as Plugin;
  const footers = new Footers(plugin, { app, settings } as unknown as ViewContext, finder);
  const places = (): string[] => [...document.querySelectorAll(".notewell-footer")].map((el) => el.parentElement?.className ?? "");

  footers.update();
  expect(places(), "off unless it was chosen").toEqual([]);
  await settings.set("footer", true);
  footers.update();
  footers.update();
  expect([places(), asked]).toEqual([["cm-sizer"], ["a.md"]]);
  await expect.poll(() => document.querySelector(".notewell-footer")?.textContent).toContain("b");
  expect([...document.querySelectorAll(".notewell-footer [data-path]")].map((el) => el.getAttribute("data-path"))).toEqual(["b.md", "c.md"]);
  note.mode = "preview";
  footers.update();
  expect(places()).toEqual(["markdown-preview-sizer"]);
  note.file = { path: "b.md" };
  footers.update();
  expect([places().length, asked.at(-1)]).toEqual([1, "b.md"]);
  await settings.set("footer", false);
  footers.update();
  expect(places()).toEqual([]);
});

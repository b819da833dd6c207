/** The first screen: what works now, what the helper adds and costs, and the ways to get it. */

import { Platform } from "obsidian";
import type { ConnectionState } from "../connection";
import { count } from "../format";
import { faint, title } from "./controls";
import { renderCommands } from "./message";
import { INSTALL } from "./explain";
import type { Found } from "../server";
import type { ViewContext } from "./viewContext";
import { t, tn } from "../texts";

/** The states in which the helper is not set up, so that the first screen is shown. */
const FIRST_STATES = ["not-set-up", "needs-consent", "not-installed"];
const LOOK_EVERY_MS = 2_000;
const NOTES_A_MINUTE = 4_000; // on two cores, README.md
const UV = {
  unix: "curl -LsSf https://astral.sh/uv/install.sh | sh",
  windows: 'powershell -ExecutionPolicy ByPass -c "irm https://astral.sh/uv/install.ps1 | iex"',
};

export function isFirstState(state: ConnectionState): boolean {
  return state.name === "offline" && FIRST_STATES.includes(state.why);
}

export class SetupScreen {
  readonly #el: HTMLElement;
  readonly #context: ViewContext;
  #found: Found = { program: null, isRunning: false };
  #drawn = "";
  #isTerminalOpen = false;

  constructor(parent: HTMLElement, context: ViewContext) {
    this.#el = parent.createDiv("notewell-setup");
    this.#context = context;
  }

  /** Looks for the helper every two seconds while the screen is shown. Returns the interval's id. */
  watch(): number {
    return window.setInterval(() => {
      if (this.#el.isShown()) void this.#look();
    }, LOOK_EVERY_MS);
  }

  /** Shows the screen, or hides it. */
  show(isShown: boolean): void {
    if (isShown && this.#drawn) this.#draw(); // another state may have other words
    if (isShown === (this.#drawn !== "")) return;
    if (isShown) {
      this.#draw();
      void this.#look();
    } else {
      this.#el.empty();
      this.#drawn = "";
    }
  }

  async #look(): Promise<void> {
    this.#found = await this.#context.look();
    if (this.#drawn) this.#draw();
  }

  #draw(): void {
    const { local, can } = this.#context;
    const { index, left, isComplete } = local.reader;
    const isHere = can("start");
    const { state } = this.#context.connection;
    const drawn = JSON.stringify([index.size, left, this.#found, isHere, this.#isTerminalOpen, state]);
    if (drawn === this.#drawn) return; // the buttons stay clickable
    this.#drawn = drawn;
    const el = this.#el;
    el.empty();
    title(el, t("Search works now"));
    const notes = index.size > 0 ? tn(index.size, "Your {n} note is searched by name, heading, tag and text, on this device.", "Your {n} notes are searched by name, heading, tag and text, on this device.") : t("Your notes are searched by name, heading, tag and text, on this device."); // before the first are listed
    const read = isComplete || index.size === 0 ? "" : t("{read} of them are read so far.", { read: index.size - left });
    el.createEl("p", { text: [notes, t("Nothing else is needed."), read].join(" ").trim() });
    title(el, t("The helper adds"));
    drawList(el, [
      t("Search by meaning: “food that keeps” finds “pickling”"),
      t("Similar notes by what they say"),
      t("Answers from your notes, and search for AI assistants, if you want them"),
      t("The same search on your phone, through your computer"),
    ]);
    faint(el, this.#cost(index.size));
    if (isHere) this.#drawWays(el.createDiv("notewell-ways"));
    else faint(el, t("On a phone the helper is used on a computer of yours, at its address."));
    this.#drawButtons(el, isHere);
    if (this.#isTerminalOpen) drawTerminal(el);
  }

  #cost(notes: number): string {
    const minutes = Math.max(1, Math.round(notes / NOTES_A_MINUTE));
    return (
      t("It is a free program on your computer: about 310 MB, and 90 MB for its language model. It reads your notes in about {minutes}, " + "keeps its index in your user folder and not in the vault, and starts and stops with Obsidian. Your notes stay on your computer.", { minutes: count(minutes, "minute") })
    );
  }

  /** What was found on this computer. */
  #drawWays(el: HTMLElement): void {
    el.setAttrs({ role: "status" });
    const { program, isRunning } = this.#found;
    const { state } = this.#context.connection;
    if (isRunning) title(el, t("The helper is running for this vault. Connect?"));
    else if (program) title(el, t("Found. Start?"));
    else if (state.name === "offline" && state.why === "not-installed") {
      // It was set up before, so this is a trouble and no first visit.
      const box = el.createDiv("notewell-message");
      title(box, t("The helper is not installed any more"));
      box.createDiv({ text: t("This vault is set to start it, and it was not found where it was. Install it again, or enter its path in the settings.") });
      if (state.detail) faint(box, state.detail);
    } else faint(el, t("The helper was not found on this computer. This screen looks again every 2 seconds."));
    if (program) faint(el, program);
  }

  #drawButtons(parent: HTMLElement, isHere: boolean): void {
    const { act, releases } = this.#context;
    const row = parent.createDiv("notewell-buttons");
    const add = (text: string, run: () => unknown): void => {
      const cls = row.hasChildNodes() ? "" : "mod-cta"; // the first way is the primary one
      row.createEl("button", { text, cls }).onclick = run;
    };
    const { program, isRunning } = this.#found;
    if (isHere && (program || isRunning)) add(isRunning ? t("Connect") : t("Start"), () => act("start"));
    else if (isHere && releases) add(t("Get the helper"), () => window.open(releases));
    if (isHere && !program && !isRunning) {
      add(t("I use a terminal"), () => {
        this.#isTerminalOpen = !this.#isTerminalOpen;
        this.#draw();
      });
    }
    add(t("Use another computer"), () => act("settings"));
  }
}

function drawList(parent: HTMLElement, items: readonly string[]): void {
  const list = parent.createEl("ul");
  for (const text of items) list.createEl("li", { text });
}

/** Lines to copy: the plugin itself never installs anything. */
function drawTerminal(parent: HTMLElement): void {
  const el = parent.createDiv("notewell-terminal");
  faint(el, t("In the folder of Notewell's source code, one of these:"));
  renderCommands(el, INSTALL);
  faint(el, t("Without uv, get it first:"));
  renderCommands(el, [Platform.isWin ? UV.windows : UV.unix]);
}

/** The card of the first run, in the search panel: what the helper adds, and the one way to it that works here. */

import { PHONE_INDEX } from "../local/phoneFile";
import type { ConnectionState } from "../connection";
import { button, faint, STATUS, title, wordButton } from "./controls";
import { renderCommands } from "./message";
import { BUILD } from "./explain";
import type { Found } from "../server";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

/** The states in which the helper is not set up, so that the card is shown. */
const FIRST_STATES = ["not-set-up", "needs-consent", "not-installed"];
const LOOK_EVERY_MS = 2_000;

export function isFirstState(state: ConnectionState): boolean {
  return state.name === "offline" && FIRST_STATES.includes(state.why);
}

/** What was found: the helper on this computer, or on a phone the file of vectors. */
interface Seen extends Found {
  readonly hasFile: boolean;
}

export class SetupCard {
  readonly #el: HTMLElement;
  readonly #context: ViewContext;
  #seen: Seen = { program: null, isRunning: false, hasFile: false };
  #drawn = "";
  #isHow = false; // whether it is told how to get the helper where there is no release

  constructor(parent: HTMLElement, context: ViewContext) {
    this.#el = parent.createDiv();
    this.#context = context;
  }

  /** Looks for the helper every two seconds while the card is shown. Returns the interval's id. */
  watch(): number {
    return window.setInterval(() => {
      if (this.#drawn && this.#el.isShown()) void this.#look();
    }, LOOK_EVERY_MS);
  }

  /** Shows the card, or hides it. */
  show(isShown: boolean): void {
    const isNew = isShown && !this.#drawn;
    if (isShown) this.#draw();
    else {
      this.#el.empty();
      this.#drawn = "";
    }
    if (isNew) void this.#look();
  }

  async #look(): Promise<void> {
    const { look, can, app } = this.#context;
    const hasFile = !can("start") && (await app.vault.adapter.stat(PHONE_INDEX)) !== null;
    this.#seen = { ...(await look()), hasFile };
    if (this.#drawn) this.#draw();
  }

  #draw(): void {
    const { can, settings, connection } = this.#context;
    const isHere = can("start");
    const { state } = connection;
    const { program, isRunning, hasFile } = this.#seen;
    const canLoad = hasFile && !settings.chosen.loadPhone;
    const drawn = JSON.stringify([this.#seen, isHere, canLoad, this.#isHow, state]);
    if (drawn === this.#drawn) return; // the buttons stay clickable
    this.#drawn = drawn;
    this.#el.empty();
    const el = this.#el.createDiv({ cls: "notewell-message notewell-setup", attr: STATUS });
    button(el, "x", t("Dismiss"), () => settings.set("offersHelper", false));
    title(el, t("Search finds words"));
    el.createDiv({ text: this.#cause(isHere, canLoad) });
    faint(el, isRunning ? "" : (program ?? ""));
    this.#drawButtons(el.createDiv("notewell-buttons"), isHere, canLoad);
    if (!this.#isHow || program || isRunning) return;
    faint(el, t("There is no release to download yet. In the folder of Notewell's source code:"));
    renderCommands(el, BUILD);
  }

  #drawButtons(row: HTMLElement, isHere: boolean, canLoad: boolean): void {
    const { settings, act, releases } = this.#context;
    const { program, isRunning } = this.#seen;
    const add = (text: string, run: () => unknown): unknown => wordButton(row, text, run);
    const getIt = (): void => {
      if (releases) window.open(releases);
      else this.#isHow = !this.#isHow;
      this.#draw();
    };
    if (canLoad) add(t("Load it"), () => settings.set("loadPhone", true));
    else if (isHere && isRunning) add(t("Connect"), () => act("start"));
    else if (isHere) add(program ? t("Start") : t("Get the helper"), program ? () => act("start") : getIt);
    add(isHere ? t("Use another computer") : t("Connect to a computer"), () => act("settings"));
  }

  #cause(isHere: boolean, canLoad: boolean): string {
    const { program, isRunning, hasFile } = this.#seen;
    const { state } = this.#context.connection;
    if (canLoad) return t("A file in this vault adds meaning on this phone.");
    if (hasFile) return t("The file in this vault adds meaning. A computer with the helper adds answers.");
    if (!isHere) return t("A computer of yours with the helper adds meaning here.");
    if (isRunning) return t("The helper runs for this vault already.");
    if (program) return t("The helper is installed. Your notes stay on this computer.");
    if (state.name === "offline" && state.why === "not-installed") return [t("The helper is not where it was."), state.detail].filter(Boolean).join(" ");
    return t("A free helper on this computer adds meaning, in about 400 MB. Your notes stay here.");
  }
}

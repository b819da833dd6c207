/** The files panel: the state of each file and why, and a test for any path. */

import type { LedgerReply, LedgerRow, LedgerState } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { fill, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { ago, bytes } from "../../lib/format";
import { noteAddress } from "../../parts/resultRow";
import { about, Loader, table, type Panel } from "./panel";
import { Settings } from "./settings";
import { number, t, tn } from "../../../src/texts";

const STATES: readonly (LedgerState | "")[] = ["", "indexed", "pending", "keyword_only", "failed", "excluded"];
const SHOWN = 300;

/** What a state means for whoever looks for the note. */
const stateWords = (): Readonly<Record<LedgerState, string>> => ({
  indexed: t("found"),
  pending: t("waiting to be read"),
  keyword_only: t("found by words only"),
  failed: t("cannot be read"),
  excluded: t("left out"),
});

export class LedgerPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #states = h("div", { class: "chips", role: "group", "aria-label": t("State") });
  readonly #filter = h("input", { type: "search", placeholder: t("Part of a path or reason"), "aria-label": t("Filter files") });
  readonly #body = h("div", { class: "panel-body" });
  readonly #verdict = h("div", { role: "status" });
  readonly #loader = new Loader(this.#body);
  readonly #tester = new Loader(this.#verdict);
  readonly #settings: Settings;
  #words: HTMLInputElement | null = null;
  #found: LedgerReply | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#settings = new Settings(context, ["vault.types", "vault.include", "vault.exclude", "vault.ocr", "schedule.reconcile"]);
    this.#filter.addEventListener("input", () => this.#found && fill(this.#body, ...this.#draw(this.#found)));
    this.el.append(
      this.#testForm(),
      about(t("Every file of the vault, its state, and the reason.")),
      this.#states,
      this.#filter,
      this.#body,
      h("details", {}, h("summary", {}, t("Which files are read")), this.#settings.el),
    );
  }

  show({ query }: Address): void {
    this.#settings.show();
    if (this.#words && query["asked"]) this.#words.value = query["asked"];
    const state = STATES.find((known) => known === query["state"]) ?? "";
    void this.#loader.load(
      () => this.#context.vaultClient.ledger(state ? { state } : {}),
      (found) => {
        this.#found = found;
        this.#drawStates(found, state);
        return this.#draw(found);
      },
    );
  }

  #drawStates({ counts, total }: LedgerReply, present: string): void {
    const numberOf = (state: LedgerState | ""): number => (state ? (counts[state] ?? 0) : total);
    const chips = STATES.filter((state) => state === "" || state === present || numberOf(state) > 0).map((state) => {
      const n = numberOf(state);
      const label = `${state ? stateWords()[state] : t("all")} ${number(n)}`;
      const isHere = state === present;
      return h("a", { class: isHere ? "chip is-set" : "chip", href: this.#context.to("manage", { state }, "ledger"), "aria-current": isHere ? "true" : null }, label);
    });
    fill(this.#states, ...chips);
  }

  #draw({ entries }: LedgerReply): (Node | null)[] {
    const filter = this.#filter.value.trim().toLowerCase();
    const rows = filter ? entries.filter((row) => matches(row, filter)) : entries;
    const rest = rows.length - SHOWN;
    return [
      h("p", { class: "faint" }, count(rows.length, "file", "files")),
      table(t("Files"), [t("File"), t("State"), t("Why"), t("Size"), t("Checked")], rows.slice(0, SHOWN).map((row) => this.#cells(row))),
      rest > 0 ? h("p", { class: "faint" }, tn(rest, "{n} more is not shown; filter to see it.", "{n} more are not shown; filter to see them.")) : null,
    ];
  }

  #cells(row: LedgerRow): (Node | string)[] {
    const isThere = row.state !== "excluded" && row.state !== "failed";
    const path = isThere ? h("a", { href: noteAddress(this.#context, row.path) }, row.path) : row.path;
    const why = [row.reason ?? "", ...row.warnings].filter(Boolean).join("; ");
    return [path, stateWords()[row.state], h("span", { title: row.rule }, why), row.size ? bytes(row.size) : "", ago(row.updated)];
  }

  /** A form that tells of any note, existing or not, why it is not found. */
  #testForm(): HTMLElement {
    const note = h("input", { id: "tested", placeholder: t("Folder/Note.md"), autocomplete: "off", spellcheck: "false" });
    const words = (this.#words = this.#context.has("diagnose") ? h("input", { id: "tested-words", autocomplete: "off", maxlength: 4096 }) : null);
    const test = (event: Event): void => {
      event.preventDefault();
      const path = note.value.trim();
      const q = words?.value.trim() ?? "";
      if (path) void (q ? this.#diagnose(q, path) : this.#test(path));
    };
    return h(
      "form",
      { class: "tester", on: { submit: test } },
      h("h3", {}, t("Why is this note not found?")),
      h("label", { for: "tested" }, t("The note, by its name or path")),
      note,
      words && h("label", { for: "tested-words" }, t("What you searched for, if it is about a search")),
      words,
      h("div", { class: "buttons" }, h("button", { class: "quiet" }, t("Look"))),
      this.#verdict,
    );
  }

  /** Which step of a search lost the note. */
  #diagnose(q: string, path: string): Promise<void> {
    return this.#tester.load(
      () => this.#context.vaultClient.diagnose(q, path),
      ({ why, mend }) => [h("p", {}, why), mend ? h("p", {}, mend) : null],
    );
  }

  #test(path: string): Promise<void> {
    return this.#tester.load(
      () => this.#context.vaultClient.ledger({ path }),
      ({ entries }) => {
        const [row] = entries;
        if (!row) return [h("p", {}, t("No rule leaves it out, but no such file exists."))];
        if (row.rule === "missing") return [h("p", {}, row.reason)];
        if (row.state === "excluded") return [h("p", {}, t("It is left out: {reason}", { reason: row.reason ?? row.rule ?? t("a rule") }))];
        return [h("p", {}, row.reason ? t("{path}: {state}. {reason}", { path: row.path, state: stateWords()[row.state], reason: row.reason }) : t("{path}: {state}. No rule leaves it out.", { path: row.path, state: stateWords()[row.state] }))];
      },
    );
  }
}

function matches({ path, reason, rule, warnings }: LedgerRow, filter: string): boolean {
  return [path, reason, rule, ...warnings].some((text) => text?.toLowerCase().includes(filter));
}

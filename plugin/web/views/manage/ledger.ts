/** The files panel: the state of each file and why, and a test for any path. */

import type { LedgerReply, LedgerRow, LedgerState } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { fill, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { ago, bytes } from "../../lib/format";
import { noteAddress } from "../../parts/resultRow";
import { heading, Loader, table, type Panel } from "./panel";
import { number, t, tn, tparts } from "../../../src/texts";
import { stateWord } from "../../../src/words";

const STATES: readonly (LedgerState | "")[] = ["", "indexed", "pending", "keyword_only", "failed", "excluded"];
const SHOWN = 300;

export class LedgerPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #states = h("div", { class: "chips", role: "group", "aria-label": t("State") });
  readonly #filter = h("input", { type: "search", placeholder: t("Part of a path or reason"), "aria-label": t("Filter files") });
  readonly #body = h("div", { class: "panel-body" });
  readonly #verdict = h("div", { role: "status" });
  readonly #loader = new Loader(this.#body);
  readonly #tester = new Loader(this.#verdict);
  #found: LedgerReply | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#filter.addEventListener("input", () => this.#found && fill(this.#body, ...this.#draw(this.#found)));
    this.el.append(
      heading(t("Files"), t("Every file of the vault, its state, and the reason.")),
      this.#testForm(),
      this.#states,
      this.#filter,
      this.#body,
    );
  }

  show({ query }: Address): void {
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
      const label = `${state ? stateWord(state) : t("all")} ${number(n)}`;
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
    const rule = row.rule && !why ? h("code", {}, row.rule) : null; // its code, where nothing says it in words
    return [path, stateWord(row.state), h("span", { title: row.rule }, rule, why), row.size ? bytes(row.size) : "", ago(row.updated)];
  }

  /** A form that tests whether any path, existing or not, would be excluded. */
  #testForm(): HTMLElement {
    const field = h("input", { id: "tested", placeholder: t("Folder/Note.md"), autocomplete: "off", spellcheck: "false" });
    const test = (event: Event): void => {
      event.preventDefault();
      const path = field.value.trim();
      if (path) void this.#test(path);
    };
    return h(
      "form",
      { class: "tester", on: { submit: test } },
      h("label", { for: "tested" }, t("Would this path be indexed?")),
      h("div", { class: "login-row" }, field, h("button", { class: "quiet" }, t("Test"))),
      this.#verdict,
    );
  }

  #test(path: string): Promise<void> {
    return this.#tester.load(
      () => this.#context.vaultClient.ledger({ path }),
      ({ entries }) => {
        const [row] = entries;
        if (!row) return [h("p", {}, t("No rule excludes it, but no such file exists."))];
        if (row.state !== "excluded") return [h("p", {}, t("It is {state}: no rule excludes it.", { state: stateWord(row.state) }))];
        return [h("p", {}, ...tparts("Excluded by {rule}: {reason}", { rule: h("code", {}, row.rule ?? t("a rule")), reason: row.reason ?? "" }))];
      },
    );
  }
}

function matches({ path, reason, rule, warnings }: LedgerRow, filter: string): boolean {
  return [path, reason, rule, ...warnings].some((text) => text?.toLowerCase().includes(filter));
}

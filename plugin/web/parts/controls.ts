/** The explorer's controls: those that need a new request, and those that rerank in the browser. */

import { button, fill, h } from "../lib/dom";
import type { Addend, Controls } from "../lib/remix";
import { number, t, tn } from "../../src/texts";

/** Request parameters, as in the address. */
export type ServerParameters = Readonly<Record<string, string>>;

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly options: readonly [value: string, label: string][];
}

const yesNo = (): readonly [string, string][] => [
  ["", t("Server default")],
  ["true", t("Yes")],
  ["false", t("No")],
];
const choices = (): readonly Choice[] => [
  {
    name: "mode",
    label: t("Mode"),
    options: [
      ["", t("Words and meaning")],
      ["keyword", t("Words")],
      ["semantic", t("Meaning")],
    ],
  },
  {
    name: "alpha",
    label: t("Weight of meaning"),
    options: [["", t("Automatic")], ...["0", "0.25", "0.5", "0.75", "1"].map(percentOption)],
  },
  { name: "weak", label: t("Weak matches"), options: [["", t("Left out")], ["true", t("Shown")]] },
  { name: "expand", label: t("Expand the query"), options: yesNo() },
  { name: "rerank", label: t("Rerank the top results"), options: yesNo() },
];
export const serverControls = (): string[] => choices().map(({ name }) => name);

function percentOption(value: string): [string, string] {
  return [value, `${Math.round(Number(value) * 100)} %`];
}

/** The controls of the request. Changes are marked until they are applied. */
export class ServerControls {
  readonly el = h("form", { class: "controls", "aria-label": t("Search settings") });
  readonly #fetch: (parameters: ServerParameters) => void;
  readonly #selects = new Map<string, HTMLSelectElement>();
  readonly #button = h("button", { class: "primary", disabled: true }, t("Search again"));
  #fetched: ServerParameters = {};

  constructor(fetchWith: (parameters: ServerParameters) => void) {
    this.#draw();
    this.#fetch = fetchWith;
    this.el.addEventListener("change", () => this.#mark());
    this.el.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#fetch(this.#selected);
    });
  }

  /** Shows the parameters of the current results. */
  show(fetched: ServerParameters): void {
    this.#fetched = fetched;
    for (const [name, select] of this.#selects) select.value = fetched[name] ?? "";
    this.#mark();
  }

  get #selected(): ServerParameters {
    return Object.fromEntries([...this.#selects].map(([name, select]) => [name, select.value]));
  }

  #draw(): void {
    const rows = choices().map((choice) => {
      const options = choice.options.map(([value, label]) => h("option", { value }, label));
      const select = h("select", { name: choice.name }, ...options);
      this.#selects.set(choice.name, select);
      return h("label", { class: "control" }, h("span", {}, choice.label), select);
    });
    fill(this.el, h("h2", {}, t("Search settings")), ...rows, this.#button);
  }

  #mark(): void {
    let changed = 0;
    for (const [name, select] of this.#selects) {
      const isChanged = select.value !== (this.#fetched[name] ?? "");
      select.closest("label")?.classList.toggle("is-changed", isChanged);
      if (isChanged) changed += 1;
    }
    this.#button.disabled = changed === 0;
    fill(this.#button, changed ? tn(changed, "Apply {n} change", "Apply {n} changes") : t("No changes"));
  }
}

interface Slider {
  readonly name: keyof Controls;
  readonly label: string;
  readonly about: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly shown: (value: number) => string;
  /** The scores that it changes; null: all. */
  readonly of: "sums" | "means" | null;
}

const percent = (value: number): string => `${Math.round(value * 100)} %`;
const times = (value: number): string => `× ${number(value, 2)}`;
const MOST_WEIGHT = 3;
const weight = (name: Addend, label: string, about: string): Slider => ({
  ...{ name, label, about: `${about}; ${t("× 1 as the server weighs it")}` },
  ...{ min: 0, max: MOST_WEIGHT, step: 0.05, shown: times, of: "sums" },
});
const sliders = (): readonly Slider[] => [
  { name: "mix", label: t("Words – meaning"), about: t("How much each counts"), min: 0, max: 1, step: 0.01, shown: percent, of: "means" },
  weight("words", t("Words"), t("How well the query’s words match")),
  weight("meaning", t("Meaning"), t("How close the note’s meaning is")),
  weight("coverage", t("All words"), t("How many of the query’s words the note has")),
  weight("names", t("Name"), t("How well the note’s name matches")),
  weight("links", t("Links"), t("Whether the best notes link to it")),
  { name: "tag", label: t("Matching tag"), about: t("Multiplies the score"), min: 1, max: 3, step: 0.05, shown: times, of: null },
  { name: "recency", label: t("Recent"), about: t("Boost for a note changed today; halves every 90 days"), min: 0, max: 1, step: 0.01, shown: percent, of: null },
  { name: "graph", label: t("Linked"), about: t("Boost for notes linked with the top three"), min: 0, max: 1, step: 0.01, shown: percent, of: "means" },
];

/** Controls that rerank the fetched results in the browser. */
export class LiveControls {
  readonly el = h("div", { class: "controls", role: "group", "aria-label": t("Rerank in this browser") });
  readonly #inputs = new Map<keyof Controls, [HTMLInputElement, HTMLOutputElement]>();
  readonly #changed: (controls: Controls) => void;
  #start: Controls | null = null;

  constructor(changed: (controls: Controls) => void) {
    this.#changed = changed;
    const rows = sliders().map((slider) => this.#row(slider));
    const reset = button(t("Reset"), () => this.#start && this.set(this.#start, true), { class: "quiet" });
    this.el.append(h("h2", {}, t("Rerank in this browser")), ...rows, reset);
  }

  /** Sets the controls to the start for a new reply, whose scores are sums or means. */
  begin(start: Controls, scores: "sums" | "means"): void {
    this.#start = start;
    for (const { name, of } of sliders()) {
      const row = this.#inputs.get(name)?.[0].closest("label");
      if (row) row.hidden = of !== null && of !== scores;
    }
    this.set(start, false);
  }

  set(controls: Controls, notify: boolean): void {
    for (const { name, shown } of sliders()) {
      const [input, output] = this.#inputs.get(name) ?? [];
      if (input) input.value = String(controls[name]);
      if (output) output.value = shown(controls[name]);
      input?.closest("label")?.classList.toggle("is-changed", controls[name] !== this.#start?.[name]);
    }
    if (notify) this.#changed(controls);
  }

  get value(): Controls {
    const of = (name: keyof Controls): number => this.#inputs.get(name)?.[0].valueAsNumber ?? 0;
    const multipliers = { tag: of("tag"), recency: of("recency"), graph: of("graph") };
    const weights = { words: of("words"), meaning: of("meaning"), coverage: of("coverage"), names: of("names"), links: of("links") };
    return { mix: of("mix"), ...weights, ...multipliers };
  }

  #row({ name, label, about, min, max, step }: Slider): HTMLElement {
    const id = `live-${name}`;
    const input = h("input", { id, type: "range", min, max, step, name, title: about });
    const output = h("output", { for: id });
    input.addEventListener("input", () => this.set(this.value, true));
    this.#inputs.set(name, [input, output]);
    // The label contains the output too, so `for` names the input.
    return h("label", { class: "control slider", for: id }, h("span", {}, label, output), input);
  }
}

/** The explorer's controls: those that need a new request, and those that rerank in the browser. */

import { button, fill, h } from "../lib/dom";
import { count } from "../../src/format";
import type { Addend, Controls } from "../lib/remix";

/** Request parameters, as in the address. */
export type ServerParameters = Readonly<Record<string, string>>;

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly options: readonly [value: string, label: string][];
}

const YES_NO: readonly [string, string][] = [
  ["", "Server default"],
  ["true", "Yes"],
  ["false", "No"],
];
const CHOICES: readonly Choice[] = [
  {
    name: "mode",
    label: "Mode",
    options: [
      ["", "Words and meaning"],
      ["keyword", "Words"],
      ["semantic", "Meaning"],
    ],
  },
  {
    name: "alpha",
    label: "Weight of meaning",
    options: [["", "Automatic"], ...["0", "0.25", "0.5", "0.75", "1"].map(percentOption)],
  },
  { name: "n", label: "Results", options: ["", "20", "50", "100"].map((n) => [n, n || "10"]) },
  { name: "weak", label: "Weak matches", options: [["", "Left out"], ["true", "Shown"]] },
  { name: "expand", label: "Expand the query", options: YES_NO },
  { name: "rerank", label: "Rerank the top results", options: YES_NO },
];
export const SERVER_CONTROLS = CHOICES.map(({ name }) => name);

function percentOption(value: string): [string, string] {
  return [value, `${Math.round(Number(value) * 100)} %`];
}

/** The controls of the request. Changes are marked until they are applied. */
export class ServerControls {
  readonly el = h("form", { class: "controls", "aria-label": "Search settings" });
  readonly #fetch: (parameters: ServerParameters) => void;
  readonly #selects = new Map<string, HTMLSelectElement>();
  readonly #button = h("button", { class: "primary", disabled: true }, "Search again");
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
    const rows = CHOICES.map((choice) => {
      const options = choice.options.map(([value, label]) => h("option", { value }, label));
      const select = h("select", { name: choice.name }, ...options);
      this.#selects.set(choice.name, select);
      return h("label", { class: "control" }, h("span", {}, choice.label), select);
    });
    fill(this.el, h("h2", {}, "Search settings"), ...rows, this.#button);
  }

  #mark(): void {
    let changed = 0;
    for (const [name, select] of this.#selects) {
      const isChanged = select.value !== (this.#fetched[name] ?? "");
      select.closest("label")?.classList.toggle("is-changed", isChanged);
      if (isChanged) changed += 1;
    }
    this.#button.disabled = changed === 0;
    fill(this.#button, changed ? `Apply ${count(changed, "change", "changes")}` : "No changes");
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
const times = (value: number): string => `× ${value.toFixed(2)}`;
const MOST_WEIGHT = 3;
const weight = (name: Addend, label: string, about: string): Slider => ({
  ...{ name, label, about: `${about}; × 1 as the server weighs it` },
  ...{ min: 0, max: MOST_WEIGHT, step: 0.05, shown: times, of: "sums" },
});
const SLIDERS: readonly Slider[] = [
  { name: "mix", label: "Words – meaning", about: "How much each counts", min: 0, max: 1, step: 0.01, shown: percent, of: "means" },
  weight("words", "Words", "How well the query’s words match"),
  weight("meaning", "Meaning", "How close the note’s meaning is"),
  weight("coverage", "All words", "How many of the query’s words the note has"),
  weight("names", "Name", "How well the note’s name matches"),
  weight("links", "Links", "Whether the best notes link to it"),
  { name: "tag", label: "Matching tag", about: "Multiplies the score", min: 1, max: 3, step: 0.05, shown: times, of: null },
  { name: "recency", label: "Recent", about: "Boost for a note changed today; halves every 90 days", min: 0, max: 1, step: 0.01, shown: percent, of: null },
  { name: "graph", label: "Linked", about: "Boost for notes linked with the top three", min: 0, max: 1, step: 0.01, shown: percent, of: "means" },
];

/** Controls that rerank the fetched results in the browser. */
export class LiveControls {
  readonly el = h("div", { class: "controls", role: "group", "aria-label": "Rerank in this browser" });
  readonly #inputs = new Map<keyof Controls, [HTMLInputElement, HTMLOutputElement]>();
  readonly #changed: (controls: Controls) => void;
  #start: Controls | null = null;

  constructor(changed: (controls: Controls) => void) {
    this.#changed = changed;
    const rows = SLIDERS.map((slider) => this.#row(slider));
    const reset = button("Reset", () => this.#start && this.set(this.#start, true), { class: "quiet" });
    this.el.append(h("h2", {}, "Rerank in this browser"), ...rows, reset);
  }

  /** Sets the controls to the start for a new reply, whose scores are sums or means. */
  begin(start: Controls, scores: "sums" | "means"): void {
    this.#start = start;
    for (const { name, of } of SLIDERS) {
      const row = this.#inputs.get(name)?.[0].closest("label");
      if (row) row.hidden = of !== null && of !== scores;
    }
    this.set(start, false);
  }

  set(controls: Controls, notify: boolean): void {
    for (const { name, shown } of SLIDERS) {
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

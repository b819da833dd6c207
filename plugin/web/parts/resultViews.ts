/** What is drawn of the results beside or instead of a list: another way to look at all, a look at one, and why it was found. Loaded when it is first needed. */

import { asServerError, ServerError } from "../../src/client";
import type { Result, SearchReply } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { viewStyles } from "../lib/viewStyles";
import { errorBox } from "./errors";
import { rowKey } from "./resultRow";
import type { Why } from "./why";

/** Another way to look at the same results. */
interface Drawing {
  readonly el: HTMLElement;
  show(address: Address): void;
  leave?(): void;
}

const DRAWINGS: Readonly<Record<string, (context: ViewContext) => Promise<Drawing>>> = {
  timeline: async (context) => new (await import("./timeline")).Timeline(context),
  graph: async (context) => new (await import("../views/graph")).GraphView(context),
};

export class ResultViews {
  readonly drawn = h("div", { class: "drawn" });
  readonly why = h("div", { class: "why-place" });
  readonly #context: ViewContext;
  readonly #around: HTMLElement;
  readonly #list: readonly HTMLElement[];
  readonly #known = new Map<string, Drawing>();
  #wanted: string | null = null;
  #shown: Drawing | null = null;
  #explanation: Why | null = null;
  #reply: SearchReply | null = null;
  #isLookedAt = false;

  /** `around` has a class for what is shown; `list` are the parts of the list, which a drawing takes the place of. */
  constructor(context: ViewContext, around: HTMLElement, list: readonly HTMLElement[]) {
    this.#context = context;
    this.#around = around;
    this.#list = list;
  }

  get isDrawn(): boolean {
    return this.#wanted !== null;
  }

  /** Shows results as the address asks: similar notes, those of several vaults, and none at all only as a list. */
  show(reply: SearchReply | null): void {
    const { isEverywhere, address } = this.#context;
    const { q, like, view = "" } = address.query;
    const name = reply?.results.length && q && !like && !isEverywhere && view in DRAWINGS ? view : null;
    this.#wanted = name;
    this.#reply = reply;
    if (reply?.results.length) this.#lookWhereNarrow();
    this.#around.classList.toggle("is-drawn", name !== null);
    for (const part of this.#list) part.hidden = name !== null;
    if (name === null) this.#leave();
    else void this.#draw(name);
  }

  /** Where there is no room for a note beside the list, its results are looked at where they stand. */
  #lookWhereNarrow(): void {
    const [list] = this.#list;
    const wide = matchMedia("(min-width: 1100px)");
    if (this.#isLookedAt || !list || wide.matches) return;
    this.#isLookedAt = true;
    const resultOf = (key: string): Result | undefined => (wide.matches ? undefined : this.#reply?.results.find((result) => rowKey(result) === key));
    import("./quickLook").then(
      ({ lookAtResults }) => lookAtResults(this.#context, list, resultOf),
      () => (this.#isLookedAt = false), // tried again with the next results
    );
  }

  async #draw(name: string): Promise<void> {
    try {
      await viewStyles();
      const drawing = this.#known.get(name) ?? (await DRAWINGS[name]?.(this.#context));
      if (!drawing || this.#wanted !== name) return;
      this.#known.set(name, drawing);
      if (drawing !== this.#shown) {
        this.#leave();
        this.#shown = drawing;
        fill(this.drawn, drawing.el);
      }
      drawing.show(this.#context.address);
    } catch (error) {
      fill(this.drawn, notLoaded(error));
    }
  }

  #leave(): void {
    this.#shown?.leave?.();
    this.#shown = null;
    fill(this.drawn);
  }

  /** Says why a note was found, where the address asks for it. */
  explain(path: string | undefined): void {
    const { why, q } = this.#context.address.query;
    const isTold = !!why && !!q && path !== undefined;
    this.#around.classList.toggle("has-why", isTold);
    if (isTold) void this.#explain(path);
  }

  async #explain(path: string): Promise<void> {
    try {
      await viewStyles();
      this.#explanation ??= new (await import("./why")).Why(this.#context);
      fill(this.why, this.#explanation.el);
      await this.#explanation.show(path);
    } catch (error) {
      fill(this.why, notLoaded(error));
    }
  }
}

function notLoaded(error: unknown): HTMLElement {
  const problem = error instanceof TypeError ? new ServerError("unreachable", error.message) : asServerError(error);
  return errorBox(problem, () => location.reload());
}

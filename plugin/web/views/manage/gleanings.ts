/** The panel of saved links: those of daily notes, with their status, in figures, and notes made of them. */

import type { GleaningsReply, GleaningStatsReply, GleaningStatus } from "../../../src/contract";
import { count } from "../../../src/format";
import { Timer } from "../../../src/support";
import { asServerError } from "../../../src/client";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { fill, h } from "../../lib/dom";
import { extractBox } from "./gleanings/extract";
import { gleaningRow, statusWords } from "./gleanings/row";
import { facts, about, Loader, nothing, type Panel } from "./panel";
import { Settings } from "./settings";
import { number, t } from "../../../src/texts";

const SHOWN = 200;
const MOST_HOSTS = 5;
const PAUSE_MS = 250; // between the last key and the request

export class GleaningsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #stats = h("div");
  readonly #make = h("div");
  readonly #chips = h("div", { class: "chips", role: "group", "aria-label": t("Status") });
  readonly #field = h("input", { type: "search", placeholder: t("Words of title, description or address"), "aria-label": t("Filter saved links"), autocomplete: "off", maxlength: 500 });
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);
  readonly #settings: Settings;
  readonly #typed = new Timer();
  #unsubscribe: () => unknown = () => undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    if (context.mayWrite) this.#make.append(extractBox(context, () => void this.#list()));
    this.#settings = new Settings(context, ["gleanings.headings", "gleanings.daily_folders", "gleanings.folder", "schedule.extract", "schedule.maintain"]);
    const find = (): void => this.#context.change({ find: this.#field.value.trim() }, true);
    this.#field.addEventListener("input", () => this.#typed.set(PAUSE_MS, find));
    this.el.append(
      about(t("Links that you saved in daily notes, below the heading “Gleanings” or another one that the settings name.")),
      this.#stats,
      this.#make,
      this.#chips,
      this.#field,
      this.#body,
      h("details", {}, h("summary", {}, t("When and where")), this.#settings.el),
    );
  }

  show({ query }: Address): void {
    this.#unsubscribe();
    this.#unsubscribe = this.#context.status.subscribe((_, isChanged) => isChanged && this.#refresh());
    if (document.activeElement !== this.#field) this.#field.value = query["find"] ?? "";
    this.#settings.show();
    void this.#list();
  }

  leave(): void {
    this.#unsubscribe();
    this.#typed.clear();
  }

  /** Notes changed; whoever is in the list keeps it as it is. */
  #refresh(): void {
    if (!this.#body.contains(document.activeElement)) void this.#list();
  }

  #list(): Promise<void> {
    const { status: asked, find: words } = this.#context.address.query;
    const status = known(asked);
    const client = managing(this.#context);
    return this.#loader.load(
      () => Promise.all([client.gleanings({ status, q: words || undefined, limit: SHOWN }), client.gleaningStats()]),
      ([found, stats]) => {
        this.#drawStats(stats);
        return this.#draw(found, stats);
      },
    );
  }

  #draw({ gleanings, total }: GleaningsReply, stats: GleaningStatsReply): (Node | null)[] {
    if (stats.total === 0) return [nothingSaved()];
    if (total === 0) return [nothing(t("No such link"), t("Choose another status, or fewer words."))];
    const shown = total > gleanings.length ? t("The newest {n} of {links}; filter to see others.", { n: gleanings.length, links: count(total, "link") }) : count(total, "link");
    const rows = gleanings.map((one) => gleaningRow(this.#context, one, () => void this.#recount()));
    return [h("p", { class: "faint" }, shown), h("ol", { "aria-label": t("Saved links") }, ...rows)];
  }

  /** The figures alone, after a status was changed in the list. */
  async #recount(): Promise<void> {
    try {
      this.#drawStats(await managing(this.#context).gleaningStats());
    } catch (error) {
      asServerError(error); // the figures are asked for again with the next list
    }
  }

  #drawStats({ total, extracted, statuses, domains }: GleaningStatsReply): void {
    const hosts = domains.slice(0, MOST_HOSTS).map(({ domain, count: n }) => `${domain} (${number(n)})`);
    const rows: [string, string][] = [
      [t("Saved"), count(total, "link")],
      [t("With a note"), number(extracted)],
      [t("Most often from"), hosts.join(", ")],
    ];
    fill(this.#stats, total ? facts(rows) : null);
    for (const el of [this.#chips, this.#field, this.#make]) el.hidden = total === 0;
    const { status = "", find: words } = this.#context.address.query;
    const chips = ["", ...(Object.keys(statusWords()) as GleaningStatus[])].map((one) => {
      const name = known(one);
      const label = name ? `${statusWords()[name]} ${number(statuses[name] ?? 0)}` : `${t("all")} ${number(total)}`;
      const isHere = one === status;
      const href = this.#context.to("manage", { status: one, find: words }, "gleanings");
      return h("a", { class: isHere ? "chip is-set" : "chip", href, "aria-current": isHere ? "true" : null }, label);
    });
    fill(this.#chips, ...chips);
  }
}

function known(status: string | undefined): GleaningStatus | undefined {
  return (Object.keys(statusWords()) as GleaningStatus[]).find((one) => one === status);
}

function nothingSaved(): HTMLElement {
  return nothing(
    t("No saved links yet"),
    t("Write them into a daily note, one a line, below a heading of their own:"),
    h("pre", { tabindex: "0" }, h("code", {}, "## Gleanings\n\n- [Bees at night](https://bees.example/night)\n- https://bare.example/page")),
  );
}

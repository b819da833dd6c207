/** The statistics panel. */

import type { StatsReply } from "../../../src/contract";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { h } from "../../lib/dom";
import { bytes } from "../../lib/format";
import { noteAddress } from "../../parts/resultRow";
import { facts, Loader, type Panel } from "./panel";
import { number, t } from "../../../src/texts";

const SHOWN = 12;

interface Share {
  readonly label: string;
  readonly n: number;
  readonly shown: string;
  readonly href: string | null;
}

export class StatsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => managing(this.#context).stats(),
      (stats) => this.#draw(stats),
    );
  }

  #draw(stats: StatsReply): (Node | null)[] {
    const { sizes } = stats;
    const named = (some: StatsReply["tags"], query: (name: string) => string): Share[] =>
      some.map(({ name, notes }) => ({
        label: name ?? t("none"),
        n: notes,
        shown: number(notes),
        href: name ? this.#context.to("search", { q: query(name) }) : null,
      }));
    const quoted = (name: string): string => (/[\s()]/.test(name) ? `"${name}"` : name);
    return [
      facts([
        [t("Notes"), number(stats.notes)],
        [t("Passages"), number(stats.chunks)],
        [t("Links"), number(stats.links)],
        [t("Text"), t("{notes}; half of the notes have at most {median}", { notes: bytes(sizes.notes), median: bytes(sizes.median_note) })],
        [t("Index on disk"), bytes(sizes.index)],
        ...stats.models.map((one): [string, string] => [t("Vectors"), t("{vectors} of {model}, {kind}", { vectors: one.vectors, model: one.model, kind: one.quantisation }) + (one.answering ? `; ${t("in use")}` : "")]),
      ]),
      h(
        "div",
        { class: "figures" },
        bars(t("Folders"), named(stats.folders, (name) => `path:${quoted(`${name}/`)}`)),
        bars(t("Tags"), named(stats.tags, (name) => `tag:${name}`)),
        bars(t("Types"), named(stats.types, (name) => `type:${quoted(name)}`)),
        bars(t("Created in"), stats.months.map(({ month, created }) => ({ label: month, n: created, shown: number(created), href: this.#context.to("search", { q: `created:${month}` }) })).filter(({ n }) => n > 0).reverse()),
        bars(t("Largest"), sizes.largest.map(({ path, bytes: n }) => ({ label: path, n, shown: bytes(n), href: noteAddress(this.#context, path) }))),
      ),
    ];
  }
}

function bars(title: string, shares: readonly Share[]): HTMLElement | null {
  if (shares.length === 0) return null;
  const most = Math.max(...shares.map(({ n }) => n), 1);
  const rows = shares.slice(0, SHOWN).map(({ label, n, shown, href }) =>
    h(
      "li",
      {},
      href ? h("a", { href, dir: "auto" }, label) : h("span", { class: "faint" }, label),
      h("span", { class: "number" }, shown),
      h("span", { class: "bar", vars: { "--share": String(n / most) } }),
    ),
  );
  return h("section", {}, h("h3", {}, title), h("ol", { class: "shares" }, ...rows));
}

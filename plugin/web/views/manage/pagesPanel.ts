/** How these pages look in this browser: their language, and light or dark. */

import { chooseLanguage, chosenLanguage, offeredLanguages } from "../../app/language";
import { h } from "../../lib/dom";
import { chooseLook, chosenLook, type Look } from "../../lib/look";
import { t } from "../../../src/texts";
import type { Panel } from "./panel";

type Option = readonly [value: string, name: string];

export class PagesPanel implements Panel {
  readonly el = h("div", { class: "settings" });

  constructor() {
    this.el.append(
      choice(t("Language"), chosenLanguage(), languages(), (code) => {
        chooseLanguage(code);
        location.reload(); // texts are read when a page is drawn
      }),
      choice(t("Colours"), chosenLook(), looks(), (look) => chooseLook(look as Look)),
    );
  }

  show(): void {
    // It is drawn once: nobody else changes what it shows.
  }
}

function languages(): readonly Option[] {
  const names = offeredLanguages().map((code): Option => [code, new Intl.DisplayNames(code, { type: "language" }).of(code) ?? code]);
  return [["", t("The browser’s")], ...names];
}

function looks(): readonly Option[] {
  return [
    ["", t("As the system")],
    ["light", t("Light")],
    ["dark", t("Dark")],
  ];
}

function choice(name: string, present: string, options: readonly Option[], chosen: (value: string) => void): HTMLElement {
  const control = h(
    "select",
    { "aria-label": name, on: { change: (event: Event) => chosen((event.target as HTMLSelectElement).value) } },
    ...options.map(([value, label]) => h("option", { value, selected: value === present }, label)),
  );
  return h("div", {}, h("span", { "aria-hidden": "true" }, name), h("div", { class: "setting-value" }, control));
}

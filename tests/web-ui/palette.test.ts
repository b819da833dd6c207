/** What the palette asks for before a letter is typed. */

import { afterEach, expect, it } from "vitest";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { rowActions } from "../../plugin/web/palette/rowActions";
import { known, type NotePlace, thisDay } from "../../plugin/web/palette/rows";
import { lately } from "../../plugin/web/parts/lately";

const VAULT = { id: "home", name: "Home", path: "/notes", default: true, open: true, source: "folder" as const, served: true };
const BEES: NotePlace = { path: "Garden/Bees.md", title: "Bees", line: 1, uri: null, result: null, heading: null };

afterEach(() => localStorage.clear());

function context(): ViewContext {
  const client = new WebClient(() => Promise.reject(new Error("not asked")), () => undefined, { url: "", token: "" });
  return new ViewContext(client, [VAULT], [], { show: () => undefined } as never);
}

function press(at: ViewContext, label: string): void {
  const row = rowActions(at, BEES, () => undefined, "").find((one) => one.label === label);
  if (!row) throw new Error(`no row ${label}`);
  row.run();
}

const listed = (at: ViewContext): readonly (readonly [string, readonly string[]])[] => known(at).map(({ title, rows }) => [title, rows.map(({ label }) => label)]);

it("lists pinned notes first, and not again among those read lately", () => {
  const at = context();
  lately.add("Garden/Bees.md", VAULT);
  lately.add("Garden/Wasps.md", VAULT);
  expect(listed(at)).toEqual([["Read lately", ["Wasps", "Bees"]]]);
  press(at, "Pin");
  expect(listed(at)).toEqual([["Pinned", ["Bees"]], ["Read lately", ["Wasps"]]]);
  press(at, "Unpin");
  expect(listed(at)).toEqual([["Read lately", ["Wasps", "Bees"]]]);
});

it("suggests a note no more that is left out, until it is taken back", () => {
  const at = context();
  lately.add("Garden/Bees.md", VAULT);
  press(at, "Do not suggest");
  expect(listed(at)).toEqual([]);
  press(at, "Suggest again");
  expect(listed(at)).toEqual([["Read lately", ["Bees"]]]);
});

it("asks for this day of ten earlier years, and for none that a year lacks", () => {
  const query = thisDay(new Date(2026, 10, 30)).split(" OR ");
  expect(query).toHaveLength(10);
  expect([query[0], query.at(-1)]).toEqual(["created:2025-11-30", "created:2016-11-30"]);
  expect(thisDay(new Date(2028, 1, 29))).toBe("created:2024-02-29 OR created:2020-02-29");
});

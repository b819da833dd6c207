/** What the palette asks for before a letter is typed. */

import { expect, it } from "vitest";
import { thisDay } from "../../plugin/web/palette/rows";

it("asks for this day of ten earlier years, and for none that a year lacks", () => {
  const query = thisDay(new Date(2026, 10, 30)).split(" OR ");
  expect(query).toHaveLength(10);
  expect([query[0], query.at(-1)]).toEqual(["created:2025-11-30", "created:2016-11-30"]);
  expect(thisDay(new Date(2028, 1, 29))).toBe("created:2024-02-29 OR created:2020-02-29");
});

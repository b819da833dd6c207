/** The second half of the session: stored, and shown in a header. */

import { beforeEach, describe, expect, it } from "vitest";
import { keepPageKey, pageKeyHeaders, withPageKey } from "../../plugin/web/app/pageKey";

beforeEach(() => localStorage.clear());

describe("the page key", () => {
  it("is stored, and goes with requests", () => {
    keepPageKey("0123abcd");
    expect(Object.values({ ...localStorage })).toEqual(["0123abcd"]);
    expect(pageKeyHeaders()).toEqual({ "Notewell-Page-Key": "0123abcd" });
    expect(withPageKey("/api/docs")).toBe("/api/docs?key=0123abcd");
  });
});

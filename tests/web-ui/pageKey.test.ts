/** The second half of the session: taken from the address, stored, and shown in a header. */

import { beforeEach, describe, expect, it } from "vitest";
import { pageKeyHeaders, takePageKey, withPageKey } from "../../plugin/web/app/pageKey";

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/");
});

describe("the page key", () => {
  it("moves from the address into the storage, and the view stays", () => {
    history.replaceState(null, "", "/?q=bees&key=0123abcd#/graph?path=a");
    takePageKey();
    expect(location.search + location.hash).toBe("?q=bees#/graph?path=a");
    expect(Object.values({ ...localStorage })).toEqual(["0123abcd"]);
    expect(pageKeyHeaders()).toEqual({ "Notewell-Page-Key": "0123abcd" });
    expect(withPageKey("/api/docs")).toBe("/api/docs?key=0123abcd");
  });

  it("stays when a page is opened without one", () => {
    history.replaceState(null, "", "/?key=0123abcd");
    takePageKey();
    history.replaceState(null, "", "/#/search");
    takePageKey();
    expect(pageKeyHeaders()).toEqual({ "Notewell-Page-Key": "0123abcd" });
  });
});

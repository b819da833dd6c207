/** Signing in: the secret leaves the address before anything else, and is posted by the page itself. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pageKeyHeaders } from "../../plugin/web/app/pageKey";
import { signIn, takeSecret } from "../../plugin/web/app/signIn";
import { ServerError } from "../../plugin/src/client";

type Post = (url: string, init: RequestInit) => Promise<Response>;

/** A server that leads to `address`, or refuses; gives what was sent to it. */
function server(address: string, answer: Response = new Response("")): { readonly sent: [string, RequestInit][] } {
  const sent: [string, RequestInit][] = [];
  Object.defineProperty(answer, "url", { value: `https://notes.home${address}` });
  const post: Post = (url, init) => {
    sent.push([url, init]);
    return Promise.resolve(answer);
  };
  vi.stubGlobal("fetch", post);
  return { sent };
}

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/");
});
afterEach(() => vi.unstubAllGlobals());

describe("a link", () => {
  it.each([
    ["/?token=abc&q=bees#/graph?path=a", { how: "token", value: "abc" }, "?q=bees#/graph?path=a"],
    ["/?code=abc#/search", { how: "code", value: "abc" }, "#/search"],
    // Only the page of a pairing link, after a click, gives a code its name.
    ["/?code=abc&name=tablet", { how: "code", value: "abc" }, ""],
    ["/?q=bees", null, "?q=bees"],
    ["/?token=", null, "?token="],
  ])("%s gives its secret, which leaves the address", (address, secret, left) => {
    history.replaceState({ kept: true }, "", address);
    expect(takeSecret()).toEqual(secret);
    expect(location.search + location.hash).toBe(left);
    expect(history.state).toEqual({ kept: true });
    expect(takeSecret()).toBeNull();
  });
});

describe("signing in", () => {
  it("posts the secret to this server, and stores the page's half of the session", async () => {
    const { sent } = server("/?key=0123abcd");
    expect(await signIn({ how: "code", value: "abc", name: "My tablet" })).toBeNull();
    expect(sent).toHaveLength(1);
    const [url, init] = sent[0] ?? ["", {}];
    expect([url, init.method, init.credentials]).toEqual(["/", "POST", "same-origin"]);
    expect(init.body).toEqual(new URLSearchParams({ code: "abc", name: "My tablet" }));
    expect(pageKeyHeaders()).toEqual({ "Notewell-Page-Key": "0123abcd" });
  });

  it("says what was refused, and keeps the session there was", async () => {
    server("/?key=0123abcd");
    await signIn({ how: "token", value: "abc" });
    server("/?refused=token");
    expect(await signIn({ how: "token", value: "wrong" })).toBe("token");
    expect(pageKeyHeaders()).toEqual({ "Notewell-Page-Key": "0123abcd" });
  });

  it("fails with the server's words where nothing was decided", async () => {
    server("/", new Response('{"detail": "Too many wrong tokens."}', { status: 429 }));
    await expect(signIn({ how: "token", value: "abc" })).rejects.toMatchObject({ kind: "refused", status: 429, message: "Too many wrong tokens." });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
    await expect(signIn({ how: "token", value: "abc" })).rejects.toBeInstanceOf(ServerError);
  });

  it("waits while the browser only loads the page ahead", async () => {
    const { sent } = server("/?key=0123abcd");
    Object.defineProperty(document, "prerendering", { value: true, configurable: true });
    try {
      const signedIn = signIn({ how: "code", value: "abc" });
      await Promise.resolve();
      expect(sent).toEqual([]);
      document.dispatchEvent(new Event("prerenderingchange"));
      expect(await signedIn).toBeNull();
    } finally {
      Reflect.deleteProperty(document, "prerendering");
    }
  });
});

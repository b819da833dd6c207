/** The page of a pairing link: anybody can write such a link, so it is checked and nothing is sent before a click. */

import { beforeEach, describe, expect, it } from "vitest";
import { deviceName, pairingLink, secretOf } from "../../plugin/web/lib/pairing";
import type { Secret } from "../../plugin/web/app/signIn";
import { showPairing } from "../../plugin/web/parts/pairing";
import { drawn } from "../../plugin/web/views/manage/devices";

const CODE = "abcdefghijklmnopqrstuv";

beforeEach(() => {
  document.body.replaceChildren(Object.assign(document.createElement("div"), { id: "app" }));
});

function page(hash: string, session: string | null = null): { readonly root: HTMLElement; readonly entered: Secret[] } {
  const root = document.querySelector<HTMLElement>("#app");
  const link = pairingLink(hash);
  if (!root || !link) throw new Error("no page");
  const entered: Secret[] = [];
  showPairing(root, link, session, (secret) => entered.push(secret));
  return { root, entered };
}

describe("a pairing link", () => {
  it("is read from the fragment", () => {
    expect(pairingLink(`#/pair?code=${CODE}&name=box&scope=read`)).toEqual({ code: CODE, name: "box", scope: "read" });
  });

  it.each(["", "#/search?q=pair", "#/pair", "#/pair?code=", "#/pair?code=short", "#/pair?code=a%20b%26c=ddddddddddddddd", `#/pair?code=${"x".repeat(101)}`])(
    "is not %s",
    (hash) => {
      expect(pairingLink(hash)).toBeNull();
    },
  );

  it("gives no more rights than read or write, and no name that misleads", () => {
    const link = pairingLink(`#/pair?code=${CODE}&scope=admin&name=${encodeURIComponent(`a\u202eb\n${"x".repeat(200)}`)}`);
    expect(link?.scope).toBe("write");
    expect(link?.name).toHaveLength(64);
    expect(link?.name).toMatch(/^a b x+$/);
  });

  it("signs in by its code, and under a name that misleads nobody", () => {
    const link = { code: CODE, name: "", scope: "read" } as const;
    expect(secretOf(link, " My phone\u202e & //evil.example")).toEqual({ how: "code", value: CODE, name: "My phone & //evil.example" });
    expect(secretOf(link, " ").name).toBe("Browser");
  });
});

describe("the page", () => {
  it("shows which server it is, and sends nothing before the click", () => {
    const { root, entered } = page(`#/pair?code=${CODE}&name=box&scope=read`);
    expect(root.textContent).toContain(location.host);
    expect(root.textContent).toContain("“box”");
    expect(entered).toEqual([]);
    root.querySelector("button")?.click();
    expect(entered).toMatchObject([{ how: "code", value: CODE }]);
  });

  it("says that a session would be replaced", () => {
    expect(page(`#/pair?code=${CODE}`, "tablet").root.textContent).toContain("signed in already, as “tablet”");
  });

  it("shows markup in the link's name as text", () => {
    const { root } = page(`#/pair?code=${CODE}&name=${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
    expect(root.querySelector("img")).toBeNull();
  });

  it("proposes a name for the device", () => {
    expect(deviceName(true)).toBe("Browser on a phone");
    expect(deviceName(false)).toBe("Browser on a computer");
  });
});

describe("a link that an administrator made", () => {
  const made = { url: "http://127.0.0.1:8765/#/pair?code=x", obsidian: "obsidian://notewell-pair?code=x", expires: "2026-03-02T10:00:00+00:00", qr: "data:image/svg+xml,x", loopback: true };
  const shown = (loopback: boolean): string => drawn({ ...made, loopback }).map((node) => node?.textContent ?? "").join(" ");

  it("is shown with both addresses", () => {
    expect(shown(false)).toContain(made.url);
    expect(shown(false)).toContain(made.obsidian);
  });

  it("has no QR code that no phone can open, but the steps that make the server reachable", () => {
    const parts = drawn({ ...made, obsidian: "obsidian://notewell-pair?url=http%3A%2F%2F127.0.0.1%3A8765&code=x" }, "http://127.0.0.1:8911");
    const root = document.createElement("div");
    root.append(...parts.filter((part) => part !== null));
    expect(root.querySelector("img")).toBeNull();
    expect(root.textContent).toContain("Make it reachable");
    expect(root.textContent).toContain("tailscale serve --bg 8911");
    expect(root.textContent, "links have the port of the page’s own server").toContain("http://127.0.0.1:8911/#/pair?code=x");
    expect(root.textContent).toContain("url=http%3A%2F%2F127.0.0.1%3A8911&");
    expect(root.textContent).not.toContain("8765");
    expect(shown(false)).not.toContain("Make it reachable");
  });
});

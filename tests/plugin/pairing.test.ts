/** Pairing links that anybody may have written: what is taken from them, and what the question says. */

import { describe, expect, it } from "vitest";
import { Client, type HttpRequest } from "../../plugin/src/client";
import { deviceName, pairingOffer, pairingQuestion, secretName } from "../../plugin/src/pairing";

const CODE = "abcdefghijklmnopqrstuv";
const LINK = { action: "notewell-pair", url: "https://notes.home:8765", code: CODE, name: "box" };
const OFFER = { url: "https://notes.home:8765", code: CODE, name: "box" };

describe("a pairing link", () => {
  it("offers a server and a code", () => {
    expect(pairingOffer(LINK)).toEqual(OFFER);
  });

  it.each([
    "",
    "notes.home",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://notes.home@evil.example",
    "https://notes.home/path",
    "https://notes.home?x=1",
    "https://notes.home#x",
    "https://notes.home\n.evil.example",
    "https://notes.home:99999",
    "https://n\u043etes.home",
  ])("is refused with the address %j", (url) => {
    expect(pairingOffer({ ...LINK, url })).toBeNull();
  });

  it.each(["", "short", "x".repeat(101), `${CODE}"}`])("is refused with the code %j", (code) => {
    expect(pairingOffer({ ...LINK, code })).toBeNull();
  });

  it("cannot reorder or break the text of the question by its name", () => {
    expect(pairingOffer({ ...LINK, name: `box\u202e\n\n${"x".repeat(200)}` })?.name).toMatch(/^box x{1,60}$/);
  });
});

describe("the question", () => {
  it("says which server, what it is called, and what is sent", () => {
    const [title, text, agree] = pairingQuestion(OFFER, "Obsidian Home", null);
    expect(title).toContain("notes.home:8765");
    for (const said of ["notes.home:8765", "“box”", "one-time code", "“Obsidian Home”"]) expect(text).toContain(said);
    expect(text).not.toContain(CODE);
    expect(text).not.toContain("not encrypted");
    expect(agree).toBe("Connect");
  });

  it("says which connection it would replace", () => {
    const [, text, agree] = pairingQuestion(OFFER, "Obsidian Home", "http://other:8765");
    expect(text).toContain("http://other:8765");
    expect(agree).toBe("Replace and connect");
  });

  it("warns of a connection that is not encrypted, but not on this computer", () => {
    expect(pairingQuestion({ ...OFFER, url: "http://192.168.1.4:8765" }, "x", null)[1]).toContain("not encrypted");
    expect(pairingQuestion({ ...OFFER, url: "http://127.0.0.1:8765" }, "x", null)[1]).not.toContain("not encrypted");
  });
});

describe("pairing", () => {
  it("keeps the token under a name of its own, never over another secret", () => {
    expect(secretName(OFFER, () => false)).toBe("notewell-notes-home-8765");
    expect(secretName(OFFER, (name) => !name.endsWith("-3"))).toBe("notewell-notes-home-8765-3");
    expect(secretName({ ...OFFER, url: "http://[::1]:8765" }, () => false)).toMatch(/^[a-z0-9-]+$/);
  });

  it("names the device after the vault, within the server's limit", () => {
    expect(deviceName("Home")).toBe("Obsidian Home");
    expect(deviceName("x".repeat(200)).length).toBeLessThanOrEqual(64);
  });

  it("sends the code and the name to the server of the link, without any token", async () => {
    const sent: HttpRequest[] = [];
    const client = new Client(
      (request) => {
        sent.push(request);
        return Promise.resolve({ status: 200, text: JSON.stringify({ token: "t", device: "Obsidian Home" }) });
      },
      () => undefined,
      { url: OFFER.url, token: "" },
    );
    expect(await client.redeem(CODE, "Obsidian Home")).toEqual({ token: "t", device: "Obsidian Home" });
    expect(sent[0]?.url).toBe("https://notes.home:8765/api/pair/redeem");
    expect(sent[0]?.headers).not.toHaveProperty("Authorization");
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ code: CODE, name: "Obsidian Home" });
  });
});
